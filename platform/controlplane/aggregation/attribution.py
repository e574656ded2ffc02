"""Subscriptions and cost of each aggregated entry: expected by old events, and measured.

This module uses only the core library.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.aggregation.held_back_events import FEWEST, hold_back
from tercast.eventspace.dz import text
from tercast.optimizer.evaluation.attribution import Attribution, attribute_each
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.traffic_reader import read_traffic
from tercast.planner.planner import Planner

FACTOR = 2.0
"""Measured and expected cost differ if one is more than this multiple of the other."""

LEAST = 0.05
"""Redundant copies per event that are negligible, on either side."""

ENOUGH = 100
"""Fewest events for a verdict."""

ERRORS = 3.0
"""Number of standard errors by which measured and expected cost may differ by chance."""

EntryRowKey = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True)
class CostShare:
    """An aggregated entry with its subscriptions, redundant copies and false positives.

    `measured` and `unwanted` are totals of the window. `expected` are the copies that old events predict for
    as many new events; None without old events. `fair` are the measured copies per event, without events that
    covers were computed from. `fresh` and `known` are the numbers of events behind `fair` and `expected`.
    """

    switch: str
    topic: str
    in_port: int | None
    dz: str
    subscriptions: tuple[str, ...]
    measured: float
    unwanted: float
    expected: float | None
    fair: float
    fresh: int
    known: int


def shares(
    planner: Planner,
    old: Sequence[object],
    window: Sequence[object],
    numbers: Sequence[int] | None = None,
    learnt: Sequence[bool] | None = None,
) -> list[CostShare]:
    """Return the cost shares of all entries under covers.

    The expected values are means over the old events that runs hold back, by their `numbers`. `learnt` marks
    the events of the window that covers were computed from.
    """
    judges = hold_back(planner, old, numbers)[1]
    unseen = [event for event, seen in zip(window, learnt or [False] * len(window), strict=True) if not seen]
    fresh = read_traffic(planner, unseen)
    known, lately, now = attribute_each(planner, [judges, fresh, read_traffic(planner, window)])
    expected, fair = _rates(known, judges), _rates(lately, fresh) or {}
    return [
        CostShare(
            one.switch,
            one.topic,
            one.in_port,
            text(one.dz),
            one.subscriptions,
            one.copies,
            one.unwanted,
            None if expected is None else expected.get(_key(one), 0.0) * len(window),
            fair.get(_key(one), 0.0),
            len(unseen),
            len(judges),
        )
        for one in now
    ]


def _rates(found: Iterable[Attribution], events: Traffic) -> dict[EntryRowKey, float] | None:
    """Return redundant copies per event, by entry; None without events."""
    if not len(events):
        return None
    return {_key(one): one.copies / events.weight for one in found}


def _key(one: Attribution) -> EntryRowKey:
    return one.switch, one.topic, one.in_port, text(one.dz)


@dataclass(frozen=True, slots=True)
class CostVerdict:
    """Redundant copies per event of one switch; `parted` is whether the two values differ.

    `noise` is the largest difference by chance.
    """

    measured: float
    expected: float
    noise: float = 0.0

    @property
    def parted(self) -> bool:
        """Whether the values differ by more than `FACTOR`, a negligible amount, and chance."""
        low, high = sorted((self.measured, self.expected))
        return high > LEAST and high > FACTOR * max(low, LEAST / FACTOR) and high - low > self.noise


def verdicts(found: Iterable[CostShare], events: int) -> dict[str, CostVerdict]:
    """Return verdicts by switch with sufficient data, from events that covers did not use."""
    if events < ENOUGH:
        return {}
    by_switch: dict[str, list[CostShare]] = {}
    for one in found:
        if min(one.fresh, one.known) >= FEWEST:
            by_switch.setdefault(one.switch, []).append(one)
    return {name: _verdict(of_switch, events) for name, of_switch in by_switch.items()}


def _verdict(found: Sequence[CostShare], events: int) -> CostVerdict:
    """Return the verdict of one switch; the noise is that of counts: the variance is the mean."""
    measured = sum(one.fair for one in found)
    expected = sum(one.expected or 0.0 for one in found) / events
    variance = measured / found[0].fresh + expected / found[0].known
    return CostVerdict(measured, expected, ERRORS * math.sqrt(variance))
