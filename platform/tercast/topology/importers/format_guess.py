"""The format of a file as its content shows it, and a check of that guess on the graph.

A guess from the form alone may be wrong. For example, `A,B 1 0` has the three fields of Rocketfuel, but its
first field contains both ends of a link. Therefore the graph is checked against the rules of the format.
"""

import re

from tercast.errors import Refused, shown
from tercast.topology.importers.gml import starts_as_gml
from tercast.topology.importers.raw_graph import RawGraph, shown_key
from tercast.topology.importers.sndlib import has_element, root_name

FORMATS = ("graphml", "gml", "sndlib", "json", "rocketfuel", "brite", "tercast")

FORMS = {
    "graphml": "XML with the root <graphml>",
    "gml": "keys with values, and a list graph [ ... ]",
    "sndlib": "XML with the root <network> and a <networkStructure>",
    "json": "a JSON object",
    "rocketfuel": "lines FROM TO WEIGHT",
    "brite": "sections Topology, Nodes and Edges",
    "tercast": "a scenario, or switches with id and dpid",
}
"""For each format, the content that shows it, in words."""

_HEAD = 65536
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_LONGEST_INDEX = 18
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_POSITIVE = re.compile(r"\+?(?=[0-9.]*[1-9])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_OTHERS = (
    (r"(?:strict\s+)?(?:di)?graph\b[^\[\]{}]*\{", "DOT of Graphviz"),
    (r"\*(?:vertices|network)\b", "Pajek"),
    (r"(?:c\b.*\n)*p\s+\w+\s+\d+\s+\d+", "DIMACS"),
)
"""Patterns and names of formats that are not supported."""


def guess_format(data: bytes) -> str:
    """Return the format that the content shows.

    Returns:
        One of `FORMATS`; `json` for Tercast's own format too.

    Raises:
        Refused: the content shows no format.
    """
    text = file_text(data[:_HEAD], partial=True).lstrip()
    if text.startswith("<") or data.startswith((b"<\0", b"\0<")):
        return _guess_xml(data)
    if text.startswith(("{", "[")):
        return "json"
    if text.startswith("Topology:"):
        _check_brite(text)
        return "brite"
    _refuse_others(text)
    if re.search(r"^[ \t]*graph\s*\[", text, re.MULTILINE) or starts_as_gml(text):
        return "gml"
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    if re.fullmatch(r"\S+\s+\S+\s+[0-9.eE+-]+\s*", first):
        return "rocketfuel"
    raise Refused((), "format", f"the file has an unknown format; use one of {', '.join(FORMATS)}", None)


def check_guess(form: str, raw: RawGraph) -> None:
    """Refuse a graph that no file of the guessed format has.

    Only the lines of Rocketfuel say too little for a certain guess.
    """
    reason = _doubt_lines(raw) if form == "rocketfuel" else None
    if reason:
        detail = (
            f"the lines have three fields like Rocketfuel's FROM TO WEIGHT, but {reason}; convert the file "
            "to a supported format, or name the format if it is rocketfuel"
        )
        raise Refused(("format",), "format", detail, form)


def file_text(data: bytes, *, partial: bool = False) -> str:
    """Decode the text of a file: UTF-8, or UTF-16 if the file starts with a byte order mark."""
    encoding = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8-sig"
    try:
        return data.decode(encoding, errors="ignore" if partial else "strict")
    except UnicodeDecodeError as error:
        raise Refused(
            (), "encoding", f"byte {error.start} is not UTF-8; save the file as UTF-8", None
        ) from None


def _guess_xml(data: bytes) -> str:
    root = root_name(data)
    if root == "graphml":
        return "graphml"
    if root == "network" and has_element(data, "networkStructure"):
        return "sndlib"
    what = "<network> without <networkStructure>" if root == "network" else shown(root)
    detail = (
        f"the root element is {what}; supported are <graphml>, and <network> with <networkStructure> (SNDlib)"
    )
    raise Refused((), "format", detail, None)


def _check_brite(text: str) -> None:
    """Refuse a text that begins like BRITE and has neither its counts nor its sections."""
    header = text.partition("\n")[0]
    if not re.search(r"[0-9]+\s+Nodes\b", header) and not re.search(r"^(?:Nodes|Edges):", text, re.M):
        detail = (
            f"{shown(header.strip())} begins like BRITE, but has no counts of nodes and edges, and there is "
            f"no section Nodes: or Edges:; the supported formats are {', '.join(FORMATS)}"
        )
        raise Refused((), "format", detail, None)


def _refuse_others(text: str) -> None:
    content = re.sub(r"\A(?:\s+|//[^\n]*|/\*.*?\*/|#[^\n]*)+", "", text, flags=re.DOTALL)
    for pattern, name in _OTHERS:
        if re.match(pattern, content, re.IGNORECASE):
            detail = f"the content looks like {name}, which is not supported; convert it to GraphML or GML"
            raise Refused((), "format", detail, None)


def _doubt_lines(raw: RawGraph) -> str | None:
    """Find content that no file of Rocketfuel has.

    Returns:
        A reason in words; None if the lines can be Rocketfuel's.
    """
    for edge in raw.edges:
        if not _POSITIVE.fullmatch(str(edge.weight)):
            return f"the weight {shown(edge.weight)} in line {edge.line} is not a positive number"
        for end in (edge.a, edge.b):
            if re.search(r",(?!\+)", str(end)):
                return (
                    f"{shown_key(end)} in line {edge.line} has a comma without a + after it (in Rocketfuel, "
                    "+ is a blank)"
                )
    if raw.edges and all(edge.a == edge.b for edge in raw.edges):
        return "no line joins two different nodes"
    numbers = [[_NUMBER.fullmatch(str(end)) is not None for end in (edge.a, edge.b)] for edge in raw.edges]
    if all(b and not a for a, b in numbers):
        return (
            "the second column has only numbers and the first column has none, so they do not name the same "
            "nodes"
        )
    if _is_numbered(raw):
        return "the first column only counts the lines, so it does not contain names of nodes"
    return _doubt_numbers(raw) if all(a and b for a, b in numbers) else None


def _doubt_numbers(raw: RawGraph) -> str | None:
    """Find out whether numbers are not names of nodes.

    Numbers can be measured values, or the two columns can contain different things.

    Returns:
        A reason in words; None if the numbers can be names.
    """
    for edge in raw.edges:
        for end in (edge.a, edge.b):
            if not str(end).isdecimal():
                return (
                    f"{shown_key(end)} in line {edge.line} is not a whole number, so it is a measured value "
                    "and not the name of a node"
                )
    if len(raw.edges) > 1 and {str(edge.a) for edge in raw.edges}.isdisjoint(
        str(edge.b) for edge in raw.edges
    ):
        return "the first and second columns have no number in common, so they do not name the same nodes"
    return None


def _is_numbered(raw: RawGraph) -> bool:
    """Whether the first column counts the lines and the second names no ends of links."""
    firsts = [str(edge.a) for edge in raw.edges]
    if len(firsts) < 2 or not firsts[0].isdecimal() or len(firsts[0]) > _LONGEST_INDEX:
        return False
    start = int(firsts[0])
    if firsts != [str(number) for number in range(start, start + len(firsts))]:
        return False
    others = {str(edge.b) for edge in raw.edges}
    return others.isdisjoint(firsts) or any(edge.a == edge.b for edge in raw.edges)
