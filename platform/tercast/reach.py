"""What waits and what cannot be: subscriptions without an advertisement, pairs without a path.

Neither compares all pairs: cells are taken in depth-first order, so that what overlaps a cell is on a stack
of cells that are open above it, apart by component of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from tercast.dz import DzSet
from tercast.keys import Key, Order
from tercast.registry import ADVERTISEMENT, Registration

Component = int | None
Pair = tuple[str, str]


@dataclass(slots=True)
class _Open:
    """A cell that is open: what it covers, and who has it, by component and kind."""

    end: Key
    holders: dict[tuple[Component, str], list[str]] = field(default_factory=dict)


def unreachable_pairs(
    registrations: Iterable[Registration], order: Order, component: Callable[[str], Component]
) -> list[Pair]:
    """The pairs (advertisement, subscription) of one topic that overlap, with no path between their hosts.

    `component` tells in which component a host can be reached, None while it cannot be. Pairs stand in the
    order of the registrations, by advertisement, then by subscription.
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


def _overlapping(cells: list[tuple[Key, str, Component, str]], order: Order) -> set[Pair]:
    pairs: set[Pair] = set()
    stack: list[_Open] = []
    for key, kind, place, name in cells:
        while stack and stack[-1].end <= key:
            stack.pop()
        if not stack or stack[-1].end != order.end(key):
            stack.append(_Open(order.end(key)))
        for level in stack:
            for (other_place, other_kind), names in level.holders.items():
                if other_kind != kind and (place is None or other_place != place):
                    pairs.update((name, other) if kind == ADVERTISEMENT else (other, name) for other in names)
        stack[-1].holders.setdefault((place, kind), []).append(name)
    return pairs


def waiting(subscriptions: Iterable[Registration], matched: Callable[[DzSet], bool]) -> list[str]:
    """The subscriptions, in order, that nothing advertised anywhere overlaps."""
    return [subscription.id for subscription in subscriptions if not matched(subscription.dz)]
