"""JSON: node-link files (networkx, D3, topohub), and lists of Mininet hosts, switches and links."""

import json
from typing import Any

from tercast.errors import Refused
from tercast.importers.graph import RawEdge, RawGraph, RawNode


def read_json(text: str) -> RawGraph:
    """Read node-link JSON (`nodes` with `links` or `edges`), or `switches`, `hosts` and `links`."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused((), "json_syntax", f"not JSON: {' '.join(str(error).split())[:200]}", None) from None
    if not isinstance(document, dict):
        raise Refused((), "type", "a topology is a JSON object with nodes and links", None)
    if "switches" in document:
        return _mininet(document)
    return _node_link(document)


def _node_link(document: dict[str, Any]) -> RawGraph:
    edges = "links" if "links" in document else "edges"
    raw = RawGraph(both_ways=document.get("directed") is True)
    for path, node in _objects(document, "nodes"):
        key = _key(node.get("id", node.get("name")), path)
        label = node.get("label", node.get("name", key))
        raw.nodes.append(
            RawNode(
                key,
                "" if label is None else str(label),
                node.get("lat", node.get("latitude")),
                node.get("lon", node.get("longitude")),
                node.get("dpid"),
                node.get("hyperedge") in (1, True, "1"),
            )
        )
    for path, edge in _objects(document, edges):
        weight = next((edge[name] for name in ("weight", "cost", "metric") if name in edge), None)
        a, b = (_key(edge.get(name), (*path, name)) for name in ("source", "target"))
        raw.edges.append(RawEdge(a, b, weight))
    return raw


def _mininet(document: dict[str, Any]) -> RawGraph:
    raw = RawGraph()
    for kind in ("switches", "hosts"):
        if kind not in document:
            continue
        for path, node in _objects(document, kind):
            key = _key(node.get("name", node.get("id")), path)
            raw.nodes.append(
                RawNode(
                    key,
                    str(node.get("label", node.get("name", key))),
                    node.get("lat"),
                    node.get("lon"),
                    node.get("dpid"),
                    is_host=kind == "hosts",
                )
            )
    for path, edge in _objects(document, "links"):
        a, b = (_key(edge.get(name), (*path, name)) for name in ("a", "b"))
        weight = next((edge[name] for name in ("weight", "cost", "metric") if name in edge), None)
        raw.edges.append(RawEdge(a, b, weight, edge.get("a_port"), edge.get("b_port")))
    return raw


def _objects(document: dict[str, Any], name: str) -> list[tuple[tuple[str | int, ...], dict[str, Any]]]:
    rows = document.get(name)
    if not isinstance(rows, list):
        raise Refused((name,), "type", f"a topology has a list of {name}", None)
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise Refused((name, index), "type", f"{str(row)[:80]!r}: an object is expected", None)
    return [((name, index), row) for index, row in enumerate(rows)]


def _key(value: object, path: tuple[str | int, ...]) -> str | int:
    if isinstance(value, str | int) and not isinstance(value, bool):
        return value
    raise Refused(path, "type", f"{str(value)[:80]!r}: a node is named by a text or a whole number", None)
