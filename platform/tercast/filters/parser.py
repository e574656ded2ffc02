"""Parser of the filter language; errors report their position in the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from tercast.errors import Refused, SyntaxRefused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.attribute_reader import KEYWORDS
from tercast.eventspace.counted_attributes import Enum
from tercast.eventspace.string_attribute import String
from tercast.filters.number_literals import READERS, Number, NumberRefused, read_exact
from tercast.filters.syntax_tree import (
    EVERYTHING,
    And,
    Begins,
    Between,
    Compare,
    Literal,
    Not,
    OneOf,
    Or,
    Test,
    Tree,
)

if TYPE_CHECKING:
    from tercast.eventspace.topic import Topic

MAX_TEXT = 65_536
"""Maximum length of a filter text, in characters."""

MAX_NESTING = 64
"""Maximum nesting depth of parentheses."""

BLANKS = " \t\r\n"
NAME = r"[A-Za-z_][A-Za-z0-9_-]*+"
_NUMBER = r"-?[0-9]++(?:(?![.eE])|(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?!\.|[eE][+-]?[0-9]))"
"""A whole number; a word may follow. Python before 3.11.5 (Debian 12) gets possessive groups wrong.

The first alternative, digits only, is the common one and saves time.
"""

_OP = r"[=!<>]=|[=<>]"

_TOKEN = re.compile(
    rf'[{BLANKS}]*+(?:(?P<name>{NAME})|(?P<number>{_NUMBER})|(?P<string>"(?:[^"\\]++|\\["\\])*")'
    rf"|(?P<op>{_OP})|(?P<mark>[][(),])|(?P<end>\Z))"
)
_ESCAPE = re.compile(r'\\(["\\])')
_NUMBER_TEST = re.compile(
    rf"[{BLANKS}]*+({NAME})[{BLANKS}]*+(?:({_OP})[{BLANKS}]*+({_NUMBER})"
    rf"|[iI][nN][{BLANKS}]*+\[[{BLANKS}]*+({_NUMBER})[{BLANKS}]*+,[{BLANKS}]*+({_NUMBER})[{BLANKS}]*+([\])]))"
    rf"[{BLANKS}]*+(?:([aA][nN][dD])(?![A-Za-z0-9_-]))?"
)
"""A test of a number in one match: name, operator and number, or a range; then "and"."""


def parse_filter(text: object, topic: Topic) -> Tree:
    """Parse `text` to a syntax tree over the attributes of `topic`."""
    if not isinstance(text, str):
        raise Refused((), "wrong_type", f"{shown(text)} is not a filter text", text)
    if len(text) > MAX_TEXT:
        detail = f"the filter has {len(text)} characters; at most {MAX_TEXT} are allowed"
        raise Refused((), "too_long", detail, text)
    if text.strip(BLANKS).lower() in ("", "true"):
        return EVERYTHING
    return _Parser(text, topic).whole()


class _Parser:
    """Recursive descent parser; `at` is the position of the next token."""

    def __init__(self, text: str, topic: Topic) -> None:
        self.text = text
        self.topic = topic
        self.at = 0
        self.nesting = 0

    def whole(self) -> Tree:
        tree = self.expression()
        if self.at == len(self.text):
            return tree
        kind, word, start = self.take()
        if kind != "end":
            raise self.unexpected(word, start, '"and", "or" or the end of the filter')
        return tree

    def expression(self) -> Tree:
        first = self.conjunction()
        if self.at == len(self.text) or not self.accept("or"):
            return first
        parts = [first, self.conjunction()]
        while self.accept("or"):
            parts.append(self.conjunction())
        return _flat(Or, parts)

    def conjunction(self) -> Tree:
        parts: list[Tree] = []
        if not self.number_tests(parts):  # the most common filters end here
            return parts[0] if len(parts) == 1 else And(tuple(parts))
        while True:
            parts.append(self.factor())
            if not self.accept("and") or not self.number_tests(parts):
                return _flat(And, parts)

    def number_tests(self, parts: list[Tree]) -> bool:
        """Consume tests of numbers that are joined by "and"; return whether another factor follows."""
        positions, attributes = self.topic.positions, self.topic.attributes
        while match := _NUMBER_TEST.match(self.text, self.at):
            name, op, value, low, high, bracket, joined = match.groups()
            position = positions.get(name)
            read = None if position is None else READERS.get(attributes[position].kind)
            if position is None or read is None:
                return True
            try:
                if op:
                    parts.append(Compare(position, "=" if op == "==" else op, read(value)))
                else:
                    parts.append(Between(position, read(low), read(high), bracket == "]"))
            except NumberRefused:  # `factor` reports it with its position
                return True
            self.at = match.end()
            if not joined:
                return False
        return True

    def factor(self) -> Tree:
        negated = False
        while self.accept("not"):
            negated = not negated
        tree = self.parenthesis() if self.accept("(") else self.test()
        if negated:
            return tree.inner if isinstance(tree, Not) else Not(tree)
        return tree

    def parenthesis(self) -> Tree:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            raise self.error("too_deep", self.at, f"parentheses are nested deeper than {MAX_NESTING} levels")
        tree = self.expression()
        self.expect(")", '"and", "or" or ")"')
        self.nesting -= 1
        return tree

    def test(self) -> Test:
        kind, name, start = self.take()
        if kind != "name" or name.lower() in KEYWORDS:
            raise self.unexpected(name, start, "an attribute")
        position = self.topic.positions.get(name)
        if position is None:
            try:
                self.topic.attribute(name)
            except Refused as refused:
                raise self.error(refused.code, start, refused.detail) from None
            raise AssertionError(name)
        attribute = self.topic.attributes[position]
        kind, op, at = self.take()
        if kind == "op":
            return Compare(position, "=" if op == "==" else op, self.value(attribute))
        if kind == "name" and op.lower() == "in":
            return self.membership(position, attribute)
        if kind == "name" and op.lower() == "prefix":
            return self.beginning(position, attribute, at)
        hint = f" (test a bool with {name} = true)" if attribute.kind == "bool" else ""
        raise self.unexpected(op, at, f'a comparison, "in" or "prefix" after {name}{hint}')

    def membership(self, position: int, attribute: Attribute) -> Test:
        kind, mark, at = self.take()
        if mark == "(" and kind == "mark":
            values = [self.value(attribute)]
            while self.accept(","):
                values.append(self.value(attribute))
            self.expect(")", '"," or ")"')
            return OneOf(position, tuple(values))
        if mark != "[" or kind != "mark":
            raise self.unexpected(mark, at, '"[" or "("')
        if attribute.kind not in READERS:
            detail = f"{attribute.name} is of type {attribute.kind}; a range needs type int or float"
            raise self.error("wrong_type", at, detail)
        low = self.bound(attribute)
        self.expect(",", '","')
        high = self.bound(attribute)
        kind, mark, at = self.take()
        if mark not in ("]", ")") or kind != "mark":
            raise self.unexpected(mark, at, '"]" or ")"')
        return Between(position, low, high, mark == "]")

    def beginning(self, position: int, attribute: Attribute, at: int) -> Test:
        if not isinstance(attribute, String):
            detail = f"{attribute.name} is of type {attribute.kind}; prefix needs type string"
            raise self.error("wrong_type", at, detail)
        value = self.value(attribute)
        assert isinstance(value, str)
        return Begins(position, value)

    def bound(self, attribute: Attribute) -> Number:
        value = self.value(attribute)
        assert isinstance(value, int | float | Decimal)
        return value

    def value(self, attribute: Attribute) -> Literal:
        kind, word, start = self.take()
        value: Literal
        if kind == "number":
            value = self.number(READERS.get(attribute.kind, read_exact), word, start)
        elif kind == "string":
            value = _ESCAPE.sub(r"\1", word[1:-1])
        elif kind == "name" and word.lower() in ("true", "false"):
            value = word.lower() == "true"
        else:
            raise self.unexpected(word, start, "a number, a text in double quotes, true or false")
        problem = attribute.literal_problem(value)
        if problem:
            unknown = isinstance(attribute, Enum) and isinstance(value, str)
            detail = f"{attribute.name} (type {attribute.kind}) {problem}"
            raise self.error("unknown_value" if unknown else "wrong_type", start, detail)
        return value

    def number(self, read: Callable[[str], Number], word: str, start: int) -> Number:
        """The number that a reader returns for a text; refused with its position."""
        try:
            return read(word)
        except NumberRefused as refused:
            raise self.error(refused.code, start, refused.detail) from None

    def take(self) -> tuple[str, str, int]:
        """Consume the next token; return its kind, its text and its position."""
        token = _TOKEN.match(self.text, self.at)
        if token is None:
            raise self.no_token()
        kind = token.lastgroup
        assert kind is not None
        self.at = token.end()
        return kind, token[kind], token.start(kind)

    def accept(self, word: str) -> bool:
        """Whether the next token is this mark or keyword; if so, consume it."""
        token = _TOKEN.match(self.text, self.at)
        if token is None or token[token.lastgroup or 0].lower() != word:
            return False
        self.at = token.end()
        return True

    def expect(self, mark: str, expected: str) -> None:
        kind, word, start = self.take()
        if word != mark or kind != "mark":
            raise self.unexpected(word, start, expected)

    def no_token(self) -> SyntaxRefused:
        start = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip(BLANKS))
        rest = self.text[start:]
        if rest[0] == '"':
            return self.bad_string(start)
        if rest[0] in "-.+0123456789":
            word = re.match(r"[-+.A-Za-z0-9_]+", rest)
            number = shown(word[0] if word else rest[0])
            detail = f"{number} is not a number; write, for example, -12, 0.5 or 1.5e-3"
            return self.error("filter_syntax", start, detail)
        hint = "; write texts in double quotes" if rest[0] == "'" else ""
        return self.error("filter_syntax", start, f"unexpected character {shown(rest[0])}{hint}")

    def bad_string(self, start: int) -> SyntaxRefused:
        at = start + 1
        while at < len(self.text) and self.text[at] != '"':
            if self.text[at] == "\\":
                if self.text[at + 1 : at + 2] not in ("\\", '"'):
                    detail = 'unknown escape; a text may contain only the escapes \\" and \\\\'
                    return self.error("filter_syntax", at, detail)
                at += 1
            at += 1
        return self.error("filter_syntax", start, "this text has no closing double quote; add it")

    def unexpected(self, word: str, start: int, expected: str) -> SyntaxRefused:
        found = shown(word) if word else "end of the filter"
        return self.error("filter_syntax", start, f"unexpected {found}; expected {expected}", expected)

    def error(self, code: str, start: int, detail: str, expected: str | None = None) -> SyntaxRefused:
        token = _TOKEN.match(self.text, start)
        length = token.end() - start if token else min(1, len(self.text) - start)
        return SyntaxRefused(
            (), code, f"at character {start + 1}: {detail}", self.text, start, length, expected
        )


def _flat(kind: type[And] | type[Or], parts: list[Tree]) -> Tree:
    """Combine nested parts of the same kind in one node; return a single part unchanged."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Tree] = []
    for part in parts:
        if isinstance(part, kind):
            flat += part.parts
        else:
            flat.append(part)
    return kind(tuple(flat))
