"""GML: keys with values and nested lists; only the nodes and edges of the graph are read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.entities import html5

from tercast.errors import Refused, shown
from tercast.topology.importers.limits import TOO_MANY, check_links, check_nodes
from tercast.topology.importers.raw_graph import WEIGHTS, RawEdge, RawGraph, RawNode, first_of

_MOST_TOKENS = 8_000_000
_DEEPEST = 100
_ENTITY = re.compile(
    r"&(?:#(?P<number>[0-9]{1,7})|#[xX](?P<hex>[0-9a-fA-F]{1,6})|(?P<name>[A-Za-z][0-9A-Za-z]*));"
)
_LARGEST_CHARACTER = 0x10FFFF
_SKIPPED = re.compile(r"(?:\s++|\#.*+)*+")
_TOKEN = re.compile(
    r'(?:(?P<text>"[^"]*")|(?P<word>[A-Za-z_][0-9A-Za-z_]*)|(?P<number>[+-]?[0-9.][0-9A-Za-z.+-]*|[+-][A-Za-z]+)'
    r"|(?P<open>\[)|(?P<close>\])|(?P<end>\Z))"
)

GmlToken = tuple[str, str, int]
"""Kind of the token, its text, and the offset of its end."""


def read_gml(text: str) -> RawGraph:
    """Read GML; an edge that is listed twice becomes two parallel links."""
    reader = _TokenReader(text)
    for token in _tokens(text):
        try:
            reader.take(token)
        except _SyntaxError as bad:
            line = text.count("\n", 0, token[2]) + 1
            raise Refused((), "gml", f"invalid GML: {bad}, in line {line}", None) from None
    if not reader.graphs:
        raise Refused((), "gml", "invalid GML: there is no graph [ ... ] in the file", None)
    if reader.graphs > 1:
        reader.raw.notes.append(f"the file has {reader.graphs} graphs; the first one is read")
    return reader.raw


class _SyntaxError(Exception):
    """Fault of a token, in words."""


@dataclass(slots=True)
class _TokenReader:
    """Reader that follows the brackets.

    `_open` contains the keys of the lists that are open. `_key` is a key that waits for its value.
    """

    text: str
    raw: RawGraph = field(default_factory=RawGraph)
    graphs: int = 0
    _open: list[str] = field(default_factory=list)
    _key: str | None = None
    _fields: dict[str, object] = field(default_factory=dict)
    _place: int = 0
    _line: int = 1

    def take(self, token: GmlToken) -> None:
        """Process the next token; raise `_SyntaxError` if it is wrong."""
        kind, text, place = token
        if kind == "end":
            if self._open or self._key is not None:
                raise _SyntaxError("the file ends before its last list is closed")
        elif self._key is None:
            self._take_key(kind, text, place)
        else:
            key, self._key = self._key, None
            self._take_value(key, kind, text)

    def _take_key(self, kind: str, text: str, place: int) -> None:
        if kind == "word":
            self._key = text
        elif kind == "close" and self._open:
            self._close(self._open.pop(), place)
        else:
            raise _SyntaxError(f"found {shown(text)}, expected a key or the end of a list")

    def _take_value(self, key: str, kind: str, text: str) -> None:
        if kind == "close":
            raise _SyntaxError(f"{key[:80]} has no value")
        if kind == "open":
            self._open.append(key)
            if len(self._open) > _DEEPEST:
                raise _SyntaxError(f"lists are nested deeper than {_DEEPEST} levels")
            self.graphs += self._open == ["graph"]
            if self._in_part():
                self._fields = {}
        elif self._in_part():
            self._fields.setdefault(key.lower(), _value(kind, text))
        elif self._open == ["graph"] and self.graphs == 1 and key == "directed":
            self.raw.both_ways = text == "1"

    def _in_part(self) -> bool:
        """Whether the innermost list is a node or an edge of the graph."""
        return self.graphs == 1 and len(self._open) == 2 and self._open[0] == "graph"

    def _close(self, key: str, place: int) -> None:
        if self._open != ["graph"] or self.graphs != 1:
            return
        if key == "node":
            self.raw.nodes.append(RawNode.from_fields(self._end("node", "id"), self._fields))
            check_nodes(len(self.raw.nodes))
        elif key == "edge":
            a, b = self._end("edge", "source"), self._end("edge", "target")
            weight = first_of(self._fields, WEIGHTS)
            self.raw.edges.append(RawEdge(a, b, weight, line=self._line_at(place)))
            check_links(len(self.raw.edges))

    def _line_at(self, place: int) -> int:
        """Return the line of an offset; offsets must not decrease from call to call."""
        self._line += self.text.count("\n", self._place, place)
        self._place = place
        return self._line

    def _end(self, part: str, name: str) -> str | int:
        value = self._fields.get(name)
        if isinstance(value, str | int):
            return value
        raise _SyntaxError(f"the {part} that ends here has no {name}")


def _tokens(text: str) -> Iterator[GmlToken]:
    place, number, kind = 0, 0, ""
    while kind != "end":
        skipped = _SKIPPED.match(text, place)
        place = skipped.end() if skipped else place
        match = _TOKEN.match(text, place)
        if match is None:
            line = text.count("\n", 0, place) + 1
            words = (
                f"line {line} has {shown(text[place : place + 40].strip())}, which is not a key or a value"
            )
            raise Refused((), "gml", f"invalid GML: {words}", None)
        kind, place, number = match.lastgroup or "", match.end(), number + 1
        if number > _MOST_TOKENS:
            raise Refused(
                (), TOO_MANY, f"the file has more than {_MOST_TOKENS} keys and values; split it", None
            )
        yield kind, match[kind], place


def starts_as_gml(text: str) -> bool:
    """Whether the text consists of keys with values up to a list `graph`, with any line breaks."""
    depth, key = 0, ""
    try:
        for kind, word, _ in _tokens(text):
            if depth == 0 and not key:
                if kind != "word":
                    return False
                key = word
                continue
            if kind == "open" and depth == 0 and key == "graph":
                return True
            depth += (kind == "open") - (kind == "close")
            if depth == 0:
                key = ""
    except Refused:
        pass
    return False


def _value(kind: str, text: str) -> str | int:
    if kind == "text":
        return _ENTITY.sub(_character, text[1:-1])
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,20}", text) else text


def _character(entity: re.Match[str]) -> str:
    """Return the character of `&name;` or `&#number;`, or the text itself if it names none."""
    if entity["name"]:
        return html5.get(f"{entity['name']};", entity[0])
    number = int(entity["number"]) if entity["number"] else int(entity["hex"], 16)
    return chr(number) if 0 < number <= _LARGEST_CHARACTER else entity[0]
