"""Import of a topology file: find its format, read its graph, then repair the topology."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tercast.errors import Refused, shown
from tercast.topology.importers.address_pool import FAMILIES, Addresses, TakenAddresses
from tercast.topology.importers.format_guess import FORMATS, check_guess, file_text, guess_format
from tercast.topology.importers.gml import read_gml
from tercast.topology.importers.graphml import read_graphml
from tercast.topology.importers.host_attachment import attach_hosts
from tercast.topology.importers.limits import LARGEST_FILE, MOST_HOSTS_A_SWITCH, TOO_LARGE, check_total
from tercast.topology.importers.native import is_own, read_own
from tercast.topology.importers.node_link_json import parse_json, read_json
from tercast.topology.importers.port_numbers import Ports
from tercast.topology.importers.raw_graph import RawGraph
from tercast.topology.importers.repair import Repair
from tercast.topology.importers.rocketfuel_brite import read_brite, read_rocketfuel
from tercast.topology.importers.sndlib import read_sndlib

_READERS: dict[str, Callable[[str], RawGraph]] = {
    "gml": read_gml,
    "rocketfuel": read_rocketfuel,
    "brite": read_brite,
}


@dataclass(frozen=True, slots=True)
class Imported:
    """A topology as scenarios have it, with the format of the file and the repairs.

    `assumed` means that the format was guessed from the content.
    """

    topology: dict[str, Any]
    format: str
    repairs: tuple[str, ...]
    assumed: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of switches, links and hosts."""
        return {part: len(self.topology[part]) for part in ("switches", "links", "hosts")}


def read_topology(  # noqa: PLR0917
    data: bytes,
    form: str | None = None,
    hosts_per_switch: int = 0,
    family: str = "ipv6",
    taken: TakenAddresses | None = None,
    most: int | None = None,
) -> Imported:
    """Read a topology file of any supported format.

    Args:
        data: the content of the file.
        form: the format; None to find it from the content.
        hosts_per_switch: the number of hosts to attach to every switch.
        family: the address family of the hosts, `ipv6` or `ipv4`.
        taken: datapath ids and addresses that must not be assigned again.
        most: the limit for switches, links and hosts together, checked before the repair; None for no limit.

    Raises:
        Refused: the format is unknown, the file is invalid, or it exceeds a limit.
        RefusedMany: a file in Tercast's own format has several errors.
    """
    if len(data) > LARGEST_FILE:
        rule = f"the file has {len(data)} bytes; at most {LARGEST_FILE} are allowed, so split the file"
        raise Refused((), TOO_LARGE, rule, len(data))
    _check_hosts(hosts_per_switch)
    for name, value, known in (("format", form or "json", FORMATS), ("family", family, FAMILIES)):
        if value not in known:
            rule = f"unknown {name} {shown(value)}; use one of {', '.join(known)}"
            raise Refused((name,), "choice", rule, value)
    try:
        return _read(data, form, hosts_per_switch, Addresses(family, taken or TakenAddresses(), []), most)
    except RecursionError:
        raise Refused(
            (), "too_deep", "the file is nested too deeply; write it with fewer levels", None
        ) from None


def _read(
    data: bytes, form: str | None, hosts_per_switch: int, addresses: Addresses, most: int | None
) -> Imported:
    notes = addresses.notes
    found = form or guess_format(data)
    document = parse_json(file_text(data)) if found in ("json", "tercast") else None
    if document is not None and (form == "tercast" or (form is None and is_own(document))):
        found, ports = "tercast", Ports(notes)
        topology = read_own(document, ports, addresses)
    else:
        raw = _graph(data, document, found)
        if form is None:
            check_guess(found, raw)
        if most is not None:
            check_total(raw, hosts_per_switch, most)
        repair = Repair(raw, addresses.taken, addresses, notes)
        topology, ports = repair.topology(), repair.ports
    attach_hosts(topology, hosts_per_switch, ports, addresses)
    addresses.note_skipped()
    return Imported(topology, found, tuple(dict.fromkeys(notes)), form is None)


def _graph(data: bytes, document: dict[str, Any] | None, form: str) -> RawGraph:
    if document is not None:
        return read_json(document)
    if form == "graphml":
        return read_graphml(data)
    if form == "sndlib":
        return read_sndlib(data)
    return _READERS[form](file_text(data))


def _check_hosts(per_switch: int) -> None:
    if not 0 <= per_switch <= MOST_HOSTS_A_SWITCH:
        rule = f"{per_switch} hosts for each switch are out of range; use 0 to {MOST_HOSTS_A_SWITCH}"
        raise Refused(("hosts",), "range", rule, per_switch)
