"""A slow and simple reference for dz sets: it checks points in every cell of full length."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from tercast.eventspace.float_attribute import double_at_least
from tercast.eventspace.topic import Attribute, Float, String, Topic
from tercast.filters.syntax_tree import And, Begins, Between, Compare, Not, OneOf, Or, Tree

Extent = tuple[Any, Any, bool]  # low, high, whether high itself is in it
LAST_POINT = (1 << 128) - 1


class _Range:
    """One attribute of a cell that is halved, directly from the definition."""

    def __init__(self, attribute: Attribute) -> None:
        self.real = isinstance(attribute, Float)
        self.splits = 32 if self.real else 1000
        if isinstance(attribute, Float):
            self.low, self.high, self.closed = Fraction(attribute.min), Fraction(attribute.max), True
        else:
            self.low, self.high, self.closed = 0, attribute.size - 1, True

    def copy(self) -> _Range:
        twin = object.__new__(_Range)
        twin.__dict__.update(self.__dict__)
        return twin

    def cut(self, at: Any) -> tuple[_Range, _Range]:
        """The values below a value, and the others: each is a domain of its own."""
        left, right = self.copy(), self.copy()
        left.high = Fraction(math.nextafter(float(at), -math.inf)) if self.real else at - 1
        right.low = at
        for side in (left, right):
            side.splits = 0 if side.low == side.high else side.splits
        return left, right

    def can_split(self) -> bool:
        return self.splits > 0 if self.real else self.low < self.high

    def halves(self) -> tuple[_Range, _Range]:
        left, right = self.copy(), self.copy()
        left.splits = right.splits = self.splits - 1
        if self.real:
            left.high = right.low = (self.low + self.high) / 2
            left.closed = False
        else:
            middle = self.low + (self.high - self.low + 1) // 2
            left.high, right.low = middle - 1, middle
        return left, right


def leaves(topic: Topic, depth: int) -> Iterator[tuple[str, dict[int, _Range]]]:
    """Yield every cell of full length: its dz as text and the extent of each indexed or cut attribute."""
    turns = [topic.attributes.index(topic.attribute(name)) for name in topic.indexed]
    for dz, sides in _cut_leaves(topic, depth):
        yield from _descend(dz, sides, turns, 0, depth)


def _cut_leaves(topic: Topic, depth: int) -> Iterator[tuple[str, dict[int, _Range]]]:
    """Yield the dz and extents of the leaves of the cut tree, read from its JSON form."""
    names = [attribute.name for attribute in topic.attributes]
    nodes: list[Any] = list(topic.to_json().get("cuts", [0]))  # type: ignore[call-overload]
    whole = {i: _Range(attribute) for i, attribute in enumerate(topic.attributes)}

    def below(dz: str, sides: dict[int, _Range]) -> Iterator[tuple[str, dict[int, _Range]]]:
        node = nodes.pop(0)
        if isinstance(node, int):
            yield dz, sides
            return
        i = names.index(node[0])
        left, right = sides[i].cut(cut_point(topic.attributes[i], node[1]))
        yield from below(dz + "0", {**sides, i: left})
        yield from below(dz + "1", {**sides, i: right})

    used = {*topic.indexed, *(node[0] for node in nodes if not isinstance(node, int))}
    short: dict[str, dict[int, _Range]] = {}
    for dz, sides in below("", whole):
        kept = {i: side for i, side in sides.items() if names[i] in used}
        if len(dz) <= depth:
            yield dz, kept
            continue
        # Leaves beyond the limit are one cell: the smallest box around them is not exact, so list each.
        short[dz] = kept
    for dz, sides in short.items():
        yield dz[:depth], sides


def cut_point(attribute: Attribute, value: Any) -> Any:
    """The point of a cut's value: an index, or an exact real."""
    match attribute.kind:
        case "float":
            return Fraction(value)
        case "string":
            return _point(value)
        case "enum":
            return attribute.to_json()["values"].index(value)  # type: ignore[attr-defined]
        case "int":
            return int(value) - attribute.domain[0]
    return int(value)


def _descend(
    dz: str, sides: dict[int, _Range], turns: list[int], turn: int, depth: int
) -> Iterator[tuple[str, dict[int, _Range]]]:
    for skipped in range(len(turns)):
        which = (turn + skipped) % len(turns)
        if len(dz) < depth and sides[turns[which]].can_split():
            left, right = sides[turns[which]].halves()
            yield from _descend(dz + "0", {**sides, turns[which]: left}, turns, which + 1, depth)
            yield from _descend(dz + "1", {**sides, turns[which]: right}, turns, which + 1, depth)
            return
    yield dz, sides


def descend(topic: Topic, points: dict[int, Any], depth: int) -> str:
    """Return the dz of a point: each bit is the half that contains it."""
    for dz, sides in _cut_leaves(topic, 10**6):  # noqa: B007
        if all(side.low <= points[i] <= side.high for i, side in sides.items()):
            break
    turns, turn, dz = list(topic.indexed_positions), 0, dz[:depth]
    while len(dz) < depth:
        open_turns = [
            t % len(turns) for t in range(turn, turn + len(turns)) if sides[turns[t % len(turns)]].can_split()
        ]
        if not open_turns:
            break
        i = turns[open_turns[0]]
        left, right = sides[i].halves()
        upper = points[i] >= right.low
        sides[i] = right if upper else left
        dz += "1" if upper else "0"
        turn = open_turns[0] + 1
    return dz


def dz_set(tree: Tree, topic: Topic, depth: int) -> list[str]:
    """Return the canonical set of all full-length cells that contain a point of the filter."""
    interesting = {i: _interesting(tree, i, attribute) for i, attribute in enumerate(topic.attributes)}
    wanted = {dz for dz, sides in leaves(topic, depth) if _meets(tree, topic, sides, interesting)}
    return canonical_texts(wanted)


def canonical_texts(cells: set[str]) -> list[str]:
    """Join siblings and drop covered cells, in text order: on strings, by brute force."""
    cells = {dz for dz in cells if not any(dz[:n] in cells for n in range(len(dz)))}
    while pairs := {dz[:-1] for dz in cells if dz.endswith("0") and dz[:-1] + "1" in cells}:
        cells = {dz for dz in cells if dz[:-1] not in pairs or not dz} | pairs
    return sorted(cells)


def _meets(tree: Tree, topic: Topic, sides: dict[int, _Range], interesting: dict[int, list[Any]]) -> bool:
    choices = []
    for i, attribute in enumerate(topic.attributes):
        side = sides.get(i) or _Range(attribute)
        inside = [
            p for p in interesting[i] if side.low <= p and (p < side.high or (side.closed and p == side.high))
        ]
        borders = [side.low, *inside, side.high]
        if side.real:
            if topic.cuts:
                choices.append(_doubles(borders, side))
                continue
            between = [(a + b) / 2 for a, b in itertools.pairwise(borders) if a < b]
            choices.append([side.low, *inside, *between, *([side.high] if side.closed else [])])
        else:
            choices.append(sorted({side.low, side.high, *inside}))
    return any(holds(tree, point, topic) for point in itertools.product(*choices))


def _doubles(borders: list[Any], side: _Range) -> list[Any]:
    """The largest doubles at or below all kinds of points of a side.

    With cuts, tests of floats compare doubles: a real belongs to the largest double at or below it.
    """
    after = [Fraction(math.nextafter(double_at_least(border), math.inf)) for border in borders]
    every = sorted({*borders, *after, *(Fraction(double_at_least(border)) for border in borders)})
    points = [*every, *((a + b) / 2 for a, b in itertools.pairwise(every))]
    return [
        _double_below(p)
        for p in points
        if side.low <= p and (p < side.high or (side.closed and p == side.high))
    ]


def _double_below(point: Fraction) -> Fraction:
    double = double_at_least(point)
    return Fraction(double if double == point else math.nextafter(double, -math.inf))


def _interesting(tree: Tree, i: int, attribute: Attribute) -> list[Any]:
    """Return points (indexes, or exact reals) near which tests of the attribute change."""
    if attribute.size <= 64:
        return list(range(attribute.size))
    out: set[Any] = set()
    for value in _literals(tree, i):
        if isinstance(attribute, Float):
            out.add(Fraction(value))
        else:
            points = _point(value), _point(value, 0xFF)
            out |= {p + step for p in points for step in (-1, 0, 1)}
    return sorted(out)


def _literals(tree: Tree, i: int) -> Iterator[Any]:
    match tree:
        case Not(inner):
            yield from _literals(inner, i)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _literals(part, i)
        case Between(a, low, high, _) if a == i:
            yield from (low, high)
        case OneOf(a, values) if a == i:
            yield from values
        case Compare(a, _, value) | Begins(a, value) if a == i:
            yield value


def holds(tree: Tree, point: tuple[Any, ...], topic: Topic, negated: bool = False) -> bool:
    """Whether a point (indexes, exact reals) matches the filter; strings are tested on points."""
    match tree:
        case Not(inner):
            return holds(inner, point, topic, not negated)
        case And(parts):
            return (any if negated else all)(holds(part, point, topic, negated) for part in parts)
        case Or(parts):
            return (all if negated else any)(holds(part, point, topic, negated) for part in parts)
    attribute = topic.attributes[tree.attribute]
    if isinstance(attribute, String):
        return _string_holds(tree, point[tree.attribute], negated)
    value: Any = point[tree.attribute]
    match attribute.kind:
        case "int":
            value += attribute.domain[0]
            literal: Callable[[Any], Any] = lambda v: v  # noqa: E731
        case "enum":
            literal = list(attribute.to_json()["values"]).index  # type: ignore[call-overload]
        case _:
            literal = lambda v: v  # noqa: E731
    return _plain(tree, value, literal) != negated


def _plain(tree: Tree, value: Any, literal: Callable[[Any], Any]) -> bool:
    match tree:
        case Between(_, low, high, closed):
            return low <= value <= high if closed else low <= value < high
        case OneOf(_, values):
            return any(value == literal(v) for v in values)
        case Compare(_, op, v):
            return eval(f"a {'==' if op == '=' else op} b", {"a": value, "b": literal(v)})
    raise AssertionError(tree)


_DUAL = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _string_holds(tree: Tree, p: int, negated: bool) -> bool:
    match tree:
        case OneOf(_, values):
            each = [_string_compare("!=" if negated else "=", v, p) for v in values]
            return all(each) if negated else any(each)
        case Begins(_, v):
            inside = _point(v) <= p <= _point(v, 0xFF)
            return (not inside or len(v.encode()) > 16) if negated else inside
        case Compare(_, op, v):
            return _string_compare(_DUAL[op] if negated else op, v, p)
    raise AssertionError(tree)


def _string_compare(op: str, value: str, p: int) -> bool:
    own = _point(value)
    shared = len(value.encode()) >= 16
    match op:
        case "=":
            return p == own
        case "!=":
            return p != own or shared
        case "<":
            return p < own or (shared and p == own)
        case ">":
            return p > own or (shared and p == own)
        case "<=":
            return p <= own
    return p >= own


def _point(value: str, pad: int = 0) -> int:
    return int.from_bytes(value.encode()[:16].ljust(16, bytes([pad])), "big")
