"""Cut trees: the first decisions of a dz, each at a chosen value of a chosen attribute.

A node of a cut tree is a cut or a leaf. A cut `(attribute, value)` sends events whose value is less than its
value to the left (bit 0), and other events to the right (bit 1). Below a leaf, halving continues with the
values that reach the leaf. Without cuts, the whole event space is halved.

The JSON form is the list of nodes, depth first, left before right: `["close", 100]` is a cut, and the number
of events that reached a leaf in the past is a leaf. These numbers are relative weights. They guide the choice
of cells where a filter needs too many, and have no other effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.section import Place
from tercast.eventspace.string_attribute import POINT_BYTES, String
from tercast.runtime.strict_json import (
    caught,
    expect_integer,
    expect_list,
    expect_text,
    parse_integer,
    value_json,
)

MAX_CUTS = 4_096
"""Maximum number of cuts of a topic."""

MAX_WEIGHT = (1 << 31) - 1

Region = tuple[tuple[Place, Place], ...]
"""The places of each attribute of a topic, from the first to before the second."""


class CutNode(NamedTuple):
    """A cut: the attribute's position, the value, its place, and the numbers of the nodes below."""

    attribute: int
    value: Any
    place: Place
    left: int
    right: int


class Leaf(NamedTuple):
    """A leaf, and its weight."""

    weight: int


CutOrLeaf = CutNode | Leaf


@dataclass(frozen=True, slots=True)
class CutTree:
    """The cuts of a topic, depth first; a tree without cuts has no nodes."""

    nodes: tuple[CutOrLeaf, ...] = ()
    positions: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """The attributes that have cuts, in order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", tuple(sorted({node.attribute for node in self.cuts()})))

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def cuts(self) -> Iterator[CutNode]:
        """The nodes that are cuts."""
        return (node for node in self.nodes if isinstance(node, CutNode))

    def coded_positions(self, indexed: Sequence[int]) -> tuple[int, ...]:
        """The positions of the attributes that determine a dz: indexed, or with cuts."""
        return tuple(sorted({*indexed, *self.positions}))

    @property
    def count(self) -> int:
        """The number of cuts."""
        return len(self.nodes) // 2

    @classmethod
    def from_json(cls, value: object, attributes: Sequence[Attribute], path: Path = ()) -> CutTree:
        """Read the list of nodes of a cut tree.

        Raises:
            Refused: A node is malformed, its value is not in the attribute's domain, a cut does not divide
                the events that reach it, or the list does not end with the last leaf.
        """
        nodes, errors = _read(value, attributes, path)
        for error in errors:
            raise error
        return cls(nodes) if nodes else NO_CUTS

    def to_json(self, attributes: Sequence[Attribute]) -> list[object]:
        """Write the list that `from_json` reads as this tree."""
        return [
            [attributes[node.attribute].name, value_json(node.value)]
            if isinstance(node, CutNode)
            else node.weight
            for node in self.nodes
        ]


NO_CUTS = CutTree()


def cut_errors(value: object, attributes: Sequence[Attribute], path: Path = ()) -> list[Refused]:
    """Return all errors in the list of nodes of a cut tree; empty if the list is valid."""
    return _read(value, attributes, path)[1]


def _read(
    value: object, attributes: Sequence[Attribute], path: Path
) -> tuple[tuple[CutOrLeaf, ...], list[Refused]]:
    """Return the nodes of a list, and all errors in it."""
    errors: list[Refused] = []
    items = caught(errors, lambda: expect_list(value, path)) or ()
    if len(items) > 2 * MAX_CUTS + 1:
        detail = f"the list has {len(items)} nodes; at most {MAX_CUTS} cuts are allowed"
        return (), [Refused(path, "bad_count", detail)]
    reader = _NodeReader(items, attributes, path, errors)
    return reader.read() if items else (), errors


def whole_region(attributes: Sequence[Attribute]) -> Region:
    """The places of all values of each attribute."""
    return tuple(attribute.places for attribute in attributes)


class _NodeReader:
    """Reads a depth-first list of nodes, without recursion, and collects the errors.

    A list with an error counts as a cut that divides nothing, so that the nodes after it can be checked.
    """

    def __init__(
        self, items: Sequence[object], attributes: Sequence[Attribute], path: Path, errors: list[Refused]
    ) -> None:
        self.items, self.attributes, self.path, self.errors = items, attributes, path, errors
        self.known = {attribute.name: position for position, attribute in enumerate(attributes)}

    def read(self) -> tuple[CutOrLeaf, ...]:
        nodes: list[Any] = []
        waiting: list[tuple[Region, int]] = [(whole_region(self.attributes), -1)]
        while waiting:
            region, parent = waiting.pop()
            number = len(nodes)
            if number == len(self.items):
                detail = f"the list ends after {number} nodes, but the tree needs {len(waiting) + 1} more"
                self.errors.append(Refused(self.path, "bad_count", detail))
                break
            if parent >= 0:  # the left half is the next node; the right half follows after all of the left
                nodes[parent] = nodes[parent]._replace(right=number)
            item, path = self.items[number], (*self.path, number)
            if not isinstance(item, list | tuple):
                nodes.append(self.leaf(item, path))
                continue
            cut = caught(self.errors, partial(self.cut, item, path, region))
            if cut is None:
                nodes.append(CutNode(0, None, 0, number + 1, -1))
                waiting += ((region, number), (region, -1))
                continue
            attribute, value, place = cut
            low, high = region[attribute]
            nodes.append(CutNode(attribute, value, place, number + 1, -1))
            waiting.append((_with(region, attribute, (place, high)), number))
            waiting.append((_with(region, attribute, (low, place)), -1))
        else:
            self.check_end(len(nodes))
        return tuple(nodes)

    def leaf(self, item: object, path: Path) -> Leaf:
        weight = caught(self.errors, lambda: expect_integer(item, path, 0, MAX_WEIGHT))
        return Leaf(weight or 0)

    def check_end(self, number: int) -> None:
        if number < len(self.items):
            detail = f"the tree ends with node {number} of {len(self.items)}; remove the other nodes"
            self.errors.append(Refused((*self.path, number), "bad_count", detail))

    def cut(self, item: object, path: Path, region: Region) -> tuple[int, Any, Place]:
        """Read a cut that divides a region."""
        attribute, value, place = self.cut_value(item, path)
        low, high = region[attribute]
        if not low < place < high:
            detail = f"one side of the cut at {shown(value)} can contain no event, because of earlier cuts"
            rule = f"{detail} or of the allowed values of the attribute; remove the cut"
            raise Refused(path, "useless_cut", rule, item)
        return attribute, value, place

    def cut_value(self, item: object, path: Path) -> tuple[int, Any, Place]:
        pair = expect_list(item, path)
        if len(pair) != 2:
            detail = (
                f"{shown(item)} is not a node of the cut tree; write a cut as [ATTRIBUTE, VALUE], or a leaf "
                "as its weight, an integer"
            )
            raise Refused(path, "bad_count", detail, item)
        name = expect_text(pair[0], (*path, 0))
        position = self.known.get(name)
        if position is None:
            detail = f"{shown(name)} is not an attribute of the topic; use one of {', '.join(self.known)}"
            raise Refused((*path, 0), "unknown_attribute", detail, name)
        attribute = self.attributes[position]
        given = pair[1]
        if attribute.kind == "int":
            given = parse_integer(given, (*path, 1)) if isinstance(given, str) else given
        value = attribute.check(given, (*path, 1))
        if isinstance(attribute, String) and len(value.encode()) > POINT_BYTES:
            rule = f"more than {POINT_BYTES} UTF-8 bytes; shorten it to its first {POINT_BYTES} bytes"
            detail = f"{shown(value)} has {rule}"
            raise Refused((*path, 1), "bad_cut", detail, value)
        return position, value, attribute.place(attribute.before(value))


def _with(region: Region, attribute: int, side: tuple[Place, Place]) -> Region:
    return (*region[:attribute], side, *region[attribute + 1 :])
