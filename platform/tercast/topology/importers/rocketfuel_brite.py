"""Formats that consist of lines: weights and latencies of Rocketfuel, and BRITE."""

import re
from collections.abc import Iterator

from tercast.errors import Refused, shown
from tercast.runtime.wording import quantity
from tercast.topology.importers.limits import check_links, check_nodes
from tercast.topology.importers.raw_graph import RawEdge, RawGraph, RawNode

_BRITE_NODE_FIELDS = 7
_BRITE_EDGE_FIELDS = 9


def read_rocketfuel(text: str) -> RawGraph:
    """Read `FROM TO WEIGHT` lines; `+` is a blank, and each link has a line for each direction.

    The format does not contain the number of lines. A note reports a file that may be truncated.
    """
    raw = RawGraph(both_ways=True, surely_both_ways=True)
    seen: dict[str, None] = {}
    for number, line in _lines(text):
        parts = line.split()
        if len(parts) != 3:
            raise _bad_line(number, line, "a line has three fields: FROM TO WEIGHT")
        a, b, weight = parts
        seen.setdefault(a)
        seen.setdefault(b)
        raw.edges.append(RawEdge(a, b, weight, line=number))
        check_nodes(len(seen))
        check_links(len(raw.edges))
    raw.nodes = [RawNode(key, key.replace("+", " ")) for key in seen]
    if not text.endswith(("\n", "\r")):
        raw.notes.append("the last line has no line end; the file may be truncated")
    return raw


def read_brite(text: str) -> RawGraph:
    """Read BRITE: a section of nodes, then one of edges, with fields that blanks separate.

    The headers contain the numbers of nodes and edges. A file with other numbers is refused.
    """
    raw = RawGraph()
    section = ""
    said: list[tuple[str, str, int]] = []
    for number, line in _lines(text):
        if match := re.match(r"(Topology|Nodes|Edges|Model)\b", line):
            section = match[1]
            said += _counts(section, line)
            continue
        parts = line.split()
        if section == "Nodes":
            if len(parts) < _BRITE_NODE_FIELDS:
                raise _bad_line(number, line, f"a node has {_BRITE_NODE_FIELDS} fields")
            if not _are_numbers(parts[:5]):
                raise _bad_line(number, line, "a node's id, place and degrees are numbers")
            raw.nodes.append(RawNode(parts[0], f"node {parts[0]}"))
        elif section == "Edges":
            if len(parts) < _BRITE_EDGE_FIELDS:
                raise _bad_line(number, line, f"an edge has at least {_BRITE_EDGE_FIELDS} fields")
            if not _are_numbers(parts[:3]):
                raise _bad_line(number, line, "an edge's id and ends are numbers")
            raw.edges.append(RawEdge(parts[1], parts[2], line=number))
        check_nodes(len(raw.nodes))
        check_links(len(raw.edges))
    _check_counts(raw, said)
    return raw


def _counts(section: str, line: str) -> Iterator[tuple[str, str, int]]:
    """Yield the counts of a header: the header, what it counts, and the number."""
    if section == "Topology":
        for number, kind in re.findall(r"([0-9]{1,18})\s+(Nodes|Edges)\b", line):
            yield section, kind.lower(), int(number)
    elif section != "Model" and (match := re.search(r"\(\s*([0-9]{1,18})\s*\)", line)):
        yield section, section.lower(), int(match[1])


def _check_counts(raw: RawGraph, said: list[tuple[str, str, int]]) -> None:
    """Refuse a file whose counts differ from its headers; note a missing header."""
    for kind, there in (("nodes", len(raw.nodes)), ("edges", len(raw.edges))):
        counts = [(header, number) for header, of, number in said if of == kind]
        for header, number in counts:
            if number != there:
                rule = (
                    f"the header {header} announces {quantity(number, kind[:-1])}, but the file has {there}"
                )
                reason = "the file is truncated" if there < number else "correct the header or the section"
                raise Refused((kind,), "incomplete", f"{rule}; {reason}", there)
        if not counts:
            raw.notes.append(f"no header contains the number of {kind}; the file may be truncated")


def _are_numbers(fields: list[str]) -> bool:
    return all(re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", field) for field in fields)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _bad_line(number: int, line: str, rule: str) -> Refused:
    return Refused((), "line", f"line {number}: {shown(line)}: {rule}", line[:200])
