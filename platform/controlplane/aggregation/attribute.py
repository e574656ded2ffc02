"""What each aggregated entry stands for, and what it costs: expected by old events, measured by new ones.

It knows the core library only.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.aggregation.figures import near
from tercast.aggregation.attribution import Attribution, attribute
from tercast.aggregation.traffic import Traffic, read_traffic
from tercast.dz import text
from tercast.planner import Planner

FACTOR = 2.0
"""Measured and expected part when one is more than so many times the other."""

LEAST = 0.05
"""Needless copies an event that are too few to speak of, on either side."""

ENOUGH = 100
"""Events that a verdict takes."""

Key = tuple[str, str, int | None, str]


@dataclass(frozen=True, slots=True)
class Share:
    """One aggregated entry: its subscriptions, and its needless copies and unwanted deliveries.

    `measured` and `unwanted` are of the window, `expected` are the copies that old events let expect of as
    many new ones; None where there are no old ones.
    """

    switch: str
    topic: str
    in_port: int | None
    dz: str
    subscriptions: tuple[str, ...]
    measured: float
    unwanted: float
    expected: float | None


def shares(planner: Planner, old: Sequence[object], window: Sequence[object]) -> list[Share]:
    """All entries under covers."""
    expected = _expected(planner, read_traffic(planner, old))
    return [
        Share(
            one.switch,
            one.topic,
            one.in_port,
            text(one.dz),
            one.subscriptions,
            one.copies,
            one.unwanted,
            None if expected is None else expected.get(_key(one), 0.0) * len(window),
        )
        for one in attribute(planner, read_traffic(planner, window))
    ]


def _expected(planner: Planner, old: Traffic) -> dict[Key, float] | None:
    """Needless copies an event, by entry."""
    if not len(old):
        return None
    around = near(old)
    return {_key(one): one.copies / around.weight for one in attribute(planner, around)}


def _key(one: Attribution) -> Key:
    return one.switch, one.topic, one.in_port, text(one.dz)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Needless copies an event of one switch; `parted` where measured and expected do not go together."""

    measured: float
    expected: float

    @property
    def parted(self) -> bool:
        """Whether one is more than `FACTOR` times the other, and more than the least worth a word."""
        low, high = sorted((self.measured, self.expected))
        return high > LEAST and high > FACTOR * max(low, LEAST / FACTOR)


def verdicts(found: Iterable[Share], events: int) -> dict[str, Verdict]:
    """By switch, where enough is known on both sides."""
    if events < ENOUGH:
        return {}
    measured: dict[str, float] = {}
    expected: dict[str, float] = {}
    for one in found:
        if one.expected is not None:
            measured[one.switch] = measured.get(one.switch, 0.0) + one.measured
            expected[one.switch] = expected.get(one.switch, 0.0) + one.expected
    return {name: Verdict(measured[name] / events, expected[name] / events) for name in measured}
