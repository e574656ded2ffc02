"""What changed merged entries are expected to cost, estimated from recent events.

It knows the core library only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tercast.optimizer.evaluation.attribution import Attribution, attribute_each
from tercast.optimizer.evaluation.cover_evaluation import added_cost
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.merged_entries import Place, covers_without
from tercast.planner.planner import Planner

MOST_ENTRIES = 500
"""Merged entries, on the switches where some changed, that one estimate looks at: about 0.3 ms for each."""

NO_EVENTS = "unknown: no recent events of {topics} are kept. Report some to /api/v1/traffic/samples/."
NO_RATE = "the rate is unknown: no result of the analytics job publisher_load within the last hour."
TOO_MANY = (
    "unknown yet: the switches concerned have {entries} merged entries, and at most {most} are estimated at"
    " once. A measurement follows within a minute; see /api/v1/switches/<id>/aggregated/."
)
FAILED = "unknown: the estimate failed with {error}. A measurement follows within a minute."

Changed = Mapping[str, frozenset[Place]]
"""By switch, the merged entries that are new or different."""


@dataclass(frozen=True, slots=True)
class Recent:
    """Recent events of some topics; `rate` is how many are published a second, None where nobody knows."""

    events: Sequence[Any] = ()
    rate: float | None = None


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """Expected cost of merged entries, per event published on `topics`.

    `unwanted` are deliveries to hosts that did not subscribe, `needless` copies between switches; both are
    None where `reason` says why they are unknown. `entries` are the entries looked at, by switch.
    """

    topics: tuple[str, ...] = ()
    events: int = 0
    unwanted: float | None = None
    needless: float | None = None
    per_second: float | None = None
    reason: str = ""
    entries: Mapping[str, Sequence[Attribution]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the form in which requests keep it."""
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


def estimate(planner: Planner, changed: Changed, held: int, recent: Recent) -> CostEstimate:
    """Estimate the cost of the entries that changed.

    Args:
        held: how many merged entries the switches of `changed` have.
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
    covers = planner.keeper.covers()
    cost = added_cost(planner, covers_without(covers, changed), covers, traffic)
    rate = None if recent.rate is None else cost.unwanted * recent.rate
    reason = "" if rate is not None else NO_RATE
    return CostEstimate(topics, events, cost.unwanted, cost.copies, rate, reason, entries)
