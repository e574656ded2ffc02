"""GraphML: Topology Zoo, networkx, yEd and others."""

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import NoReturn

from tercast.errors import Refused, shown
from tercast.importers.graph import WEIGHTS, RawEdge, RawGraph, RawNode, first_of
from tercast.importers.xml_files import elements, local_name, parse_xml


@dataclass(frozen=True, slots=True)
class _Key:
    """A declared attribute: its name in small letters, of what, whether it is a whole number, its default."""

    name: str
    of: str
    whole: bool
    default: object

    @classmethod
    def read(cls, element: ET.Element) -> "_Key":
        name = element.get("attr.name") or element.get("yfiles.type") or element.get("id") or ""
        whole = element.get("attr.type") in ("int", "long")
        default = next((child.text for child in element if local_name(child) == "default"), None)
        return cls(name.lower(), element.get("for", "all"), whole, _typed(default, whole))


def read_graphml(data: bytes) -> RawGraph:
    """Read GraphML; parallel edges stay, whatever ids they have and whatever the file says of itself."""
    root = parse_xml(data)
    graphs = [child for child in root if local_name(child) == "graph"]
    if not graphs:
        _refuse("there is no <graph> in it")
    keys = {child.get("id"): _Key.read(child) for child in root if local_name(child) == "key"}
    graph = graphs[0]
    raw = RawGraph(both_ways=_directed(graph))
    if len(graphs) > 1:
        raw.notes.append(f"the file has {len(graphs)} graphs; the first one is read")
    if elements(graph, "hyperedge"):
        _refuse("it has <hyperedge> elements; make each a node that is joined to the hyperedge's nodes")
    for node in elements(graph, "node"):
        fields = _fields(node, keys)
        raw.nodes.append(RawNode.from_fields(_end(node, "id"), fields, is_group=_is_group(node)))
    for edge in elements(graph, "edge"):
        weight = first_of(_fields(edge, keys), WEIGHTS)
        raw.edges.append(RawEdge(_end(edge, "source"), _end(edge, "target"), weight))
    return raw


def _directed(graph: ET.Element) -> bool:
    """Whether the edges have directions: all of them, or none."""
    default = "true" if graph.get("edgedefault") == "directed" else "false"
    found = {edge.get("directed", default) for edge in elements(graph, "edge")} or {default}
    if len(found) > 1:
        _refuse("some edges have a direction and others have none; make them alike")
    return found == {"true"}


def _is_group(node: ET.Element) -> bool:
    """Whether the node frames others: yEd says it by a folder type, any tool by a graph in the node."""
    if node.get("yfiles.foldertype") in ("group", "folder"):
        return True
    return any(local_name(child) == "graph" for child in node)


def _fields(element: ET.Element, keys: dict[str | None, _Key]) -> dict[str, object]:
    """The attributes of a node or edge by name; yEd's label is taken out of its drawing."""
    of = (local_name(element), "all")
    fields = {key.name: key.default for key in keys.values() if key.default is not None and key.of in of}
    for child in element:
        if local_name(child) != "data":
            continue
        key = keys.get(child.get("key")) or _Key((child.get("key") or "").lower(), "all", False, None)
        if not len(child):
            fields[key.name] = _typed(child.text or "", key.whole)
        elif labels := elements(child, "NodeLabel"):
            fields["label"] = (labels[0].text or "").strip()
    return fields


def _typed(text: str | None, whole: bool) -> object:
    if whole and text is not None and re.fullmatch(r"\s*[+-]?[0-9]{1,20}\s*", text):
        return int(text)
    return text


def _end(element: ET.Element, attribute: str) -> str:
    value = element.get(attribute)
    if value is None:
        _refuse(f"a <{local_name(element)}> has no {attribute}: {shown(dict(element.attrib).get('id'))}")
    return value


def _refuse(words: str) -> NoReturn:
    raise Refused((), "graphml", f"not GraphML that can be read: {words}", None)
