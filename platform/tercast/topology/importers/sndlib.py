"""Safe reading of XML, and the XML files of SNDlib."""

import xml.etree.ElementTree as ET
from dataclasses import dataclass, field
from typing import Any, NoReturn
from xml.parsers import expat

from tercast.errors import Refused, shown
from tercast.topology.importers.limits import TOO_MANY, check_links, check_nodes
from tercast.topology.importers.raw_graph import RawEdge, RawGraph, RawNode, words_of

_DEEPEST = 100
_COUNTED = ("node", "edge", "link")
_MOST_ELEMENTS = 3_000_000


@dataclass(slots=True)
class _Scan:
    """Checks of a document before any of it is built, for every encoding."""

    root: str = ""
    depth: int = 0
    elements: int = 0
    nodes: int = 0
    links: int = 0
    parser: expat.XMLParserType | None = None
    lines: list[int] = field(default_factory=list)

    def start(self, name: str, _attributes: Any) -> None:
        self.depth += 1
        self.elements += 1
        if self.depth == 1:
            self.root = _local(name)
        elif self.depth > _DEEPEST:
            raise Refused((), "xml_depth", f"elements are nested deeper than {_DEEPEST} levels", None)
        if self.elements > _MOST_ELEMENTS:
            raise Refused((), TOO_MANY, f"the file has more than {_MOST_ELEMENTS} elements; split it", None)
        match _local(name):
            case "node":
                self.nodes += 1
                check_nodes(self.nodes)
                self._keep_line()
            case "edge" | "link":
                self.links += 1
                check_links(self.links)
                self._keep_line()

    def end(self, _name: str) -> None:
        self.depth -= 1

    def _keep_line(self) -> None:
        if self.parser is not None:
            self.lines.append(self.parser.CurrentLineNumber)

    def declared(self, *_arguments: Any) -> NoReturn:
        rule = "document type and entity declarations are not allowed; remove them"
        raise Refused((), "xml_doctype", rule, None)


def root_name(data: bytes) -> str:
    """Return the local name of the root element.

    Raises:
        Refused: the document is too deep or too long, declares a document type, or is not well-formed.
    """
    return _scanned(data).root


def _scanned(data: bytes) -> _Scan:
    scan = _Scan()
    try:
        parser = scan.parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = scan.start, scan.end
        parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = scan.declared
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise _malformed(error) from None
    finally:
        scan.parser = None
    return scan


def has_element(data: bytes, name: str) -> bool:
    """Whether a document that `root_name` accepts has an element of this local name."""
    return bool(elements(parse_xml(data), name))


def parse_xml(data: bytes) -> ET.Element:
    """Parse an XML document; documents that `root_name` refuses are refused."""
    root_name(data)
    return _built(data)


def _built(data: bytes) -> ET.Element:
    try:
        return ET.fromstring(data)  # noqa: S314 - document types and entities are refused above
    except (ET.ParseError, ValueError, LookupError) as error:
        raise _malformed(error) from None


def parse_with_lines(data: bytes) -> tuple[ET.Element, dict[ET.Element, int]]:
    """Return the root of an XML document, and the first lines of its nodes, edges and links."""
    lines = _scanned(data).lines
    root = _built(data)
    found = [element for element in root.iter() if local_name(element) in _COUNTED]
    return root, dict(zip(found, lines, strict=False))


def read_sndlib(data: bytes) -> RawGraph:
    """Read SNDlib XML; coordinates are used if the file calls them geographical."""
    root, lines = parse_with_lines(data)
    nodes = _only(root, "nodes")
    geographical = nodes.get("coordinatesType") == "geographical"
    raw = RawGraph(edges_name="links")
    for node in elements(nodes, "node"):
        key = node.get("id")
        if not key:
            raise Refused(
                (),
                "sndlib",
                f"the <node> in line {lines.get(node)} has no id; SNDlib names its nodes with an id",
                None,
            )
        longitude, latitude = (_text(node, "x"), _text(node, "y")) if geographical else (None, None)
        raw.nodes.append(RawNode(key, key.replace("_", " "), latitude, longitude))
    for link in elements(_only(root, "links"), "link"):
        line = lines.get(link)
        raw.edges.append(RawEdge(_end(link, "source", line), _end(link, "target", line), line=line))
    return raw


def local_name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def elements(root: ET.Element, name: str) -> list[ET.Element]:
    """Find the elements of this name below `root`, at any depth, in document order."""
    return [element for element in root.iter() if local_name(element) == name]


def _malformed(error: Exception) -> Refused:
    return Refused((), "xml_syntax", f"not well-formed XML: {words_of(error)}", None)


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _only(root: ET.Element, name: str) -> ET.Element:
    found = elements(root, name)
    if not found:
        raise Refused((), "sndlib", f"no <{name}> element; SNDlib files have one in <networkStructure>", None)
    return found[0]


def _end(link: ET.Element, name: str, line: int | None) -> str:
    found = _text(link, name)
    if not found:
        rule = f"has no <{name}>; SNDlib names both ends of a link with <source> and <target>"
        raise Refused((), "sndlib", f"link {shown(link.get('id'))} in line {line} {rule}", None)
    return found


def _text(root: ET.Element, name: str) -> str | None:
    found = elements(root, name)
    return found[0].text.strip() if found and found[0].text else None
