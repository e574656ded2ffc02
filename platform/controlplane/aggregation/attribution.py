"""What each aggregated entry stands for, and what it costs: expected by old events, measured by new ones.

It knows the core library only.
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
"""Measured and expected part when one is more than so many times the other."""

LEAST = 0.05
"""Needless copies an event that are too few to speak of, on either side."""

ENOUGH = 100
"""Events that a verdict takes."""

ERRORS = 3.0
"""How many standard errors measured and expected may part by chance."""

Key = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True)
class CostShare:
    """One aggregated entry: its subscriptions, and its needless copies and unwanted deliveries.

    `measured` and `unwanted` are of the window, `expected` are the copies that old events let expect of as
    many new ones; None where there are no old ones. `fair` are those measured without events that covers were
    made from, an event; `fresh` and `known` are how many events tell `fair` and `expected`.
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
    """All entries under covers.

    What is expected are means of the old events that runs hold back, by their `numbers`. `learnt` says of the
    window's events which ones covers were made from.
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


def _rates(found: Iterable[Attribution], events: Traffic) -> dict[Key, float] | None:
    """Needless copies an event, by entry; None without events."""
    if not len(events):
        return None
    return {_key(one): one.copies / events.weight for one in found}


def _key(one: Attribution) -> Key:
    return one.switch, one.topic, one.in_port, text(one.dz)


@dataclass(frozen=True, slots=True)
class CostVerdict:
    """Needless copies an event of one switch; `parted` where measured and expected do not go together.

    `noise` is how far they may part by chance.
    """

    measured: float
    expected: float
    noise: float = 0.0

    @property
    def parted(self) -> bool:
        """Whether one is more than `FACTOR` times the other, the least worth a word, and what chance does."""
        low, high = sorted((self.measured, self.expected))
        return high > LEAST and high > FACTOR * max(low, LEAST / FACTOR) and high - low > self.noise


def verdicts(found: Iterable[CostShare], events: int) -> dict[str, CostVerdict]:
    """By switch, where enough is known on both sides; by events that covers were not made from."""
    if events < ENOUGH:
        return {}
    by_switch: dict[str, list[CostShare]] = {}
    for one in found:
        if min(one.fresh, one.known) >= FEWEST:
            by_switch.setdefault(one.switch, []).append(one)
    return {name: _verdict(of_switch, events) for name, of_switch in by_switch.items()}


def _verdict(found: Sequence[CostShare], events: int) -> CostVerdict:
    """Of the entries of one switch; noise as of counts, whose variance is their mean."""
    measured = sum(one.fair for one in found)
    expected = sum(one.expected or 0.0 for one in found) / events
    variance = measured / found[0].fresh + expected / found[0].known
    return CostVerdict(measured, expected, ERRORS * math.sqrt(variance))
