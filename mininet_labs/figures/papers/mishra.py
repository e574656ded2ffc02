"""Mishra, thesis 3450 (2013), section 6: figures 6.2, 6.3 and 6.7."""

from __future__ import annotations

from mininet_labs.figures.experiments.deliveries import LEARNED_CUTS, DeliveryCase
from mininet_labs.figures.experiments.delivery_lengths import (
    ALGORITHM1,
    LEARNED,
    VARIANTS,
    DeliveryExperiment,
    Scale,
    delivery_choices,
    with_variants,
)
from mininet_labs.figures.figure import (
    Experiment,
    Panel,
    PaperClaim,
    PaperFigure,
    ParameterChoice,
    Size,
    columns,
)
from mininet_labs.figures.rules import Ordered, RatioWithin, Trend, Within
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.ranges import RangeTraffic

ORDER_REASON = (
    "The means are in this order at every length, but the differences are within the spread. The "
    "subscriptions of a host cover only a few percent of the space with narrow uniform filters, so that"
    " a second subscription rarely matches the false positives of the first. Around hot spots (6.3) they "
    "overlap, and the claim holds."
)
RANGE_REASON = (
    "The rate depends on filter widths and on how much of the space the subscriptions of a host cover, "
    "which the thesis does not give. With narrow filters, a cell of 23 bits is large compared with a "
    "filter. With wide filters and 1,600 subscriptions, one seed with 2,000 events gave 1.2 % at 17 "
    "bits."
)
FEWER_FLOWS_REASON = (
    "With few bits, tables fill up: neighbouring cells get the same outputs, and one flow with a "
    "shorter dz replaces them. So more subscriptions need fewer flows at 5 bits. From 11 bits on, the "
    "order holds."
)
INGRESS_REASON = (
    "Four hosts publish and subscribe. The planner adds flows that send an event back to its ingress "
    "port. Algorithm 1 has none, so its hosts do not receive these events. The next claim compares the "
    "other flows."
)

SEEDS = {Size.TINY: (1,), Size.QUICK: (1, 2, 3, 4, 5), Size.FULL: (1, 2, 3, 4, 5)}
SCALES = {
    Size.TINY: Scale((5, 11), (10, 30), 100),
    Size.QUICK: Scale((5, 11, 17, 23), (50, 150, 450), 5_000),
    Size.FULL: Scale((5, 8, 11, 14, 17, 20, 23), (100, 400, 1600), 20_000),
}
WIDTHS, WIDE = (0.01, 0.2), (0.1, 0.5)
PUBLISHERS, MORE_PUBLISHERS = 4, 8
EXPONENT, HIGHER_EXPONENT = 0.8, 1.2
UNIFORM = DeliveryCase(RangeTraffic(3, 10_000, WIDTHS, 5, None, code=0), "ipv4", 250, PUBLISHERS)
ZIPF = DeliveryCase(RangeTraffic(3, 10_000, WIDTHS, 5, EXPONENT, code=0), "ipv4", 250, PUBLISHERS)

_COMMON = (
    ParameterChoice(
        "network", "fat tree, 10 switches, 8 hosts", "ours", "8 hosts given, the tree only in the picture"
    ),
    ParameterChoice("attributes", "3, values 0 to 10000", "paper"),
    ParameterChoice("dz per filter", "at most 250", "paper"),
    ParameterChoice("address", "IPv4, 23 bits of dz", "paper"),
    ParameterChoice("filter widths", list(WIDTHS), "ours", "shares of the domain, not given; narrow filters"),
    ParameterChoice("second filter widths", list(WIDE), "ours", "wide filters"),
    ParameterChoice(
        "publishers", PUBLISHERS, "ours", "hosts that advertise everything; not given, half of the hosts"
    ),
    ParameterChoice("second publishers", MORE_PUBLISHERS, "ours", "all hosts"),
    ParameterChoice("learned cuts", LEARNED_CUTS, "ours", "maximum size of a learned event space"),
)
_ZIPF = (
    ParameterChoice("hot spots", 5, "paper"),
    ParameterChoice("Zipf exponent", EXPONENT, "paper"),
    ParameterChoice(
        "second Zipf exponent", HIGHER_EXPONENT, "ours", "most filters and events at one hot spot"
    ),
    ParameterChoice("deviation around a hot spot", 0.05, "ours", "share of the domain; not given"),
)


def _experiment(
    name: str, part: DeliveryExperiment, own: tuple[ParameterChoice, ...], seconds: float
) -> Experiment:
    return Experiment(
        name=name,
        measure=part.rows,
        choices=delivery_choices(own, SCALES),
        seconds={Size.TINY: 2, Size.QUICK: seconds, Size.FULL: 24 * seconds},
        seeds=SEEDS,
    )


_UNIFORM = DeliveryExperiment("uniform", UNIFORM, SCALES, with_variants(UNIFORM, WIDE, MORE_PUBLISHERS, None))
_HOT_SPOTS = DeliveryExperiment(
    "Zipf", ZIPF, SCALES, with_variants(ZIPF, WIDE, MORE_PUBLISHERS, HIGHER_EXPONENT)
)
UNIFORM_LENGTHS = _experiment("mishra-uniform", _UNIFORM, _COMMON, 150)
ZIPF_LENGTHS = _experiment("mishra-zipf", _HOT_SPOTS, (*_COMMON, *_ZIPF), 150)


def _length_claims(part: DeliveryExperiment, size: Size) -> tuple[PaperClaim, ...]:
    series = part.all_series(size)
    return (
        PaperClaim(
            "falls",
            "The longer the dz-expressions are, the lesser the false positives.",
            "6.2.1",
            Trend("fpr", series, "falls"),
        ),
        PaperClaim(
            "order",
            "For a less number of subscriptions, an event space which was not subscribed might fit into the "
            "filtering criteria; for a large number, the event might have been included by some other one.",
            "6.2.1",
            Ordered("fpr", series[::-1]),
            reason=ORDER_REASON,
        ),
        PaperClaim(
            "no false positive by dz",
            "There are absolutely no false positives as far as dzs are concerned.",
            "6.2.1",
            Within("outside_dz", series, 0, 0),
        ),
    )


def _uniform_claims(size: Size) -> tuple[PaperClaim, ...]:
    most = _UNIFORM.all_series(size)[-1]
    return (
        *_length_claims(_UNIFORM, size),
        PaperClaim(
            "range at 23 bits",
            "With increase in the length of the dz-expressions the false positives decrease to 2.5-3 %.",
            "6.2.1",
            Within("fpr", (most,), 0, 5, at=-1),
            reason=RANGE_REASON,
        ),
    )


def _zipf_claims(size: Size) -> tuple[PaperClaim, ...]:
    most, uniform = _HOT_SPOTS.all_series(size)[-1], _UNIFORM.all_series(size)[-1]
    return (
        *_length_claims(_HOT_SPOTS, size),
        PaperClaim(
            "below uniform",
            "The average false positive rate was found to hover around 1-2 % considering large number of "
            "subscriptions (uniform: 2.5-3 %).",
            "6.2.1",
            RatioWithin("fpr", most, uniform, 0, 1, at=-1),
        ),
    )


def _flow_claims(size: Size) -> tuple[PaperClaim, ...]:
    series = _UNIFORM.all_series(size)
    fewest = series[0]
    return (
        PaperClaim(
            "rises with length",
            "As the granularity of subscription spaces is increased, this would result in an increase in the "
            "number of flows.",
            "6.2.3",
            Trend("flows", series, "rises"),
        ),
        PaperClaim(
            "rises with subscriptions",
            "As the number of subscribers increases, the average number of flows per switch naturally shows "
            "a tendency to grow.",
            "6.2.3",
            Ordered("flows", series),
            reason=FEWER_FLOWS_REASON,
        ),
        PaperClaim(
            "planner and Algorithm 1",
            "Ours: the planner needs no more flows than Algorithm 1 for the same requests.",
            "not in the paper",
            RatioWithin("flows", fewest, f"{fewest}, {ALGORITHM1}", 0, 1),
            reason=INGRESS_REASON,
        ),
        PaperClaim(
            "planner and Algorithm 1, forward flows",
            "Ours: without flows that send an event back to its ingress port, which Algorithm 1 does not "
            "have, the planner needs no more flows.",
            "not in the paper",
            RatioWithin("forward_flows", fewest, f"{fewest}, {ALGORITHM1}", 0, 1),
        ),
    )


def _zipf_rows(row: Row) -> Row | None:
    """Select the rows of 6.3, with the uniform rows that a claim compares."""
    if row["series"].startswith("uniform") and (row.get("group") or "," in row["series"][9:]):
        return None
    return _FPR(row)


def _flow_rows(row: Row) -> Row | None:
    """Select flows; those of Algorithm 1 are all forward flows."""
    if "flows" not in row or row["series"].endswith(LEARNED):
        return None
    return _FLOWS({"forward_flows": row["flows"], **row})


_FPR = columns("fpr", optional=("outside_dz",))
_FLOWS = columns("flows", "forward_flows")
_LENGTH = "length of dz, bits"
_RATE = "false positives, % of events received"
_PANELS = (
    Panel("fpr", _RATE),
    Panel("fpr", _RATE, "second values of parameters", VARIANTS),
)

FIGURES = (
    PaperFigure(
        paper="mishra",
        number="6.2",
        title="False positives over the length of dz, uniform",
        x_label=_LENGTH,
        experiments=(UNIFORM_LENGTHS,),
        panels=_PANELS,
        claims=_uniform_claims,
        select=_FPR,
    ),
    PaperFigure(
        paper="mishra",
        number="6.3",
        title="False positives over the length of dz, Zipf",
        x_label=_LENGTH,
        experiments=(ZIPF_LENGTHS, UNIFORM_LENGTHS),
        panels=_PANELS,
        claims=_zipf_claims,
        select=_zipf_rows,
    ),
    PaperFigure(
        paper="mishra",
        number="6.7",
        title="Flows of a switch over the length of dz, uniform",
        x_label=_LENGTH,
        experiments=(UNIFORM_LENGTHS,),
        panels=(
            Panel("flows", "mean flows of a switch"),
            Panel("flows", "mean flows of a switch", "second values of parameters", VARIANTS),
        ),
        claims=_flow_claims,
        select=_flow_rows,
    ),
)
