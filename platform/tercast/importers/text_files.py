"""Formats of lines: GML, Rocketfuel's weights and latencies, BRITE."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote_plus

import networkx as nx

from tercast.errors import Refused, shown
from tercast.importers.graph import WEIGHTS, RawEdge, RawGraph, RawNode, first_of, words_of
from tercast.importers.limits import check_links, check_nodes

_BRITE_NODE_FIELDS = 7
_BRITE_EDGE_FIELDS = 9


def read_gml(text: str) -> RawGraph:
    """Read GML; an edge that stands there twice is two parallel links."""
    check_nodes(sum(1 for _ in re.finditer(r"\bnode\s*\[", text)))
    check_links(sum(1 for _ in re.finditer(r"\bedge\s*\[", text)))
    if not re.search(r"\bmultigraph\s+1\b", text):
        text = re.sub(r"\bgraph\s*\[", "graph [\n  multigraph 1\n", text, count=1)
    try:
        graph = nx.parse_gml(text, label="id")
    except Exception as error:
        # networkx reads on until something in it breaks: what is raised depends on what is wrong
        raise Refused((), "gml", f"not GML that can be read: {words_of(error)}", None) from None
    return _from_networkx(graph)


def _from_networkx(graph: Any) -> RawGraph:
    raw = RawGraph(both_ways=graph.is_directed())
    for key, data in graph.nodes(data=True):
        raw.nodes.append(RawNode.from_fields(key, {str(name).lower(): data[name] for name in data}))
    for a, b, data in graph.edges(data=True):
        raw.edges.append(RawEdge(a, b, first_of(data, WEIGHTS)))
    return raw


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
