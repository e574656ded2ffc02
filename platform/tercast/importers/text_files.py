"""Formats of lines: GML, Rocketfuel's weights and latencies, BRITE."""

import re
from urllib.parse import unquote_plus

import networkx as nx

from tercast.errors import Refused
from tercast.importers.graph import RawEdge, RawGraph, RawNode
from tercast.importers.xml_files import from_networkx

_BRITE_NODE_FIELDS = 7
_BRITE_EDGE_FIELDS = 9


def read_gml(text: str) -> RawGraph:
    """Read GML; an edge that stands there twice is two parallel links."""
    if not re.search(r"\bmultigraph\s+1\b", text):
        text = re.sub(r"\bgraph\s*\[", "graph [\n  multigraph 1\n", text, count=1)
    try:
        return from_networkx(nx.parse_gml(text, label="id"))
    except (nx.NetworkXError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        words = " ".join(str(error).split())[:200]
        raise Refused((), "gml", f"not GML that can be read: {words}", None) from None


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
    return raw


def _lines(text: str) -> list[tuple[int, str]]:
    rows = ((number, line.strip()) for number, line in enumerate(text.splitlines(), start=1))
    return [(number, line) for number, line in rows if line and not line.startswith("#")]


def _bad_line(number: int, line: str, rule: str) -> Refused:
    return Refused((f"line {number}",), "line", f"{line[:80]!r}: {rule}", line[:200])
