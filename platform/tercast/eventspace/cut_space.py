"""The event space of a topic with cuts, up to a depth: its branches, and the dz of events.

A *branch* is a node of the cut tree together with the dz that leads to it, and the places that reach it. A
branch at the depth limit is not divided further. Below a leaf, the attributes' sections are halved in turns,
as the domains of a topic without cuts are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tercast.errors import Refused
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cut_tree import CutNode, CutTree, Leaf, Region, whole_region
from tercast.eventspace.dz import WHOLE, Dz, joined
from tercast.eventspace.interleaving import BitSchedule
from tercast.eventspace.section import Place, Section

_TRACE = 1 << 20
"""The weight of the whole event space by volume, so that space without events has a weight as well."""

_PRECISION = 32
"""Additional bits of weights, so that the smallest cell of a leaf has one."""


class Branch:
    """A node of a cut tree.

    `dz` leads to it. `cut` is None for a leaf, and at the depth limit. `weight` is the measure of the branch:
    what its events and its volume weigh, as an integer.
    """

    __slots__ = ("cut", "dz", "leaf", "left", "region", "right", "share", "weight")

    left: Branch
    right: Branch

    def __init__(self, dz: Dz, region: Region, cut: CutNode | None) -> None:
        self.dz, self.region, self.cut = dz, region, cut
        self.leaf: LeafSpace | None = None
        self.weight = 0
        self.share = Fraction(0)


class LeafSpace:
    """The space of a leaf: the sections of the indexed attributes, which are halved.

    `unit` is the weight of one unit of volume of the schedule. `splits`: an attribute has several indexes.
    `complete`: the length limit cuts off no bits.
    """

    __slots__ = ("complete", "schedule", "sections", "splits", "unit", "volume")

    def __init__(self, sections: Sequence[Section], schedule: BitSchedule) -> None:
        self.sections, self.schedule = sections, schedule
        self.splits = schedule.width > 0
        self.complete = all(halving.bits == halving.full_bits for halving in schedule.halvings)
        self.volume = schedule.volume(schedule.width, [0] * len(schedule.halvings))
        self.unit = 0


class CutSpace:
    """The branches of a topic's cut tree up to `depth` bits."""

    def __init__(
        self, attributes: Sequence[Attribute], indexed: Sequence[int], tree: CutTree, depth: int
    ) -> None:
        self.attributes, self.indexed, self.depth = attributes, indexed, depth
        self.positions = tree.coded_positions(indexed)
        self.columns: Any = None  # set by `tercast.eventspace.cut_columns`; False if it cannot serve
        self.encoder: Any = None  # set by `tercast.encoding.dispatch`; False if no kernel encodes filters
        self.leaves: list[Branch] = []
        self._schedules: dict[tuple[int, ...], BitSchedule] = {}
        self.root = self._build_branches(tree)
        self._weigh()

    def branches(self) -> list[Branch]:
        """All branches, each before those below it."""
        found, waiting = [], [self.root]
        while waiting:
            branch = waiting.pop()
            found.append(branch)
            if branch.cut is not None:
                waiting += (branch.right, branch.left)
        return found

    def event_dz(self, values: Mapping[str, Any]) -> Dz:
        """The dz of an event; Refused for a value outside its domain."""
        places = {}
        for i in self.positions:
            attribute = self.attributes[i]
            if attribute.name not in values:
                detail = "the event has no value for this attribute"
                raise Refused((attribute.name,), "missing_attribute", detail)
            places[i] = attribute.place_of(values[attribute.name])
        return self.dz_at(places)

    def dz_at(self, places: Mapping[int, Place] | Sequence[Place]) -> Dz:
        """The dz of the event with these places, by the position of the attribute."""
        branch = self.root
        while (cut := branch.cut) is not None:
            branch = branch.left if places[cut.attribute] < cut.place else branch.right
        leaf = branch.leaf
        if leaf is None or not leaf.splits:
            return branch.dz
        indexes = [section.index(places[i]) for section, i in zip(leaf.sections, self.indexed, strict=True)]
        return joined(branch.dz, leaf.schedule.event_dz(indexes))

    def decisions(self, values: Mapping[str, Any]) -> Iterator[tuple[CutNode, bool]]:
        """Yield the cuts on the path of a checked event, and whether its value is less."""
        branch = self.root
        while (cut := branch.cut) is not None:
            attribute = self.attributes[cut.attribute]
            below = attribute.place_of(values[attribute.name]) < cut.place
            yield cut, below
            branch = branch.left if below else branch.right

    def branch_of(self, dz: Dz) -> tuple[Branch, Dz]:
        """The deepest branch whose dz covers `dz`, and the bits of `dz` after it, as a dz."""
        branch = self.root
        bits = dz.bit_length() - 1
        for place in range(bits - 1, -1, -1):
            if branch.cut is None:
                return branch, 1 << place + 1 | dz & (1 << place + 1) - 1
            branch = branch.right if dz >> place & 1 else branch.left
        return branch, WHOLE

    def _build_branches(self, tree: CutTree) -> Branch:
        root = Branch(WHOLE, whole_region(self.attributes), None)
        waiting = [(root, 0)]
        while waiting:
            branch, number = waiting.pop()
            node = tree.nodes[number]
            length = branch.dz.bit_length() - 1
            if isinstance(node, Leaf) or length == self.depth:
                self.leaves.append(branch)
                branch.weight = self._events(tree, number)
                branch.share = self._share(branch.region)
                if length < self.depth:
                    branch.leaf = self._leaf(branch.region, self.depth - length)
                continue
            a = node.attribute
            low, high = branch.region[a]
            before, after = branch.region[:a], branch.region[a + 1 :]
            branch.cut = node
            branch.left = Branch(branch.dz << 1, (*before, (low, node.place), *after), None)
            branch.right = Branch(branch.dz << 1 | 1, (*before, (node.place, high), *after), None)
            waiting.append((branch.right, node.right))
            waiting.append((branch.left, node.left))
        return root

    def _leaf(self, region: Region, depth: int) -> LeafSpace:
        sections = [self.attributes[i].section(*region[i]) for i in self.indexed]
        sizes = tuple(section.size for section in sections)
        schedule = self._schedules.get((depth, *sizes))
        if schedule is None:
            schedule = self._schedules[depth, *sizes] = BitSchedule(sizes, depth, tables=False)
        return LeafSpace(sections, schedule)

    @staticmethod
    def _events(tree: CutTree, number: int) -> int:
        """The weights of all leaves below a node."""
        total = 0
        waiting = [number]
        while waiting:
            node = tree.nodes[waiting.pop()]
            if isinstance(node, Leaf):
                total += node.weight
            else:
                waiting += (node.left, node.right)
        return total

    def _share(self, region: Region) -> Fraction:
        """The share of the event space, by the attributes that are indexed or cut."""
        share = Fraction(1)
        for i in self.positions:
            side, attribute = region[i], self.attributes[i]
            if side != attribute.places:
                section = attribute.section(*side)
                share *= attribute.share(section.interval(0, section.size - 1))
        return share

    def _weigh(self) -> None:
        """Turn the weights of leaves into measures: events, plus a trace for volume."""
        events = sum(leaf.weight for leaf in self.leaves) or 1
        trace = Fraction(events, _TRACE)
        shift = self.depth + _PRECISION
        for branch in self.leaves:
            weight = int((branch.weight + trace * branch.share) * (1 << shift)) + 1
            if branch.leaf is not None:
                branch.leaf.unit = weight // branch.leaf.volume + 1
                weight = branch.leaf.unit * branch.leaf.volume
            branch.weight = weight
        for branch in reversed(self.branches()):
            if branch.cut is not None:
                branch.weight = branch.left.weight + branch.right.weight
                branch.share = branch.left.share + branch.right.share
