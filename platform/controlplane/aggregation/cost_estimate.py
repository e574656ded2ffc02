"""Expected cost of changed merged entries, estimated from recent events.

This module uses only the core library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tercast.optimizer.evaluation.attribution import Attribution, attribute_each
from tercast.optimizer.evaluation.cover_evaluation import added_cost
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.merged_entries import EntryPlace, covers_without
from tercast.planner.planner import Planner

MOST_ENTRIES = 500
"""Most merged entries, on the affected switches, for one estimate; each takes about 0.3 ms."""

NO_EVENTS = "unknown: the platform has no recent events of {topics}. Report some to /api/v1/traffic/samples/."
NO_RATE = "the rate is unknown: the analytics job publisher_load has no result within the last hour."
TOO_MANY = (
    "unknown yet: the affected switches have {entries} merged entries, and an estimate covers at most"
    " {most}. A measurement follows within a minute; see the page Network, tab Merged entries."
)
FAILED = "unknown: the estimate failed with {error}. A measurement follows within a minute."

Changed = Mapping[str, frozenset[EntryPlace]]
"""New or different merged entries by switch."""


@dataclass(frozen=True, slots=True)
class RecentEvents:
    """Recent events of some topics; `rate` is their number per second, None if unknown."""

    events: Sequence[Any] = ()
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Expected cost of merged entries, per event published on `topics`.

    `unwanted` are false positives, `needless` are redundant copies between switches. Both
    are None if `reason` states why they are unknown. `entries` are the examined entries, by switch.
    """

    topics: tuple[str, ...] = ()
    events: int = 0
    unwanted: float | None = None
    needless: float | None = None
    per_second: float | None = None
    reason: str = ""
    entries: Mapping[str, Sequence[Attribution]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the form in which requests store it."""
        return {
            "topics": list(self.topics),
            "events": self.events,
            "unwanted": self.unwanted,
            "needless": self.needless,
            "unwanted_per_second": self.per_second,
            "reason": self.reason,
        }


def topics_of(changed: Changed) -> tuple[str, ...]:
    """Return the topics whose merged entries changed, by name."""
    return tuple(sorted({place[0] for places in changed.values() for place in places}))


def estimate(planner: Planner, changed: Changed, held: int, recent: RecentEvents) -> CostEstimate:
    """Estimate the cost of the entries that changed.

    Args:
        held: Number of merged entries on the switches of `changed`.
    """
    topics = topics_of(changed)
    if not topics:
        return CostEstimate(unwanted=0.0, needless=0.0, per_second=0.0)
    if held > MOST_ENTRIES:
        return CostEstimate(topics, reason=TOO_MANY.format(entries=held, most=MOST_ENTRIES))
    traffic = read_traffic(planner, recent.events)
    (found,) = attribute_each(planner, [traffic], switches=changed)
    entries: dict[str, list[Attribution]] = {name: [] for name in changed}
    for one in found:
        entries[one.switch].append(one)
    events = len(recent.events)
    if not events:
        return CostEstimate(topics, reason=NO_EVENTS.format(topics=", ".join(topics)), entries=entries)
    covers = planner.budget_enforcer.covers()
    cost = added_cost(planner, covers_without(covers, changed), covers, traffic)
    rate = None if recent.rate is None else cost.unwanted * recent.rate
    reason = "" if rate is not None else NO_RATE
    return CostEstimate(topics, events, cost.unwanted, cost.copies, rate, reason, entries)
