"""Formats of lines: Rocketfuel's weights and latencies, BRITE."""

import re
from collections.abc import Iterator
from urllib.parse import unquote_plus

from tercast.errors import Refused, shown
from tercast.importers.graph import RawEdge, RawGraph, RawNode
from tercast.importers.limits import check_links, check_nodes

_BRITE_NODE_FIELDS = 7
_BRITE_EDGE_FIELDS = 9


def read_rocketfuel(text: str) -> RawGraph:
    """Read `FROM TO WEIGHT` lines; `+` stands for a blank, and each link is there once a direction."""
    raw = RawGraph(both_ways=True)
    seen: dict[str, None] = {}
    for number, line in _lines(text):
        parts = line.split()
        if len(parts) != 3:
            raise _bad_line(number, line, "a line has three fields: FROM TO WEIGHT")
        a, b, weight = parts
        seen.setdefault(a)
        seen.setdefault(b)
        raw.edges.append(RawEdge(a, b, weight))
        check_nodes(len(seen))
        check_links(len(raw.edges))
    raw.nodes = [RawNode(key, unquote_plus(key)) for key in seen]
    return raw


def read_brite(text: str) -> RawGraph:
    """Read BRITE: a section of nodes, then one of edges, whose fields are separated by blanks."""
    raw = RawGraph()
    section = ""
    for number, line in _lines(text):
        if match := re.match(r"(Topology|Nodes|Edges|Model)\b", line):
            section = match[1]
            continue
        parts = line.split()
        if section == "Nodes":
            if len(parts) < _BRITE_NODE_FIELDS:
                raise _bad_line(number, line, f"a node has {_BRITE_NODE_FIELDS} fields")
            raw.nodes.append(RawNode(parts[0], f"node {parts[0]}"))
        elif section == "Edges":
            if len(parts) < _BRITE_EDGE_FIELDS:
                raise _bad_line(number, line, f"an edge has at least {_BRITE_EDGE_FIELDS} fields")
            raw.edges.append(RawEdge(parts[1], parts[2]))
        check_nodes(len(raw.nodes))
        check_links(len(raw.edges))
    return raw


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def _bad_line(number: int, line: str, rule: str) -> Refused:
    return Refused((f"line {number}",), "line", f"{shown(line)}: {rule}", line[:200])
