"""PLEROMA (Middleware 2014), section 6: figures 7(d), 7(e) and 7(f)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from mininet_labs.figures.experiments import reconfiguration, selection
from mininet_labs.figures.experiments.deliveries import LEARNED_CUTS, DeliveryCase
from mininet_labs.figures.experiments.delivery_lengths import (
    VARIANTS,
    DeliveryExperiment,
    Scale,
    delivery_choices,
    with_variants,
)
from mininet_labs.figures.experiments.selection import SelectionExperiment, SelectionScale
from mininet_labs.figures.figure import (
    Experiment,
    Panel,
    PaperClaim,
    PaperFigure,
    ParameterChoice,
    Size,
    columns,
)
from mininet_labs.figures.papers.pleroma_reconfiguration import RECONFIGURATION, reconfiguration_claims
from mininet_labs.figures.rules import ClaimFinding, Custom, Ordered, Trend, decided
from mininet_labs.figures.samples import Row, is_beyond_spread, points
from mininet_labs.figures.workloads.ranges import RangeTraffic

FALLS_REASON = (
    "The rate falls up to 24 bits, and is constant from there on: a filter in four attributes needs "
    "more than its 64 dz to become finer. Differences of hundredths of a percent among the constant "
    "values reduce the rank correlation to 0.7."
)
ORDER_REASON = (
    "The means are in this order, but the differences are within the spread: uniform filters of a host "
    "rarely overlap in four attributes. Around hot spots they do, and the claim holds."
)

SEEDS = {Size.TINY: (1,), Size.QUICK: (1, 2, 3, 4, 5), Size.FULL: (1, 2, 3, 4, 5)}
SCALES = {
    Size.TINY: Scale((8, 16), (10, 30), 100),
    Size.QUICK: Scale((8, 16, 24, 32, 40), (50, 150, 450), 5_000),
    Size.FULL: Scale((4, 8, 12, 16, 20, 24, 28, 32, 36, 40), (100, 400, 1600), 20_000),
}
WIDTHS, WIDE = (0.01, 0.2), (0.1, 0.5)
PUBLISHERS, MORE_PUBLISHERS = 4, 8
EXPONENT, HIGHER_EXPONENT = 1.0, 2.0
UNIFORM = DeliveryCase(RangeTraffic(4, 1_023, WIDTHS, 7, None), "ipv6", 64, PUBLISHERS)
ZIPF = DeliveryCase(RangeTraffic(4, 1_023, WIDTHS, 7, EXPONENT), "ipv6", 64, PUBLISHERS)

_NETWORK = ParameterChoice("network", "fat tree, 10 switches, 8 hosts", "paper")
_DELIVERIES = (
    _NETWORK,
    ParameterChoice("attributes", "4, values 0 to 1023", "ours", "range given; number not given here"),
    ParameterChoice("dz per filter", "at most 64", "ours", "not given"),
    ParameterChoice("filter widths", list(WIDTHS), "ours", "shares of the domain, not given; narrow filters"),
    ParameterChoice("second filter widths", list(WIDE), "ours", "wide filters"),
    ParameterChoice(
        "publishers", PUBLISHERS, "ours", "hosts that advertise everything; not given, half of the hosts"
    ),
    ParameterChoice("second publishers", MORE_PUBLISHERS, "ours", "all hosts"),
    ParameterChoice("hot spots", 7, "paper"),
    ParameterChoice("Zipf exponent", EXPONENT, "ours", "not given"),
    ParameterChoice(
        "second Zipf exponent", HIGHER_EXPONENT, "ours", "most filters and events at one hot spot"
    ),
    ParameterChoice("deviation around a hot spot", 0.05, "ours", "share of the domain; not given"),
    ParameterChoice("learned cuts", LEARNED_CUTS, "ours", "maximum size of a learned event space"),
)

_UNIFORM = DeliveryExperiment("uniform", UNIFORM, SCALES, with_variants(UNIFORM, WIDE, MORE_PUBLISHERS, None))
_HOT_SPOTS = DeliveryExperiment(
    "Zipf", ZIPF, SCALES, with_variants(ZIPF, WIDE, MORE_PUBLISHERS, HIGHER_EXPONENT)
)


def _deliveries(name: str, part: DeliveryExperiment) -> Experiment:
    return Experiment(
        name=name,
        measure=part.rows,
        choices=delivery_choices(_DELIVERIES, SCALES),
        seconds={Size.TINY: 2, Size.QUICK: 100, Size.FULL: 1_200},
        seeds=SEEDS,
    )


UNIFORM_LENGTHS = _deliveries("pleroma-uniform", _UNIFORM)
ZIPF_LENGTHS = _deliveries("pleroma-zipf", _HOT_SPOTS)


def _length_claims(size: Size) -> tuple[PaperClaim, ...]:
    uniform, zipf = _UNIFORM.all_series(size), _HOT_SPOTS.all_series(size)
    fewer = (
        "For less number of subscriptions, an event might fit into the filtering criteria of a subspace "
        "which does not actually contain it."
    )
    return (
        PaperClaim(
            "falls",
            "With increase in the length of the dz the false positives decrease for both distributions.",
            "6.4",
            Trend("fpr", (*uniform, *zipf), "falls"),
            reason=FALLS_REASON,
        ),
        PaperClaim("order, uniform", fewer, "6.4", Ordered("fpr", uniform[::-1]), ORDER_REASON),
        PaperClaim("order, Zipf", fewer, "6.4", Ordered("fpr", zipf[::-1])),
    )


SELECTION_SCALES = {
    Size.TINY: SelectionScale(20, 200, 14),
    Size.QUICK: SelectionScale(400, 10_000, 24),
    Size.FULL: SelectionScale(2_000, 50_000, 24),
}


def _selection_choices(size: Size) -> tuple[ParameterChoice, ...]:
    scale = SELECTION_SCALES[size]
    return (
        ParameterChoice("attributes", "7, values 0 to 1023", "paper"),
        ParameterChoice("distribution", "Zipf, 7 hot spots", "paper"),
        ParameterChoice("attributes with limited events", selection.HELD, "ours", "not given which"),
        ParameterChoice("attributes that a filter tests", selection.TESTED, "ours", "not given"),
        ParameterChoice("dz length", scale.depth, "ours", "not given; few bits, so that attributes compete"),
        ParameterChoice("dz per filter", selection.CELLS, "ours", "not given"),
        ParameterChoice("subscriptions", scale.subscriptions, "ours", "not given"),
        ParameterChoice(
            "hosts", selection.HOSTS, "ours", "few subscriptions a host, so that attributes matter"
        ),
        ParameterChoice("events", scale.events, "ours", "half for the choice, half for its evaluation"),
    )


SELECTION = Experiment(
    name="pleroma-selection",
    measure=SelectionExperiment(SELECTION_SCALES).rows,
    choices=_selection_choices,
    seconds={Size.TINY: 1, Size.QUICK: 60, Size.FULL: 1_200},
    seeds=SEEDS,
)


def _fewer_is_better(rows: Sequence[Row]) -> ClaimFinding:
    parts, holds = [], True
    for name in selection.HELD:
        found = points(rows, "fpr", name)
        every = found.pop(max(found))
        best = min(found, key=lambda number: fmean(found[number]))
        holds = holds and is_beyond_spread(found[best], every)
        parts.append(f"{name}: {fmean(found[best]):.4g} with {best}, {fmean(every):.4g} with 7")
    return decided(holds, parts)


def _spectral_is_near(rows: Sequence[Row]) -> ClaimFinding:
    """Compare PLEROMA's choice with the greedy one, which Tercast measures."""
    by_spectral = points(rows, "fpr", selection.SPECTRAL)
    by_greedy = points(rows, "fpr", selection.GREEDY)
    parts, holds = [], True
    for held, values in by_spectral.items():
        share = fmean(values) / fmean(by_greedy[held])
        holds = holds and share <= 1.1
        parts.append(f"{held:g} limited: {fmean(values):.4g} / {fmean(by_greedy[held]):.4g} = {share:.3g}")
    return decided(holds, parts)


def _selection_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (
        PaperClaim(
            "fewer attributes",
            "Reduction of dimensions proves to be an effective way for decreasing false positives.",
            "6.4",
            Custom(
                "for each workload, the best choice of fewer than 7 attributes causes fewer false positives "
                "than all 7, and the difference exceeds the spread",
                ("fpr",),
                _fewer_is_better,
            ),
        ),
        PaperClaim(
            "spectral choice",
            "Dimensions are selected by the coefficients of the leading eigenvector.",
            "5",
            Custom(
                "for each workload, the mean is at most 1.1 times the false positives of the greedy choice",
                ("fpr",),
                _spectral_is_near,
            ),
            reason=(
                "With five limited attributes, the leading eigenvector selects one or two attributes. It "
                "measures how the number of matching subscriptions varies, not which false positives an "
                "attribute avoids together with the others. The greedy choice measures the latter."
            ),
        ),
    )


_RATE = "false positives, % of events received"
_MILLISECONDS = "processor time of a request, ms"

FIGURES = (
    PaperFigure(
        paper="pleroma",
        number="7d",
        title="False positives over the length of dz",
        x_label="length of dz, bits",
        experiments=(UNIFORM_LENGTHS, ZIPF_LENGTHS),
        panels=(Panel("fpr", _RATE), Panel("fpr", _RATE, "second values of parameters", VARIANTS)),
        claims=_length_claims,
        select=columns("fpr"),
    ),
    PaperFigure(
        paper="pleroma",
        number="7e",
        title="False positives with fewer indexed attributes",
        x_label="indexed attributes, first by the leading eigenvector",
        experiments=(SELECTION,),
        panels=(
            Panel("fpr", _RATE),
            Panel(
                "fpr", _RATE, "complete choices", selection.CHOICES, x_label="attributes with limited events"
            ),
        ),
        claims=_selection_claims,
        select=columns("fpr", optional=("attributes",)),
    ),
    PaperFigure(
        paper="pleroma",
        number="7f",
        title="Time of one more subscription",
        x_label="subscriptions deployed",
        experiments=(RECONFIGURATION,),
        panels=(
            Panel("ms", _MILLISECONDS),
            Panel(
                "ms",
                _MILLISECONDS,
                "single requests",
                reconfiguration.REQUESTS,
                x_label="flows that the request changed",
            ),
        ),
        claims=reconfiguration_claims,
        select=columns("ms", optional=("per_second", "deployed")),
        note="The times are those of the controller alone. Times with Open vSwitch are not part of it yet.",
    ),
)
