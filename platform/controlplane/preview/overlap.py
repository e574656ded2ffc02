"""Which live announcements share events with a filter."""

import time
from typing import Any

from controlplane.config.planning import MAX_DZ_PER_FILTER
from tercast.dz import DzSet, set_overlaps
from tercast.encoder import encode_dz
from tercast.filters import Filter
from tercast.planner import Planner

SECONDS = 0.25
NAMES = 10
_STRIDE = 512


def overlap(planner: Planner, filter_: Filter, cells: DzSet, other: str) -> dict[str, Any]:
    """Of the live announcements of kind `other` in the filter's topic, those whose dz sets meet `cells`.

    Looks for at most `SECONDS`, the oldest first. Cells of a topic that the planner indexes otherwise are
    worked out anew.
    """
    topic = planner.topics.get(filter_.topic.name)
    if topic is not None and topic.indexed != filter_.topic.indexed:
        cells = encode_dz(Filter(topic, filter_.tree), planner.depth, MAX_DZ_PER_FILTER)
    live = [
        one for one in planner.registry.live.values() if one.kind == other and one.topic == filter_.topic.name
    ]
    names: list[str] = []
    matched = looked_at = 0
    end = time.monotonic() + SECONDS
    for one in live:
        if looked_at % _STRIDE == _STRIDE - 1 and time.monotonic() > end:
            break
        looked_at += 1
        if set_overlaps(one.dz, cells):
            matched += 1
            names += [one.id] if matched <= NAMES else []
    return {"kind": other, "matched": matched, "looked_at": looked_at, "total": len(live), "names": names}
