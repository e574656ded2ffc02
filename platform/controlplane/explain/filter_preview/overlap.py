"""Active announcements that share events with a filter, and those among them without a path."""

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
"""Maximum number of announcements without a path that the answer names."""
_STRIDE = 512


@dataclass(frozen=True, slots=True)
class Overlap:
    """Result of the search: the fields of the answer, and the reach of a host.

    `reach` is None without a host, if the planner does not know the host yet, or if nothing matches. `missed`
    are names of announcements without a path, and `more` states whether there are others.
    """

    summary: dict[str, Any]
    reach: Reach | None
    missed: tuple[str, ...]
    more: bool


def overlap(planner: Planner, filter_: Filter, cells: DzSet, other: str, host: str | None) -> Overlap:
    """Find the active announcements of kind `other` in the filter's topic that overlap `cells`.

    The search takes at most `SECONDS`, the oldest announcements first. If the planner has another event
    space of the topic, the cells are computed again. With a `host`, it also finds the announcements without a
    path.
    """
    topic = planner.topics.get(filter_.topic.name)
    if topic is not None and (topic.indexed, topic.cuts) != (filter_.topic.indexed, filter_.topic.cuts):
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
    summary = {"kind": other, "matched": matched, "looked_at": looked_at, "total": len(live), "names": names}
    return Overlap(summary, _reach(known, matched, len(missed)), tuple(missed[:NAMED]), len(missed) > NAMED)


def _reach(known: bool, matched: int, missed: int) -> Reach | None:
    if not known or not matched:
        return None
    if not missed:
        return Reach.FULL
    return Reach.NONE if missed == matched else Reach.PARTIAL
