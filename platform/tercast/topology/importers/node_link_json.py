"""JSON: node-link files of networkx, D3 and topohub, and lists of Mininet."""

import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, NoReturn

from tercast.errors import Path, Refused, shown
from tercast.runtime.json_parser import parse_strict
from tercast.topology.importers.limits import TOO_MANY, check_links, check_nodes
from tercast.topology.importers.raw_graph import (
    WEIGHTS,
    RawEdge,
    RawGraph,
    RawNode,
    first_of,
    str_of,
    text_of,
    words_of,
)

_MOST_CONTAINERS = 2_000_000


def parse_json(text: str) -> dict[str, Any]:
    """Parse a JSON object; NaN and infinities are accepted here and reported by the repair."""
    if text.count("{") + text.count("[") > _MOST_CONTAINERS:
        raise Refused((), TOO_MANY, f"more than {_MOST_CONTAINERS} objects and lists; split the file", None)
    try:
        document = parse_strict(text, repeated_keys=_refuse_repeated)
    except (ValueError, RecursionError) as error:
        raise Refused((), "json_syntax", f"not JSON: {words_of(error)}", None) from None
    if not isinstance(document, dict):
        raise Refused((), "type", "the file is not a JSON object; write one with nodes and links", None)
    return document


def _refuse_repeated(members: list[tuple[str, Any]], repeated: list[int]) -> NoReturn:
    """Refuse an object with a key that occurs twice."""
    key, value = members[repeated[0]]
    values = f"{shown(dict(members[: repeated[0]])[key])} and {shown(value)}"
    detail = f"the key {shown(key)} occurs twice in one object, with {values}; keep one"
    raise Refused((), "duplicate_key", detail, value)


def read_json(document: dict[str, Any]) -> RawGraph:
    """Read node-link JSON (`nodes` with `links` or `edges`), or `switches`, `hosts` and `links`."""
    return _mininet(document) if "switches" in document else _node_link(document)


def _node_link(document: dict[str, Any]) -> RawGraph:
    nodes = _objects(document, "nodes", check_nodes)
    edges_name = "links" if "links" in document else "edges"
    links = _objects(document, edges_name, check_links)
    raw = RawGraph(both_ways=_directed(document), edges_name=edges_name)
    for path, node in nodes:
        named = node.get("id", node.get("name"))
        key = _key(named, path)
        raw.nodes.append(
            RawNode(
                key,
                _label(node, named, key),
                node.get("lat", node.get("latitude")),
                node.get("lon", node.get("longitude")),
                node.get("dpid"),
                node.get("hyperedge") in (1, True, "1"),
            )
        )
    for path, link in links:
        a, b = (_key(link.get(name), (*path, name)) for name in ("source", "target"))
        raw.edges.append(RawEdge(a, b, first_of(link, WEIGHTS)))
    if not any("id" in node for _, node in nodes):
        _resolve_places(raw)
    return raw


def _directed(document: dict[str, Any]) -> bool | None:
    """Read whether the file calls its links directed; None if it does not say."""
    directed = document.get("directed")
    return directed if isinstance(directed, bool) else None


def _resolve_places(raw: RawGraph) -> None:
    """Replace indexes by keys: in old files of D3 and networkx, links refer to nodes by index."""
    ends = [end for edge in raw.edges for end in (edge.a, edge.b)]
    if not all(isinstance(end, int) and 0 <= end < len(raw.nodes) for end in ends):
        return
    if any(isinstance(node.key, int) for node in raw.nodes):
        return
    keys = [node.key for node in raw.nodes]
    raw.edges = [replace(edge, a=keys[edge.a], b=keys[edge.b]) for edge in raw.edges]  # type: ignore[call-overload]


def _mininet(document: dict[str, Any]) -> RawGraph:
    kinds = [kind for kind in ("switches", "hosts") if kind in document]
    rows = {kind: _objects(document, kind, check_nodes) for kind in kinds}
    check_nodes(sum(map(len, rows.values())))
    links = _objects(document, "links", check_links)
    raw = RawGraph(both_ways=_directed(document), edges_name="links")
    for kind, found in rows.items():
        for path, node in found:
            named = node.get("name", node.get("id"))
            key = _key(named, path)
            raw.nodes.append(
                RawNode(
                    key,
                    _label(node, named, key),
                    node.get("lat"),
                    node.get("lon"),
                    node.get("dpid"),
                    is_host=kind == "hosts",
                    ip=_without_length(node.get("ip")),
                    mac=node.get("mac"),
                )
            )
    for path, link in links:
        a, b = (_key(link.get(name), (*path, name)) for name in ("a", "b"))
        raw.edges.append(RawEdge(a, b, first_of(link, WEIGHTS), link.get("a_port"), link.get("b_port")))
    return raw


def _without_length(ip: object) -> object:
    """Remove the prefix length, because Mininet writes `10.0.0.1/8`."""
    return ip.partition("/")[0] if isinstance(ip, str) else ip


def _objects(
    document: dict[str, Any], name: str, check: Callable[[int, Path], None]
) -> list[tuple[Path, dict[str, Any]]]:
    rows = document.get(name)
    if not isinstance(rows, list):
        lists = "a JSON topology has the lists nodes and links, or switches and links"
        raise Refused((name,), "type", f'the file has no list "{name}"; {lists}', None)
    check(len(rows), (name,))
    for index, row in enumerate(rows):
        if not isinstance(row, dict):
            raise Refused((name, index), "type", f"found {shown(row)}, expected an object", None)
    return [((name, index), row) for index, row in enumerate(rows)]


def _label(node: dict[str, Any], named: object, key: Hashable) -> str:
    label = node.get("label", node.get("name", named))
    return text_of(key) if label is named else str_of(label)


def _key(value: object, path: Path) -> Hashable:
    """Read a node's key: a text, a number, or a list of these (networkx writes tuples as lists)."""
    match value:
        case bool():
            pass
        case str() | int():
            return value
        case float() if math.isfinite(value):
            return value
        case list():
            return tuple(_key(part, path) for part in value)
    raise Refused(
        path,
        "type",
        f"found {shown(value)}, expected the name of a node: a text, a number, or a list of these",
        None,
    )
