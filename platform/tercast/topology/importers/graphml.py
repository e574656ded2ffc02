"""GraphML: Topology Zoo, networkx, yEd and others."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import NoReturn

from tercast.errors import Refused, shown
from tercast.topology.importers.raw_graph import WEIGHTS, RawEdge, RawGraph, RawNode, first_of
from tercast.topology.importers.sndlib import elements, local_name, parse_with_lines


@dataclass(frozen=True, slots=True)
class _GraphmlKey:
    """A declared attribute.

    Attributes:
        name: its name in lower case.
        of: the kind of element that has it (`node`, `edge`, `all`).
        whole: whether its values are integers.
        default: its default value, or None.
    """

    name: str
    of: str
    whole: bool
    default: object

    @classmethod
    def read(cls, element: ET.Element) -> "_GraphmlKey":
        name = element.get("attr.name") or element.get("yfiles.type") or element.get("id") or ""
        whole = element.get("attr.type") in ("int", "long")
        default = next((child.text for child in element if local_name(child) == "default"), None)
        return cls(name.lower(), element.get("for", "all"), whole, _typed(default, whole))


_Keys = dict[tuple[str | None, str], _GraphmlKey]


def read_graphml(data: bytes) -> RawGraph:
    """Read GraphML; parallel edges are kept, whatever ids and declarations the file has."""
    root, lines = parse_with_lines(data)
    graphs = [child for child in root if local_name(child) == "graph"]
    if not graphs:
        _refuse("there is no <graph> element")
    keys = _keys(root)
    graph = graphs[0]
    raw = RawGraph(both_ways=_directed(graph))
    if len(graphs) > 1:
        raw.notes.append(f"the file has {len(graphs)} graphs; the first one is read")
    if elements(graph, "hyperedge"):
        _refuse("it has <hyperedge> elements; replace each with a node that has an edge to each of its nodes")
    for node in elements(graph, "node"):
        key = _end(node, "id", lines)
        fields = _fields(node, keys, f"node {shown(key)}", raw.notes)
        raw.nodes.append(RawNode.from_fields(key, fields, is_group=_is_group(node)))
    for edge in elements(graph, "edge"):
        a, b = _end(edge, "source", lines), _end(edge, "target", lines)
        fields = _fields(edge, keys, f"the edge from {shown(a)} to {shown(b)}", raw.notes)
        raw.edges.append(RawEdge(a, b, first_of(fields, WEIGHTS), line=lines.get(edge)))
    return raw


def _directed(graph: ET.Element) -> bool:
    """Whether the edges have directions; refuse a file where only some have."""
    default = "true" if graph.get("edgedefault") == "directed" else "false"
    found = {edge.get("directed", default) for edge in elements(graph, "edge")} or {default}
    if len(found) > 1:
        _refuse("some edges have a direction and others have none; give all edges the same kind")
    return found == {"true"}


def _is_group(node: ET.Element) -> bool:
    """Whether the node frames others: by a folder type of yEd, or by a graph inside the node."""
    if node.get("yfiles.foldertype") in ("group", "folder"):
        return True
    return any(local_name(child) == "graph" for child in node)


def _keys(root: ET.Element) -> _Keys:
    """Read the declared attributes by id and owner: nodes and edges may use the same id."""
    keys: _Keys = {}
    for child in root:
        if local_name(child) == "key":
            key = _GraphmlKey.read(child)
            keys.setdefault((child.get("id"), key.of), key)
            keys.setdefault((child.get("id"), ""), key)
    return keys


def _fields(element: ET.Element, keys: _Keys, owner: str, notes: list[str]) -> dict[str, object]:
    """Read the attributes of a node or edge by name; a label of yEd is read from its drawing.

    If several attributes have one name, the first is used, and a line about `owner` is added to `notes`.
    """
    of = (local_name(element), "all", "")
    fields: dict[str, object] = {}
    for child in element:
        if local_name(child) != "data":
            continue
        named = child.get("key")
        found = (keys[named, part] for part in of if (named, part) in keys)
        key = next(found, None) or _GraphmlKey((named or "").lower(), "all", False, None)
        if not len(child):
            value = _typed(child.text or "", key.whole)
            if fields.setdefault(key.name, value) != value:
                first = shown(fields[key.name])
                notes.append(f"{owner} has {key.name} twice, {first} and {shown(value)}; the first is used")
        elif labels := elements(child, "NodeLabel"):
            fields["label"] = (labels[0].text or "").strip()
    defaults = {key.name: key.default for key in keys.values() if key.default is not None and key.of in of}
    return {**defaults, **fields}


def _typed(text: str | None, whole: bool) -> object:
    if whole and text is not None and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", text):
        return int(text)
    return text


def _end(element: ET.Element, attribute: str, lines: dict[ET.Element, int]) -> str:
    value = element.get(attribute)
    if value is None:
        shape = f"<{local_name(element)}> in line {lines.get(element)}"
        _refuse(
            f"the {shape} has no {attribute}; it has only {', '.join(map(shown, element.attrib)) or 'data'}"
        )
    return value


def _refuse(words: str) -> NoReturn:
    raise Refused((), "graphml", f"invalid GraphML: {words}", None)
