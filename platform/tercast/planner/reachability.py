"""Subscriptions without an advertisement, and announcements without a path to their matches.

Nothing here compares all pairs. Cells are processed in depth-first order. So the cells that overlap a cell
are on a stack of open cells, separated by component of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import islice

from tercast.eventspace.dz import DzSet
from tercast.requests.reach import Reach
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.routing.cell_keys import Key, Order

Component = int | None
UnreachablePair = tuple[str, str]

MOST_NAMED = 20
"""Largest number of unreachable announcements that are named."""

_KEPT = MOST_NAMED + 1  # one more shows that there are others


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """An announcement without a path to some of those that it matches.

    Attributes:
        reach: PARTIAL or NONE.
        names: Ids of matching announcements to which no path leads, in the order of the log: all or
            `MOST_NAMED` of them.
        more: Whether there are others.
    """

    reach: Reach
    names: tuple[str, ...]
    more: bool


@dataclass(slots=True)
class _OpenCell:
    """An open cell: its end, and its announcements by component and kind."""

    end: Key
    holders: dict[tuple[Component, str], list[str]] = field(default_factory=dict)


def unreachable_pairs(
    registrations: Iterable[Registration], order: Order, component: Callable[[str], Component]
) -> list[UnreachablePair]:
    """Find the pairs (advertisement, subscription) of one topic that overlap without a path.

    Args:
        registrations: Live announcements of the topic, in the order of the log.
        order: The order of their cells.
        component: Returns the component of a host; None while the host cannot be reached.

    Returns:
        Pairs in the order of the registrations, by advertisement, then by subscription.
    """
    rank: dict[str, int] = {}
    cells: list[tuple[Key, str, Component, str]] = []
    places: dict[str, Component] = {}
    for registration in registrations:
        rank[registration.id] = registration.seq
        place = places.setdefault(registration.host, component(registration.host))
        for dz in registration.dz:
            cells.append((order.key(dz), registration.kind, place, registration.id))
    if len(set(places.values())) < 2 and None not in places.values():
        return []
    pairs = _overlapping(sorted(cells, key=lambda cell: cell[0]), order)
    return sorted(pairs, key=lambda pair: (rank[pair[0]], rank[pair[1]]))


def _overlapping(cells: list[tuple[Key, str, Component, str]], order: Order) -> set[UnreachablePair]:
    pairs: set[UnreachablePair] = set()
    stack: list[_OpenCell] = []
    for key, kind, place, name in cells:
        while stack and stack[-1].end <= key:
            stack.pop()
        if not stack or stack[-1].end != order.end(key):
            stack.append(_OpenCell(order.end(key)))
        for level in stack:
            for (other_place, other_kind), names in level.holders.items():
                if other_kind != kind and (place is None or other_place != place):
                    pairs.update((name, other) if kind == ADVERTISEMENT else (other, name) for other in names)
        stack[-1].holders.setdefault((place, kind), []).append(name)
    return pairs


def waiting(subscriptions: Iterable[Registration], matched: Callable[[DzSet], bool]) -> list[str]:
    """Return, in order, the subscriptions that no advertisement overlaps."""
    return [subscription.id for subscription in subscriptions if not matched(subscription.dz)]


_NameSet = dict[str, None]
_ByPlace = dict[Component, _NameSet]


@dataclass(slots=True)
class _KindAtCell:
    """Announcements of one kind at a cell: those of cells around it, of the cell, and within it.

    Neighbouring cells share `around` and `answers`. `answers` has the result for an announcement of the other
    kind that finds only `around`, by its component.
    """

    around: _ByPlace
    answers: dict[Component, _Answer]
    here: _ByPlace = field(default_factory=dict)
    within: _ByPlace = field(default_factory=dict)

    def inner(self) -> _KindAtCell:
        """Return the same side for a cell within this one, after its own announcements are known."""
        if not self.here:
            return _KindAtCell(self.around, self.answers)
        around = {place: dict(names) for place, names in self.around.items()}
        _merge(self.here, around)
        return _KindAtCell(around, {})

    def answer(self, place: Component) -> _Answer:
        """Return the result for an announcement of the other kind in a component."""
        if not self.here and not self.within:
            known = self.answers.get(place)
            if known is None:
                known = self.answers[place] = _find_unreached((self.around,), place)
            return known
        return _find_unreached((self.around, self.here, self.within), place)


@dataclass(slots=True)
class _Level:
    """An open cell, with both kinds of announcement."""

    cell: Key
    end: Key
    sides: dict[str, _KindAtCell]


_Answer = tuple[bool, _NameSet]
"""Whether a match is reached, and matches that are not: at most `_KEPT` of each component."""


def out_of_reach(
    registrations: Iterable[Registration], order: Order, component: Callable[[str], Component]
) -> dict[str, OutOfReach]:
    """Return the announcements of one topic without a path to some of their matches.

    The time is proportional to the number of cells, not of pairs.

    Args:
        registrations: Live announcements of the topic, in the order of the log.
        order: The order of their cells.
        component: Returns the component of a host; None while the host cannot be reached.

    Returns:
        Results by id. Announcements without a match, or with paths to all matches, are left out.
    """
    rank: dict[str, int] = {}
    places: dict[str, Component] = {}
    cells: list[tuple[Key, str, Component, str]] = []
    for registration in registrations:
        rank[registration.id] = registration.seq
        place = places.setdefault(registration.host, component(registration.host))
        cells += ((order.key(dz), registration.kind, place, registration.id) for dz in registration.dz)
    if len(set(places.values())) < 2 and None not in places.values():
        return {}
    found: dict[str, _Answer] = {}
    stack = [_Level(0, order.end(0), {kind: _KindAtCell({}, {}) for kind in _OTHER})]
    for key, kind, place, name in sorted(cells, key=lambda cell: cell[0]):
        while len(stack) > 1 and stack[-1].end <= key:
            _close(stack, found)
        top = stack[-1]
        if top.cell != key or len(stack) == 1:
            top = _Level(key, order.end(key), {one: side.inner() for one, side in top.sides.items()})
            stack.append(top)
        top.sides[kind].here.setdefault(place, {})[name] = None
    while len(stack) > 1:
        _close(stack, found)
    return _out_of_reach(found, rank)


_OTHER = {ADVERTISEMENT: SUBSCRIPTION, SUBSCRIPTION: ADVERTISEMENT}


def _close(stack: list[_Level], found: dict[str, _Answer]) -> None:
    """Remove the innermost cell from the stack, after all cells within it are known."""
    sides = stack.pop().sides
    for kind, side in sides.items():
        for place, names in side.here.items():
            answer = sides[_OTHER[kind]].answer(place)
            if answer[0] or answer[1]:
                for name in names:
                    before = found.get(name)
                    found[name] = answer if before is None else _both(before, answer)
        within = stack[-1].sides[kind].within
        _merge(side.here, within)
        _merge(side.within, within)


def _find_unreached(parts: Iterable[_ByPlace], place: Component) -> _Answer:
    reached, missed = False, _NameSet()
    for by_place in parts:
        for other, names in by_place.items():
            if place is not None and other == place:
                reached = True
            else:
                missed.update(dict.fromkeys(islice(names, _KEPT)))
    return reached, missed


def _both(one: _Answer, other: _Answer) -> _Answer:
    """Combine the results of two cells of an announcement."""
    if one is other or (other[1].keys() <= one[1].keys() and one[0] >= other[0]):
        return one
    missed = one[1] if len(one[1]) >= _KEPT else {**one[1], **other[1]}
    return one[0] or other[0], missed


def _merge(part: _ByPlace, into: _ByPlace) -> None:
    """Add announcements to the known ones, up to `_KEPT` of each component."""
    for place, names in part.items():
        known = into.setdefault(place, {})
        if len(known) < _KEPT:
            known.update(dict.fromkeys(islice(names, _KEPT)))


def _out_of_reach(found: dict[str, _Answer], rank: dict[str, int]) -> dict[str, OutOfReach]:
    """Return the results with unreachable matches; equal results share one object."""
    made: dict[int, OutOfReach] = {}
    out: dict[str, OutOfReach] = {}
    for name, answer in found.items():
        if not answer[1]:
            continue
        one = made.get(id(answer))
        if one is None:
            names = sorted(answer[1], key=rank.__getitem__)
            reach = Reach.PARTIAL if answer[0] else Reach.NONE
            one = OutOfReach(reach, tuple(names[:MOST_NAMED]), len(names) > MOST_NAMED)
            made[id(answer)] = one
        out[name] = one
    return out
