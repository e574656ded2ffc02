"""Rules that decide claims; defined in code before a run, and never loosened afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean, median
from typing import Literal, Protocol

from mininet_labs.figures.samples import Row, is_beyond_spread, points, ratio, spearman

FEWEST_SEEDS = 5
"""With fewer seeds, a claim is undecided."""

SPEARMAN = 0.8
"""Minimum rank correlation of a series that falls or rises."""

SHARE = 0.8
"""Minimum share of points at which one series is below another."""

FLAT = (0.8, 1.25)
"""Bounds of the ratio of last to first median of a flat series."""


UNBOUNDED = 1e9
"""A bound from this magnitude on is none."""


class ClaimVerdict(StrEnum):
    """Verdict of a claim."""

    HOLDS = "holds"
    DIFFERS = "differs"
    UNDECIDED = "undecided"
    NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """Verdict of a rule, and the measured values that led to it."""

    outcome: ClaimVerdict
    value: str


def decided(holds: bool, parts: Sequence[str]) -> ClaimFinding:
    """Return a finding from an answer and the measured values."""
    return ClaimFinding(ClaimVerdict.HOLDS if holds else ClaimVerdict.DIFFERS, "; ".join(parts))


class Rule(Protocol):
    """Decides a claim from the rows of a figure."""

    @property
    def text(self) -> str:
        """The rule in words."""

    @property
    def values(self) -> tuple[str, ...]:
        """The measured values that the rule reads."""

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Decide; there are enough seeds."""


def judged(rule: Rule, rows: Sequence[Row], timed: frozenset[str], noisy: bool) -> ClaimFinding:
    """Apply a rule; undecided with too few seeds, or for a time that was measured under load."""
    if not rows:
        return ClaimFinding(ClaimVerdict.NOT_RUN, "no rows")
    seeds = len({row["seed"] for row in rows})
    if seeds < FEWEST_SEEDS:
        return ClaimFinding(ClaimVerdict.UNDECIDED, f"{seeds} of {FEWEST_SEEDS} seeds")
    found = rule.judge(rows)
    if noisy and timed & {*rule.values}:
        return ClaimFinding(ClaimVerdict.UNDECIDED, f"measured under load: {found.value}")
    return found


@dataclass(frozen=True, slots=True)
class OneValueRule:
    """A rule that reads one measured value."""

    value: str

    @property
    def values(self) -> tuple[str, ...]:
        """The measured values that the rule reads."""
        return (self.value,)


@dataclass(frozen=True, slots=True)
class Trend(OneValueRule):
    """Each series falls or rises: by rank correlation, and from first to last beyond the spread."""

    series: tuple[str, ...]
    direction: Literal["falls", "rises"]

    @property
    def text(self) -> str:
        """The rule in words."""
        if self.direction == "falls":
            return f"Spearman ≤ −{SPEARMAN:g} over the means, and last < first beyond the spread"
        return f"Spearman ≥ {SPEARMAN:g} over the means, and last > first beyond the spread"

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Decide for all series."""
        parts, holds = [], True
        sign = -1 if self.direction == "falls" else 1
        for name in self.series:
            found = points(rows, self.value, name)
            if len(found) < 2:
                return ClaimFinding(ClaimVerdict.NOT_RUN, f"{name}: fewer than two points")
            rank = spearman(list(found), [fmean(values) for values in found.values()])
            first, *_, last = found.values()
            ends = (last, first) if sign < 0 else (first, last)
            holds = holds and sign * rank >= SPEARMAN and is_beyond_spread(*ends)
            parts.append(f"{name}: {fmean(first):.4g} to {fmean(last):.4g}, Spearman {rank:.2f}")
        return decided(holds, parts)


@dataclass(frozen=True, slots=True)
class Flat(OneValueRule):
    """Each series is flat: the ratio of last to first median is within 0.8 to 1.25."""

    series: tuple[str, ...]

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"last / first of the medians within {FLAT[0]:g} to {FLAT[1]:g}; every series"

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Decide for all series."""
        parts, holds = [], True
        for name in self.series:
            found = points(rows, self.value, name)
            if len(found) < 2:
                return ClaimFinding(ClaimVerdict.NOT_RUN, f"{name}: fewer than two points")
            first, *_, last = found.values()
            share = ratio(median(last), median(first))
            holds = holds and FLAT[0] <= share <= FLAT[1]
            parts.append(f"{name}: {share:.3g}")
        return decided(holds, parts)


@dataclass(frozen=True, slots=True)
class Ordered(OneValueRule):
    """Each series is below the next one in at least 80 % of the points, by more than the spread.

    With `at`, only the point at this x counts. A negative `at` is the last x.
    """

    series: tuple[str, ...]
    at: float | None = None

    @property
    def text(self) -> str:
        """The rule in words."""
        names = " < ".join(self.series)
        where = f"in at least {SHARE:.0%} of the points" if self.at is None else _where(self.at)
        return f"{names}, {where}, beyond the spread"

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Compare neighbours in the order."""
        parts, holds = [], True
        for lower, higher in zip(self.series, self.series[1:], strict=False):
            below, above = points(rows, self.value, lower), points(rows, self.value, higher)
            shared = _chosen([x for x in below if x in above], self.at)
            if not shared:
                return ClaimFinding(ClaimVerdict.NOT_RUN, f"{lower}, {higher}: no point in common")
            number = sum(is_beyond_spread(below[x], above[x]) for x in shared)
            holds = holds and number >= SHARE * len(shared)
            parts.append(f"{lower} < {higher}: {number} of {len(shared)} points")
        return decided(holds, parts)


@dataclass(frozen=True, slots=True)
class Within(OneValueRule):
    """The mean of a series is within bounds, at one x or at every x."""

    series: tuple[str, ...]
    low: float
    high: float
    at: float | None = None

    @property
    def text(self) -> str:
        """The rule in words."""
        return f"mean {_bounds(self.low, self.high)} {_where(self.at)}; {', '.join(self.series)}"

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Compare the means with the bounds; a negative `at` is the last x."""
        parts, holds = [], True
        for name in self.series:
            found = points(rows, self.value, name)
            means = [fmean(found[x]) for x in _chosen(list(found), self.at)]
            if not means:
                return ClaimFinding(ClaimVerdict.NOT_RUN, f"{name}: no such point")
            holds = holds and self.low <= min(means) and max(means) <= self.high
            told = f"{means[0]:.4g}" if len(means) == 1 else f"{min(means):.4g} to {max(means):.4g}"
            parts.append(f"{name}: {told}")
        return decided(holds, parts)


@dataclass(frozen=True, slots=True)
class RatioWithin(OneValueRule):
    """The ratio of the means of two series is within bounds, at one x or at every x.

    A negative `at` is the last x.
    """

    over: str
    under: str
    low: float
    high: float
    at: float | None = None

    @property
    def text(self) -> str:
        """The rule in words."""
        bounds = f"{_bounds(self.low, self.high)} {_where(self.at)}"
        return f"mean of {self.over} divided by mean of {self.under} {bounds}"

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Compare the ratios with the bounds."""
        above, below = points(rows, self.value, self.over), points(rows, self.value, self.under)
        shared = _chosen([x for x in above if x in below], self.at)
        if not shared:
            return ClaimFinding(ClaimVerdict.NOT_RUN, "no point in common")
        found = [ratio(fmean(above[x]), fmean(below[x])) for x in shared]
        holds = all(self.low <= one <= self.high for one in found)
        told = f"{found[0]:.3g}" if len(found) == 1 else f"{min(found):.3g} to {max(found):.3g}"
        return decided(holds, [told])


@dataclass(frozen=True, slots=True)
class Custom:
    """A rule of one claim that no general rule expresses."""

    text: str
    values: tuple[str, ...]
    decide: Callable[[Sequence[Row]], ClaimFinding]

    def judge(self, rows: Sequence[Row]) -> ClaimFinding:
        """Decide with the function."""
        return self.decide(rows)


def worst(outcomes: Iterable[ClaimVerdict]) -> ClaimVerdict:
    """Return the verdict of a figure: that of its worst claim."""
    order = (ClaimVerdict.DIFFERS, ClaimVerdict.UNDECIDED, ClaimVerdict.NOT_RUN, ClaimVerdict.HOLDS)
    return min(outcomes, key=order.index, default=ClaimVerdict.NOT_RUN)


def _bounds(low: float, high: float) -> str:
    if high >= UNBOUNDED:
        return f"is at least {low:g}"
    if low <= -UNBOUNDED:
        return f"is at most {high:g}"
    return f"is {low:g}" if low == high else f"is between {low:g} and {high:g}"


def _where(at: float | None) -> str:
    if at is None:
        return "at every x"
    return "at the last x" if at < 0 else f"at x = {at:g}"


def _chosen(ascending: Sequence[float], at: float | None) -> list[float]:
    """Return the x at which a rule decides; a negative `at` is the last one, None all."""
    if at is None:
        return list(ascending)
    return list(ascending[-1:]) if at < 0 else [x for x in ascending if x == at]
