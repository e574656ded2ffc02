"""Which live announcements share events with a filter, and which of them no path leads to."""

import time
from dataclasses import dataclass
from typing import Any

from controlplane.common.address_plan import MAX_DZ_PER_FILTER
from tercast.encoding.encoder import encode_dz
from tercast.eventspace.dz import DzSet, set_overlaps
from tercast.filters.filter import Filter
from tercast.planner.planner import Planner
from tercast.planner.reachability import MOST_NAMED
from tercast.requests.reach import Reach

SECONDS = 0.25
NAMES = 10
NAMED = MOST_NAMED
"""Announcements that are named where no path leads to them."""
_STRIDE = 512


@dataclass(frozen=True, slots=True)
class Overlap:
    """What was found: the members of the answer, and what a host would reach of it.

    `reach` is None where no host is named, the planner does not know it yet, or nothing matches. `missed` are
    ids of those that no path leads to, `more` says whether there are others.
    """

    told: dict[str, Any]
    reach: Reach | None
    missed: tuple[str, ...]
    more: bool


def overlap(planner: Planner, filter_: Filter, cells: DzSet, other: str, host: str | None) -> Overlap:
    """Find the live announcements of kind `other` in the filter's topic whose dz sets overlap `cells`.

    Looks for at most `SECONDS`, the oldest first. Cells of a topic that the planner indexes otherwise are
    computed again. With a `host`, finds which of them no path joins with it.
    """
    topic = planner.topics.get(filter_.topic.name)
    if topic is not None and topic.indexed != filter_.topic.indexed:
        cells = encode_dz(Filter(topic, filter_.tree), planner.depth, MAX_DZ_PER_FILTER)
    live = [
        one for one in planner.registry.live.values() if one.kind == other and one.topic == filter_.topic.name
    ]
    names: list[str] = []
    missed: list[str] = []
    known = bool(live) and host in planner.topology.hosts
    place = planner.network.component(host) if known and host is not None else None
    matched = looked_at = 0
    end = time.monotonic() + SECONDS
    for one in live:
        if looked_at % _STRIDE == _STRIDE - 1 and time.monotonic() > end:
            break
        looked_at += 1
        if set_overlaps(one.dz, cells):
            matched += 1
            names += [one.id] if matched <= NAMES else []
            if known and (place is None or planner.network.component(one.host) != place):
                missed.append(one.id)
    told = {"kind": other, "matched": matched, "looked_at": looked_at, "total": len(live), "names": names}
    return Overlap(told, _reach(known, matched, len(missed)), tuple(missed[:NAMED]), len(missed) > NAMED)


def _reach(known: bool, matched: int, missed: int) -> Reach | None:
    if not known or not matched:
        return None
    if not missed:
        return Reach.FULL
    return Reach.NONE if missed == matched else Reach.PARTIAL
