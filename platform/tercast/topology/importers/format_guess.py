"""Which format a file has by its content, and whether the graph that is read bears the guess out.

A guess by form alone may be wrong: `A,B 1 0` has the three fields of Rocketfuel, but both ends of a link in
one. So each guess is checked against what every file of its format has.
"""

import re

from tercast.errors import Refused, shown
from tercast.topology.importers.gml import starts_as_gml
from tercast.topology.importers.raw_graph import RawGraph, shown_key
from tercast.topology.importers.sndlib import has_element, root_name

FORMATS = ("graphml", "gml", "sndlib", "json", "rocketfuel", "brite", "tercast")

FORMS = {
    "graphml": "XML with the root <graphml>",
    "gml": "keys with values up to a list graph [ ... ]",
    "sndlib": "XML with the root <network> and a <networkStructure>",
    "json": "a JSON object",
    "rocketfuel": "lines FROM TO WEIGHT",
    "brite": "sections Topology, Nodes and Edges",
    "tercast": "a scenario, or switches with id and dpid",
}
"""By what the content shows each format, in words."""

_HEAD = 65536
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_INDEX = 18
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_POSITIVE = re.compile(r"\+?(?=[0-9.]*[1-9])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OTHERS = (
    (r"(?:strict\s+)?(?:di)?graph\b[^\[\]{}]*\{", "DOT of Graphviz"),
    (r"\*(?:vertices|network)\b", "Pajek"),
    (r"(?:c\b.*\n)*p\s+\w+\s+\d+\s+\d+", "DIMACS"),
)
"""How formats begin that are not read."""


def guess_format(data: bytes) -> str:
    """The format that the content shows (`json` for Tercast's own too); refused where it shows none."""
    text = file_text(data[:_HEAD], partial=True).lstrip()
    if text.startswith("<") or data.startswith((b"<\0", b"\0<")):
        return _guess_xml(data)
    if text.startswith(("{", "[")):
        return "json"
    if text.startswith("Topology:"):
        _check_brite(text)
        return "brite"
    _refuse_others(text)
    if re.search(r"^[ \t]*graph\s*\[", text, re.MULTILINE) or starts_as_gml(text):
        return "gml"
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if re.fullmatch(r"\S+\s+\S+\s+[0-9.eE+-]+\s*", first):
        return "rocketfuel"
    raise Refused((), "format", f"the content shows no known format; known are {', '.join(FORMATS)}", None)


def check_guess(form: str, raw: RawGraph) -> None:
    """Refuse a graph that no file of the guessed format has. Only Rocketfuel's lines say too little alone."""
    reason = _doubt_lines(raw) if form == "rocketfuel" else None
    if reason:
        detail = (
            f"the lines have three fields, as Rocketfuel's FROM TO WEIGHT, but {reason}; convert the file to "
            "a format that is read, or name the format if it is rocketfuel all the same"
        )
        raise Refused(("format",), "format", detail, form)


def file_text(data: bytes, *, partial: bool = False) -> str:
    """The file's text: UTF-8, or UTF-16 where a mark at its start says so."""
    encoding = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8-sig"
    try:
        return data.decode(encoding, errors="ignore" if partial else "strict")
    except UnicodeDecodeError as error:
        raise Refused(
            (), "encoding", f"byte {error.start} is not UTF-8; save the file as UTF-8", None
        ) from None


def _guess_xml(data: bytes) -> str:
    root = root_name(data)
    if root == "graphml":
        return "graphml"
    if root == "network" and has_element(data, "networkStructure"):
        return "sndlib"
    what = "<network> but no <networkStructure> in it" if root == "network" else shown(root)
    detail = f"XML with the root {what}; known are <graphml>, and SNDlib's <network> with <networkStructure>"
    raise Refused((), "format", detail, None)


def _check_brite(text: str) -> None:
    """Refuse what begins like BRITE and has neither its counts nor its sections."""
    header = text.partition("\n")[0]
    if not re.search(r"[0-9]+\s+Nodes\b", header) and not re.search(r"^(?:Nodes|Edges):", text, re.M):
        detail = (
            f"{shown(header.strip())} begins like BRITE, but has no counts of nodes and edges, and no "
            f"section Nodes: or Edges: follows; known formats are {', '.join(FORMATS)}"
        )
        raise Refused((), "format", detail, None)


def _refuse_others(text: str) -> None:
    content = re.sub(r"\A(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)+", "", text, flags=re.DOTALL)
    for pattern, name in _OTHERS:
        if re.match(pattern, content, re.IGNORECASE):
            detail = f"the content looks like {name}, which is not read; convert it to GraphML or GML"
            raise Refused((), "format", detail, None)


def _doubt_lines(raw: RawGraph) -> str | None:
    """Why lines are no Rocketfuel: what is there that no such file has. None where they may well be."""
    for edge in raw.edges:
        if not _POSITIVE.fullmatch(str(edge.weight)):
            return f"the weight {shown(edge.weight)} in line {edge.line} is no positive number"
        for end in (edge.a, edge.b):
            if re.search(r",(?!\+)", str(end)):
                return (
                    f"{shown_key(end)} in line {edge.line} has a comma without the + that stands for a blank"
                )
    if raw.edges and all(edge.a == edge.b for edge in raw.edges):
        return "no line joins two different nodes"
    numbers = [[_NUMBER.fullmatch(str(end)) is not None for end in (edge.a, edge.b)] for edge in raw.edges]
    if all(b and not a for a, b in numbers):
        return "the second column has numbers and the first has none, so they name no nodes alike"
    if _is_numbered(raw):
        return "the first column numbers the lines, so it names no nodes"
    return _doubt_numbers(raw) if all(a and b for a, b in numbers) else None


def _doubt_numbers(raw: RawGraph) -> str | None:
    """Why numbers are no names of nodes: measured values, or two columns of different things."""
    for edge in raw.edges:
        for end in (edge.a, edge.b):
            if not str(end).isdecimal():
                return f"{shown_key(end)} in line {edge.line} is a measured number, no name of a node"
    if len(raw.edges) > 1 and {str(edge.a) for edge in raw.edges}.isdisjoint(
        str(edge.b) for edge in raw.edges
    ):
        return "the first and second columns are numbers and have none in common, so they name no nodes alike"
    return None


def _is_numbered(raw: RawGraph) -> bool:
    """Whether the first column counts on line by line, and what follows cannot be the other end of a link."""
    firsts = [str(edge.a) for edge in raw.edges]
    if len(firsts) < 2 or not firsts[0].isdecimal() or len(firsts[0]) > _LONGEST_INDEX:
        return False
    start = int(firsts[0])
    if firsts != [str(number) for number in range(start, start + len(firsts))]:
        return False
    others = {str(edge.b) for edge in raw.edges}
    return others.isdisjoint(firsts) or any(edge.a == edge.b for edge in raw.edges)
