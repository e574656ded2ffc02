"""Past events that are relevant for the present network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import QuerySet
from django.utils import timezone

from controlplane.aggregation.cost_estimate import RecentEvents
from controlplane.analytics.models import Result
from controlplane.telemetry import samples
from tercast.requests.registry import ADVERTISEMENT

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

EVENTS = 20_000
"""Number of newest samples of a topic in computations."""

RECENT = 1000
"""Number of newest samples of a topic in the estimate for a request."""

LATELY = timedelta(hours=1)
"""Age of the oldest windows of `publisher_load` that loads use."""


@dataclass(frozen=True, slots=True)
class PastTraffic:
    """Past events with their permanent numbers; `loads` are the result of `loads`."""

    events: list[dict[str, Any]]
    numbers: list[int]
    loads: dict[str, int]

    def __len__(self) -> int:
        return len(self.events)


def traffic(planner: Planner, after: int = 0, until: int | None = None) -> PastTraffic:
    """Return the newest samples of live advertisements, with ids above `after`, up to `until`."""
    live = (name for name, row in planner.registry.live.items() if row.kind == ADVERTISEMENT)
    found = samples.numbered(live, newest=EVENTS, after=after, until=until)
    return PastTraffic([event for _, event in found], [number for number, _ in found], loads())


def recent(planner: Planner, topics: Collection[str]) -> RecentEvents:
    """Return the newest samples of some topics, and the number of their events per second."""
    ads = {
        name
        for name, row in planner.registry.live.items()
        if row.kind == ADVERTISEMENT and row.topic in topics
    }
    events = samples.traffic(ads, newest=RECENT, topics=topics)
    return RecentEvents(events, _rate(ads))


def _rate(ads: Collection[str]) -> float | None:
    """Return the events per second of advertisements by `publisher_load`; None without results."""
    rows = _load_results()
    first = rows.values_list("series__window", flat=True).first()
    if not first:
        return None
    windows = rows.values("window_start").distinct().count()
    events = sum(n for name, n in rows.values_list("subject", "values__events") if name in ads)
    return float(events / (windows * first / 1e6))


def loads() -> dict[str, int]:
    """Return the recent number of events by advertisement from `publisher_load`, or {}.

    Samples are less accurate: they have a few events of each advertisement, and equally many of each topic.
    If results have windows of several lengths, the series with the newest window counts.
    """
    counts: Counter[str] = Counter()
    for publisher, events in _load_results().values_list("subject", "values__events"):
        counts[publisher] += events
    return dict(counts)


def _load_results() -> QuerySet[Result]:
    """Return the results of `publisher_load` within `LATELY`, of the series with the newest."""
    lately = Result.objects.filter(
        series__job="publisher_load", window_start__gt=timezone.now() - LATELY
    ).order_by()
    newest = lately.order_by("-window_start", "series").values_list("series", flat=True).first()
    return lately.filter(series=newest)
