"""Reading a topology file: which format it has, then its graph, then the repaired topology."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tercast.errors import Refused
from tercast.importers.graph import RawGraph
from tercast.importers.json_files import read_json
from tercast.importers.repair import Repair
from tercast.importers.text_files import read_brite, read_gml, read_rocketfuel
from tercast.importers.xml_files import local_name, parse_xml, read_graphml, read_sndlib

LARGEST_FILE = 64 * 1024 * 1024
MOST_HOSTS = 100
FORMATS = ("graphml", "gml", "sndlib", "json", "rocketfuel", "brite")


@dataclass(frozen=True, slots=True)
class Imported:
    """A topology as scenarios have it, the format it was read from, and what had to be repaired."""

    topology: dict[str, Any]
    format: str
    repairs: tuple[str, ...]


def read_topology(data: bytes, form: str | None = None, hosts_per_switch: int = 0) -> Imported:
    """Read a topology file of any known format; `form` names it where its content does not tell.

    Raises `Refused` for a format that is not known, for a file that is broken, and for one beyond 64 MiB.
    """
    if len(data) > LARGEST_FILE:
        raise Refused((), "too_large", f"{len(data)} bytes; a file has at most {LARGEST_FILE}", len(data))
    if not 0 <= hosts_per_switch <= MOST_HOSTS:
        raise Refused(
            ("hosts",),
            "range",
            f"{hosts_per_switch}: give 0 to {MOST_HOSTS} hosts a switch",
            hosts_per_switch,
        )
    form = form or guess_format(data)
    if form not in FORMATS:
        raise Refused(("format",), "choice", f"{form!r} is not known; use one of {', '.join(FORMATS)}", form)
    repair = Repair(_read(data, form))
    topology = repair.topology(hosts_per_switch)
    return Imported(topology, form, tuple(dict.fromkeys(repair.notes)))


def guess_format(data: bytes) -> str:
    """The format that the content shows; refused where it shows none."""
    head = data.lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        root = local_name(parse_xml(data))
        if root == "graphml":
            return "graphml"
        if root == "network":
            return "sndlib"
        raise Refused((), "format", f"XML with <{root}>; known are <graphml> and SNDlib's <network>", root)
    text = _text(head[:65536], partial=True)
    if text.startswith(("{", "[")):
        return "json"
    if text.startswith("Topology:"):
        return "brite"
    if re.search(r"^\s*graph\s*\[", text, re.MULTILINE):
        return "gml"
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if re.fullmatch(r"\S+\s+\S+\s+[0-9.eE+-]+\s*", first):
        return "rocketfuel"
    raise Refused((), "format", f"the content shows no known format; known are {', '.join(FORMATS)}", None)


def _read(data: bytes, form: str) -> RawGraph:
    if form == "graphml":
        return read_graphml(data)
    if form == "sndlib":
        return read_sndlib(data)
    readers: dict[str, Callable[[str], RawGraph]] = {
        "gml": read_gml,
        "json": read_json,
        "rocketfuel": read_rocketfuel,
        "brite": read_brite,
    }
    return readers[form](_text(data))


def _text(data: bytes, *, partial: bool = False) -> str:
    try:
        return data.decode("utf-8-sig", errors="ignore" if partial else "strict")
    except UnicodeDecodeError as error:
        raise Refused(
            (), "encoding", f"byte {error.start} is not UTF-8; save the file as UTF-8", None
        ) from None
