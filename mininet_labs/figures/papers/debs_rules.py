"""Rules of claims on aggregation that no general rule expresses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from mininet_labs.figures.rules import ClaimFinding, ClaimVerdict, decided
from mininet_labs.figures.samples import Row, points, ratio

DecisionRule = Callable[[Sequence[Row]], ClaimFinding]

REDUCTION = 0.999
HALF_MERGED = 50.0
FEW = 1.0
NEAR = 1.2
ENOUGH = 0.4


def reduction_of(value: str) -> DecisionRule:
    """Return the decision whether FA-PB reduces the rate of LA by 99.9 % somewhere."""

    def decide(rows: Sequence[Row]) -> ClaimFinding:
        by_pb, by_la = points(rows, value, "fa-pb"), points(rows, value, "la")
        found = {x: 1 - ratio(fmean(by_pb[x]), fmean(by_la[x])) for x in by_pb if x in by_la}
        if not found:
            return ClaimFinding(ClaimVerdict.NOT_RUN, "no point in common")
        best = max(found, key=lambda x: found[x])
        return decided(found[best] >= REDUCTION, [f"{100 * found[best]:.4g} % at x = {best:g}"])

    return decide


def few_at_half_merged(value: str) -> DecisionRule:
    """Return the decision whether FA-PB sends few redundant copies at half merged."""

    def decide(rows: Sequence[Row]) -> ClaimFinding:
        rates, merged = points(rows, value, "fa-pb"), points(rows, "merged", "fa-pb")
        parts = {fmean(merged[x]): fmean(rates[x]) for x in rates if fmean(merged[x]) >= HALF_MERGED}
        if not parts:
            return ClaimFinding(ClaimVerdict.UNDECIDED, "no point with half of the entries merged")
        told = [f"{share:.3g} % merged: {rate:.3g} %" for share, rate in sorted(parts.items())]
        return decided(max(parts.values()) <= FEW, told)

    return decide


def near_complete(value: str, series: str) -> DecisionRule:
    """Return the decision whether a sampling factor of 0.4 is nearly as good as 1."""

    def decide(rows: Sequence[Row]) -> ClaimFinding:
        found = points(rows, value, series)
        if ENOUGH not in found or 1.0 not in found:
            return ClaimFinding(ClaimVerdict.NOT_RUN, "no such sampling factors")
        at, complete = fmean(found[ENOUGH]), fmean(found[1.0])
        return decided(at <= NEAR * complete, [f"{at:.3g} / {complete:.3g} = {ratio(at, complete):.3g}"])

    return decide


def falls_at_every_run(value: str, series: str) -> DecisionRule:
    """Return the decision whether the rate is lower after each run of the periodic method."""

    def decide(rows: Sequence[Row]) -> ClaimFinding:
        by_state: defaultdict[tuple[float, int], list[float]] = defaultdict(list)
        for row in rows:
            if row["series"] == series:
                by_state[row["x"], row["after"]].append(row[value])
        runs = sorted(x for x, after in by_state if after)
        if not runs:
            return ClaimFinding(ClaimVerdict.NOT_RUN, "no run of the periodic method")
        changes = {x: (fmean(by_state[x, 0]), fmean(by_state[x, 1])) for x in runs}
        told = [f"{x:g}: {before:.3g} to {after:.3g}" for x, (before, after) in changes.items()]
        return decided(all(after < before for before, after in changes.values()), told)

    return decide


def is_below_alone(value: str, series: str) -> DecisionRule:
    """Return the decision whether the mean over all x is below that of LA alone, in every seed."""

    def decide(rows: Sequence[Row]) -> ClaimFinding:
        sums: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        for row in rows:
            sums[row["series"], row["seed"]].append(row[value])
        pairs = [
            (fmean(values), fmean(sums["la", seed]))
            for (name, seed), values in sorted(sums.items())
            if name == series
        ]
        if not pairs:
            return ClaimFinding(ClaimVerdict.NOT_RUN, "no rows")
        told = f"{fmean(pair[0] for pair in pairs):.3g} against {fmean(pair[1] for pair in pairs):.3g}"
        return decided(all(ours < alone for ours, alone in pairs), [told])

    return decide
