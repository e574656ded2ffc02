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
from typing import Any, NamedTuple

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.section import Place
from tercast.eventspace.string_attribute import POINT_BYTES, String
from tercast.runtime.strict_json import expect_integer, expect_list, expect_text, integer_json, parse_integer

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


Node = CutNode | Leaf


@dataclass(frozen=True, slots=True)
class CutTree:
    """The cuts of a topic, depth first; a tree without cuts has no nodes."""

    nodes: tuple[Node, ...] = ()
    positions: tuple[int, ...] = field(init=False, compare=False, repr=False)
    """The attributes that have cuts, in order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "positions", tuple(sorted({node.attribute for node in self.cuts()})))

    def __bool__(self) -> bool:
        return bool(self.nodes)

    def cuts(self) -> Iterator[CutNode]:
        """The nodes that are cuts."""
        return (node for node in self.nodes if isinstance(node, CutNode))

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
        items = expect_list(value, path)
        if len(items) > 2 * MAX_CUTS + 1:
            detail = f"the list has {len(items)} nodes; at most {MAX_CUTS} cuts are allowed"
            raise Refused(path, "bad_count", detail)
        return cls(_Reader(items, attributes, path).read()) if items else NO_CUTS

    def to_json(self, attributes: Sequence[Attribute]) -> list[object]:
        """Write the list that `from_json` reads as this tree."""
        return [
            [attributes[node.attribute].name, _value_json(node.value)]
            if isinstance(node, CutNode)
            else node.weight
            for node in self.nodes
        ]


NO_CUTS = CutTree()


def whole_region(attributes: Sequence[Attribute]) -> Region:
    """The places of all values of each attribute."""
    return tuple((row.place(row.domain[0]), row.place(row.domain[1])) for row in attributes)


class _Reader:
    """Reads a depth-first list of nodes, without recursion."""

    def __init__(self, items: Sequence[object], attributes: Sequence[Attribute], path: Path) -> None:
        self.items, self.attributes, self.path = items, attributes, path
        self.known = {attribute.name: position for position, attribute in enumerate(attributes)}

    def read(self) -> tuple[Node, ...]:
        nodes: list[Any] = []
        waiting: list[tuple[Region, int]] = [(whole_region(self.attributes), -1)]
        while waiting:
            region, parent = waiting.pop()
            number = len(nodes)
            if number == len(self.items):
                detail = f"the list ends after {number} nodes, but the tree needs {len(waiting) + 1} more"
                raise Refused(self.path, "bad_count", detail)
            if parent >= 0:  # the left half is the next node; the right half follows after all of the left
                nodes[parent] = nodes[parent]._replace(right=number)
            item, path = self.items[number], (*self.path, number)
            if isinstance(item, int):
                nodes.append(Leaf(expect_integer(item, path, 0, MAX_WEIGHT)))
                continue
            attribute, value, place = self.cut(item, path)
            low, high = region[attribute]
            if not low < place < high:
                detail = f"no event is on both sides of the cut at {shown(value)}, because of earlier cuts"
                raise Refused(path, "useless_cut", f"{detail} or the domain; remove the cut", item)
            nodes.append(CutNode(attribute, value, place, number + 1, -1))
            waiting.append((_with(region, attribute, (place, high)), number))
            waiting.append((_with(region, attribute, (low, place)), -1))
        if len(nodes) < len(self.items):
            detail = f"the tree ends with node {len(nodes)} of {len(self.items)}; remove the other nodes"
            raise Refused((*self.path, len(nodes)), "bad_count", detail)
        return tuple(nodes)

    def cut(self, item: object, path: Path) -> tuple[int, Any, Place]:
        pair = expect_list(item, path)
        if len(pair) != 2:
            detail = (
                f"{shown(item)} is not a node; a cut is a list of an attribute and a value, a leaf a weight"
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
            detail = f"{shown(value)} has more than {POINT_BYTES} UTF-8 bytes; use the first ones"
            raise Refused((*path, 1), "bad_cut", detail, value)
        return position, value, attribute.place(attribute.before(value))


def _with(region: Region, attribute: int, side: tuple[Place, Place]) -> Region:
    return (*region[:attribute], side, *region[attribute + 1 :])


def _value_json(value: Any) -> object:
    return integer_json(value) if type(value) is int else value
