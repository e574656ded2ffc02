"""Bhowmik et al. (DEBS 2017), section 6: figures 5(a) to 5(l)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mininet_labs.figures.experiments.aggregation import FIGURES as COMPARISONS
from mininet_labs.figures.experiments.aggregation import SECOND, AggregationExperiment
from mininet_labs.figures.experiments.aggregation_extents import EXTENTS
from mininet_labs.figures.figure import Choice, Experiment, Panel, PaperClaim, PaperFigure, Size, columns
from mininet_labs.figures.papers.debs_rules import (
    falls_at_every_run,
    few_at_half_merged,
    is_below_alone,
    near_complete,
    reduction_of,
)
from mininet_labs.figures.rules import Custom, Ordered, RatioWithin, Rule, Trend, Within
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.aggregation import ATTRIBUTES, HOT_SPOTS, PUBLISHERS, SIDES, SPREAD

EVENTS = {"fpr_training": "training events, as in the paper", "fpr": "unseen events"}
_BY_NAME = {comparison.name: comparison for comparison in COMPARISONS}

QUICK_SECONDS = {
    "tree-uniform": 45,
    "tree-zipf": 110,
    "tree-budgets": 120,
    "graph-uniform": 28,
    "graph-zipf": 36,
    "graph-budgets": 81,
    "switches": 52,
    "sampling": 46,
    "stocks": 71,
    "testbed": 35,
    "sawtooth": 53,
}
"""Measured seconds of five seeds at the quick size."""

FULL_FACTOR = 100
"""Estimated time of the full size relative to the quick one; nobody has run it yet."""


def _choices(size: Size) -> tuple[Choice, ...]:
    extent = EXTENTS[size.value]
    paper = "300 in the paper"
    return (
        Choice("attributes", f"{ATTRIBUTES}, values 0 to 1023", "paper"),
        Choice("hot spots", HOT_SPOTS, "paper"),
        Choice("regular tree", f"{extent.tree[0]} children, depth {extent.tree[1]}", "ours", "not given"),
        Choice("switches of the random graph", extent.switches, "ours", paper),
        Choice("mean degree of the random graph", 3, "ours", "not given"),
        Choice("hosts", extent.hosts, "ours", "4,402 in the paper"),
        Choice("subscriptions", list(extent.subscriptions), "ours", "15,000 in the paper"),
        Choice("events", extent.events, "ours", "100,000 in the paper; as many unseen ones"),
        Choice("budget", extent.budget, "ours", "up to 600 in the paper"),
        Choice("publishers", PUBLISHERS, "ours", "not given; each with a part of the space"),
        Choice("second publishers", 4, "ours", "half of them"),
        Choice("filter widths", dict(SIDES), "ours", "not given; powers of two, which dz represent exactly"),
        Choice("second filter widths", "twice as wide", "ours", ""),
        Choice("deviation around a hot spot", SPREAD, "ours", "not given"),
        Choice("Zipf exponent", 1.0, "ours", "not given"),
        Choice("second Zipf exponent", 2.0, "ours", "most filters and events at one hot spot"),
        Choice("dz per filter", extent.cells, "ours", "not given"),
    )


def _experiment(name: str, varied: bool = False, prefix: str = "") -> Experiment:
    seconds = QUICK_SECONDS[name]
    return Experiment(
        name=f"debs-{name}",
        measure=AggregationExperiment(_BY_NAME[name], varied, prefix).rows,
        choices=_choices,
        seconds={Size.TINY: 1, Size.QUICK: seconds, Size.FULL: FULL_FACTOR * seconds},
        seeds={Size.TINY: (1,), Size.QUICK: (1, 2, 3, 4, 5), Size.FULL: (1, 2, 3, 4, 5)},
        timed=frozenset({"seconds", "us"}),
    )


TREE_UNIFORM = _experiment("tree-uniform")
TREE_ZIPF = _experiment("tree-zipf", varied=True)
TREE_BUDGETS = _experiment("tree-budgets")
GRAPH_UNIFORM = _experiment("graph-uniform")
GRAPH_ZIPF = _experiment("graph-zipf")
GRAPH_BUDGETS = _experiment("graph-budgets")
SWITCHES = _experiment("switches")
SAMPLING = _experiment("sampling")
STOCKS = _experiment("stocks", prefix="stock quotes, ")
TESTBED = _experiment("testbed", prefix="testbed, ")
SAWTOOTH = _experiment("sawtooth")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement of the paper about false positives, which is judged on both sets of events."""

    name: str
    text: str
    rule: Callable[[str], Rule]
    reason: str = ""
    reason_unseen: str = ""

    def claims(self) -> tuple[PaperClaim, ...]:
        reasons = {"fpr_training": self.reason, "fpr": self.reason_unseen or self.reason}
        return tuple(
            PaperClaim(f"{self.name}, {shown}", self.text, "6", self.rule(value), reasons[value])
            for value, shown in EVENTS.items()
        )


_LA_IS_WORST = _Statement(
    "LA is worst",
    "The local aggregation approach is heavily outperformed by the other two.",
    lambda value: Ordered(value, ("fa-lb", "la")),
)
_EQUIVALENT = _Statement(
    "LB and PB alike",
    "In case of uniform distribution, the performances of FA-LB and FA-PB are almost equivalent.",
    lambda value: RatioWithin(value, "fa-lb", "fa-pb", 0.85, 1.15),
)
_ORDER = _Statement(
    "order",
    "FA-PB clearly outperforms FA-LB; LA is heavily outperformed by the other two.",
    lambda value: Ordered(value, ("fa-pb", "fa-lb", "la")),
)
_REDUCTION = _Statement(
    "99.9 % fewer",
    "When using FA-PB, the false positive rate is reduced by up to 99.9 % as compared to LA and is almost "
    "non-existent.",
    lambda value: Custom(
        "max over x of 1 − FA-PB / LA, by the means, at least 0.999", (value,), reduction_of(value)
    ),
)
_FEW_AT_HALF = _Statement(
    "few at half merged",
    "Even when a large percentage of flows are aggregated, it results in very low false positives for FA-PB.",
    lambda value: Custom(
        "FA-PB: at most 1 % of the copies at each point with at least 50 % of the entries merged",
        (value,),
        few_at_half_merged(value),
    ),
)


def _uniform_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (*_LA_IS_WORST.claims(), *_EQUIVALENT.claims())


def _zipf_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (*_ORDER.claims(), *_REDUCTION.claims())


def _merged_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (*_FEW_AT_HALF.claims(), *_ORDER.claims())


_PB_ABOVE_LB = PaperClaim(
    "PB takes longer than LB",
    "FA-PB has a higher runtime overhead than FA-LB consistently.",
    "6",
    Ordered("seconds", ("fa-lb", "fa-pb")),
)


def _time_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (
        _PB_ABOVE_LB,
        PaperClaim(
            "LA in 200 µs",
            "The average runtime overhead for LA is merely 200 microseconds on a switch.",
            "6",
            Within("us", ("la",), -1e9, 200),
        ),
    )


def _switch_claims(size: Size) -> tuple[PaperClaim, ...]:
    return (
        PaperClaim(
            "rises",
            "The overhead for both FA-PB and FA-LB increases with increasing number of switches.",
            "6",
            Trend("seconds", ("fa-lb", "fa-pb"), "rises"),
        ),
        _PB_ABOVE_LB,
    )


def _sampling_claims(size: Size) -> tuple[PaperClaim, ...]:
    return _Statement(
        "falls",
        "More the value of sfr, fewer are the false positives.",
        lambda value: Trend(value, ("fa-pb",), "falls"),
    ).claims()


def _sampling_time_claims(size: Size) -> tuple[PaperClaim, ...]:
    text = "Higher the sampling factor of FA-PB, higher is the overhead."
    return (PaperClaim("rises", text, "6", Trend("seconds", ("fa-pb",), "rises")),)


def _stock_claims(size: Size) -> tuple[PaperClaim, ...]:
    testbed = PaperClaim(
        "falls on the testbed",
        "On the real SDN testbed, the false positive rate decreases rapidly with increasing sampling factor.",
        "6",
        Trend("unwanted", ("testbed, fa-pb",), "falls"),
    )
    statement = _Statement(
        "sampling 0.4 is enough",
        "Even for a sampling factor of just 0.4, the network has almost no false positives (stock data).",
        lambda value: Custom(
            "stock quotes: at 0.4 at most 1.2 times the rate at 1.0, by the means",
            (value,),
            near_complete(value, "stock quotes, fa-pb"),
        ),
    )
    return (*statement.claims(), testbed)


def _sawtooth_claims(size: Size) -> tuple[PaperClaim, ...]:
    series = "la with fa-pb"
    falls = _Statement(
        "falls at every run",
        "The false positive rate gradually increases when LA is used till FA-PB is performed, which makes "
        "the false positives almost negligible.",
        lambda value: Custom(
            "at every run of FA-PB, the mean is lower after it", (value,), falls_at_every_run(value, series)
        ),
    )
    below = _Statement(
        "below LA alone",
        "The behavior if only LA is employed shows the false positives reduced by FA-PB.",
        lambda value: Custom(
            "mean over all x below that of LA alone, in every seed", (value,), is_below_alone(value, series)
        ),
    )
    return (*falls.claims(), *below.claims())


_RATE = "network false-positive rate, % of copies"
_COLUMNS = ("fpr", "fpr_training", "added", "merged")
_RATES = columns(*_COLUMNS, optional=("after", "unwanted"))
_TRAINING = Panel("fpr_training", _RATE, "training events")
_UNSEEN = Panel("fpr", _RATE, "unseen events")
_MERGED = "entries merged, %"
_NUMBER = "subscriptions"
_FACTOR = "sampling factor"


def _figure(
    number: str,
    title: str,
    x_label: str,
    experiments: tuple[Experiment, ...],
    claims: Callable[[Size], tuple[PaperClaim, ...]],
    *,
    panels: tuple[Panel, ...] = (_TRAINING, _UNSEEN),
) -> PaperFigure:
    return PaperFigure("debs", number, title, x_label, experiments, panels, claims, _RATES)


def _timed_figure(
    number: str,
    title: str,
    x_label: str,
    experiments: tuple[Experiment, ...],
    claims: Callable[[Size], tuple[PaperClaim, ...]],
) -> PaperFigure:
    panels = (
        Panel("seconds", "processor time of a run, s"),
        Panel("us", "time that LA adds to a request, µs"),
    )
    return PaperFigure("debs", number, title, x_label, experiments, panels, claims, _time_row)


def _time_row(row: Row) -> Row | None:
    """Select the rows with a time; those of second values belong to another figure."""
    if "group" in row or not {"seconds", "us"} & row.keys():
        return None
    return {name: row[name] for name in ("seed", "x", "series", "seconds", "us") if name in row}


_BY_MERGED = (
    Panel("fpr_training", _RATE, "training events", x="merged", x_label=_MERGED),
    Panel("fpr", _RATE, "unseen events", x="merged", x_label=_MERGED),
)
_SECOND = (_TRAINING, _UNSEEN, Panel("fpr", _RATE, "second values, unseen events", SECOND))

FIGURES = (
    _figure("5a", "Regular tree, uniform", _NUMBER, (TREE_UNIFORM,), _uniform_claims),
    _figure("5b", "Regular tree, 8 hot spots", _NUMBER, (TREE_ZIPF,), _zipf_claims, panels=_SECOND),
    _figure(
        "5c", "Regular tree, merged entries", _MERGED, (TREE_BUDGETS,), _merged_claims, panels=_BY_MERGED
    ),
    _figure("5d", "Random graph, uniform", _NUMBER, (GRAPH_UNIFORM,), _uniform_claims),
    _figure("5e", "Random graph, 8 hot spots", _NUMBER, (GRAPH_ZIPF,), _zipf_claims),
    _figure(
        "5f", "Random graph, merged entries", _MERGED, (GRAPH_BUDGETS,), _merged_claims, panels=_BY_MERGED
    ),
    _timed_figure("5g", "Run time by subscriptions", _NUMBER, (GRAPH_ZIPF,), _time_claims),
    _timed_figure("5h", "Run time by switches", "switches", (SWITCHES,), _switch_claims),
    _figure("5i", "Random graph, by sampling", _FACTOR, (SAMPLING,), _sampling_claims),
    _timed_figure("5j", "Run time by sampling", _FACTOR, (SAMPLING,), _sampling_time_claims),
    _figure("5k", "Stock quotes and testbed, by sampling", _FACTOR, (STOCKS, TESTBED), _stock_claims),
    _figure("5l", "LA, and LA with periodic FA-PB", _NUMBER, (SAWTOOTH,), _sawtooth_claims),
)
