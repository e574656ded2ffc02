"""Parser of the filter language; errors report their position in the text."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import TYPE_CHECKING

from tercast.errors import Refused, shown
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
from tercast.filters.tokens import BLANKS, NAME, NUMBER, OP, TOKEN, FilterTokens

if TYPE_CHECKING:
    from tercast.eventspace.topic import Topic

MAX_TEXT = 65_536
"""Maximum length of a filter text, in characters."""

MAX_NESTING = 64
"""Maximum nesting depth of parentheses."""

_ESCAPE = re.compile(r'\\(["\\])')
_NUMBER_TEST = re.compile(
    rf"[{BLANKS}]*+({NAME})[{BLANKS}]*+(?:({OP})[{BLANKS}]*+({NUMBER})"
    rf"|[iI][nN][{BLANKS}]*+\[[{BLANKS}]*+({NUMBER})[{BLANKS}]*+,[{BLANKS}]*+({NUMBER})[{BLANKS}]*+([\])]))"
    rf"[{BLANKS}]*+(?:([aA][nN][dD])(?![A-Za-z0-9_-]))?"
)
"""A test of a number in one match: name, operator and number, or a range; then "and"."""

_NUMBER_LIST = re.compile(rf"[{BLANKS}]*+({NUMBER}(?:[{BLANKS}]*+,[{BLANKS}]*+{NUMBER})*)[{BLANKS}]*+\)")
_WITHOUT_BLANKS = str.maketrans("", "", BLANKS)


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


def factor_at(text: str, topic: Topic, at: int) -> tuple[Tree, str, int]:
    """Parse one factor of a conjunction, and the word after it.

    Returns:
        The factor, "and", "or" or "" (the end), and the position after this word.

    Raises:
        Refused: There is an error at or after the factor.
    """
    parser = _Parser(text, topic)
    parser.at = at
    return parser.factor(), *parser.joint()


def joint_at(text: str, topic: Topic, at: int) -> tuple[str, int]:
    """Parse the word after a factor, as `factor_at`."""
    parser = _Parser(text, topic)
    parser.at = at
    return parser.joint()


class _Parser(FilterTokens):
    """Recursive descent parser."""

    def __init__(self, text: str, topic: Topic) -> None:
        super().__init__(text)
        self.topic = topic
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
        token = TOKEN.match(self.text, self.at)
        if token is not None and (name := token["name"]) is not None and name.lower() not in KEYWORDS:
            self.at = token.end()
            return self.test_of(name, token.start("name"))  # the most common factors
        negated = False
        while self.accept("not"):
            negated = not negated
        tree = self.parenthesis() if self.accept("(") else self.test()
        if negated:
            return tree.inner if isinstance(tree, Not) else Not(tree)
        return tree

    def joint(self) -> tuple[str, int]:
        """Consume the word after a factor; return it and the position after it."""
        _, word, start = self.take()
        word = word.lower()
        if word not in ("and", "or", ""):
            raise self.unexpected(word, start, '"and", "or" or the end of the filter')
        return word, self.at

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
        return self.test_of(name, start)

    def test_of(self, name: str, start: int) -> Test:
        """The test whose attribute has been consumed."""
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
            numbers = self.numbers(attribute)
            if numbers is not None:
                return OneOf(position, numbers)
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

    def numbers(self, attribute: Attribute) -> tuple[Number, ...] | None:
        """Consume a list of numbers and its parenthesis; None if `value` must read, or refuse, it."""
        read = READERS.get(attribute.kind)
        found = None if read is None else _NUMBER_LIST.match(self.text, self.at)
        if read is None or found is None:
            return None
        try:
            values = tuple(map(read, found[1].translate(_WITHOUT_BLANKS).split(",")))
        except NumberRefused:
            return None
        self.at = found.end()
        return values

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
            value = _ESCAPE.sub(r"\1", word[1:-1]) if "\\" in word else word[1:-1]
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
