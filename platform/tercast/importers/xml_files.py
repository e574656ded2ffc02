"""GraphML (Topology Zoo and others) and SNDlib's XML."""

import html
import io
import xml.etree.ElementTree as ET
from typing import Any

import networkx as nx

from tercast.errors import Refused
from tercast.importers.graph import RawEdge, RawGraph, RawNode

_WEIGHTS = ("weight", "cost", "metric")


def parse_xml(data: bytes) -> ET.Element:
    """The root of an XML document; refused when it is not well-formed or brings a document type."""
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise Refused((), "xml_doctype", "a document type or entity declaration is not read; remove it", None)
    try:
        return ET.fromstring(data)  # noqa: S314 - declarations of entities are refused above
    except (ET.ParseError, ValueError, LookupError) as error:
        raise Refused((), "xml_syntax", f"not well-formed XML: {error}", None) from None


def read_graphml(data: bytes) -> RawGraph:
    """Read GraphML; parallel edges stay, whatever the file says of itself."""
    parse_xml(data)
    try:
        graph = nx.read_graphml(io.BytesIO(data), force_multigraph=True)
    except (nx.NetworkXError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise Refused((), "graphml", f"not GraphML that can be read: {_words(error)}", None) from None
    return from_networkx(graph)


def from_networkx(graph: Any) -> RawGraph:
    """The nodes and edges of a networkx graph, with the attributes that people use."""
    raw = RawGraph(both_ways=graph.is_directed())
    for key, data in graph.nodes(data=True):
        fields = {name.lower(): value for name, value in data.items() if isinstance(name, str)}
        hyperedge = str(fields.get("hyperedge", 0)).lower() in ("1", "true")
        label = html.unescape(str(fields.get("label", fields.get("name", key))))
        raw.nodes.append(
            RawNode(
                key=key,
                label="" if hyperedge and label == "None" else label,
                latitude=_first(fields, ("latitude", "lat")),
                longitude=_first(fields, ("longitude", "lon", "lng")),
                dpid=fields.get("dpid"),
                hyperedge=hyperedge,
            )
        )
    for a, b, data in graph.edges(data=True):
        raw.edges.append(RawEdge(a, b, _first(data, _WEIGHTS)))
    return raw


def read_sndlib(data: bytes) -> RawGraph:
    """Read SNDlib XML; coordinates count when the file calls them geographical."""
    root = parse_xml(data)
    nodes = _only(root, "nodes")
    geographical = nodes.get("coordinatesType") == "geographical"
    raw = RawGraph()
    for node in _all(nodes, "node"):
        key = node.get("id", "")
        longitude, latitude = (_text(node, "x"), _text(node, "y")) if geographical else (None, None)
        raw.nodes.append(RawNode(key, key.replace("_", " "), latitude, longitude))
    for link in _all(_only(root, "links"), "link"):
        raw.edges.append(RawEdge(_text(link, "source") or "", _text(link, "target") or ""))
    return raw


def local_name(element: ET.Element) -> str:
    """An element's name without its name space."""
    return element.tag.rpartition("}")[2]


def _all(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if local_name(element) == name]


def _only(root: ET.Element, name: str) -> ET.Element:
    found = _all(root, name)
    if not found:
        raise Refused((), "sndlib", f"no <{name}> element; SNDlib files have one in <networkStructure>", None)
    return found[0]


def _text(root: ET.Element, name: str) -> str | None:
    found = _all(root, name)
    return found[0].text.strip() if found and found[0].text else None


def _first(fields: Any, names: tuple[str, ...]) -> object:
    return next((fields[name] for name in names if name in fields), None)


def _words(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
