"""Bhowmik et al. (DEBS 2017), section 6: figures 5(a) to 5(l)."""

from __future__ import annotations

from collections.abc import Callable

from mininet_labs.figures.experiments.aggregation import FIGURES as COMPARISONS
from mininet_labs.figures.experiments.aggregation import SECOND, AggregationExperiment
from mininet_labs.figures.experiments.aggregation_extents import EXTENTS
from mininet_labs.figures.figure import (
    Experiment,
    Panel,
    PaperClaim,
    PaperFigure,
    ParameterChoice,
    Size,
    columns,
)
from mininet_labs.figures.papers.debs_claims import (
    merged_claims,
    sampling_claims,
    sampling_time_claims,
    sawtooth_claims,
    stock_claims,
    switch_claims,
    time_claims,
    uniform_claims,
    zipf_claims,
)
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.aggregation import ATTRIBUTES, HOT_SPOTS, PUBLISHERS, SIDES, SPREAD

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
"""Estimated time of the full size relative to the quick one; it has not been run yet."""


def _choices(size: Size) -> tuple[ParameterChoice, ...]:
    extent = EXTENTS[size.value]
    paper = "300 in the paper"
    return (
        ParameterChoice("attributes", f"{ATTRIBUTES}, values 0 to 1023", "paper"),
        ParameterChoice("hot spots", HOT_SPOTS, "paper"),
        ParameterChoice(
            "regular tree", f"{extent.tree[0]} children, depth {extent.tree[1]}", "ours", "not given"
        ),
        ParameterChoice("switches of the random graph", extent.switches, "ours", paper),
        ParameterChoice("mean degree of the random graph", 3, "ours", "not given"),
        ParameterChoice("hosts", extent.hosts, "ours", "4,402 in the paper"),
        ParameterChoice("subscriptions", list(extent.subscriptions), "ours", "15,000 in the paper"),
        ParameterChoice("events", extent.events, "ours", "100,000 in the paper; as many unseen ones"),
        ParameterChoice("budget", extent.budget, "ours", "up to 600 in the paper"),
        ParameterChoice("publishers", PUBLISHERS, "ours", "not given; each with a part of the space"),
        ParameterChoice("second publishers", 4, "ours", "half of them"),
        ParameterChoice(
            "filter widths", dict(SIDES), "ours", "not given; powers of two, which dz represent exactly"
        ),
        ParameterChoice("second filter widths", "twice as wide", "ours", "filters that select much"),
        ParameterChoice("deviation around a hot spot", SPREAD, "ours", "not given"),
        ParameterChoice("Zipf exponent", 1.0, "ours", "not given"),
        ParameterChoice("second Zipf exponent", 2.0, "ours", "most filters and events at one hot spot"),
        ParameterChoice("dz per filter", extent.cells, "ours", "not given"),
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
    _figure("5a", "Regular tree, uniform", _NUMBER, (TREE_UNIFORM,), uniform_claims),
    _figure("5b", "Regular tree, 8 hot spots", _NUMBER, (TREE_ZIPF,), zipf_claims, panels=_SECOND),
    _figure("5c", "Regular tree, merged entries", _MERGED, (TREE_BUDGETS,), merged_claims, panels=_BY_MERGED),
    _figure("5d", "Random graph, uniform", _NUMBER, (GRAPH_UNIFORM,), uniform_claims),
    _figure("5e", "Random graph, 8 hot spots", _NUMBER, (GRAPH_ZIPF,), zipf_claims),
    _figure(
        "5f", "Random graph, merged entries", _MERGED, (GRAPH_BUDGETS,), merged_claims, panels=_BY_MERGED
    ),
    _timed_figure("5g", "Run time by subscriptions", _NUMBER, (GRAPH_ZIPF,), time_claims),
    _timed_figure("5h", "Run time by switches", "switches", (SWITCHES,), switch_claims),
    _figure("5i", "Random graph, by sampling", _FACTOR, (SAMPLING,), sampling_claims),
    _timed_figure("5j", "Run time by sampling", _FACTOR, (SAMPLING,), sampling_time_claims),
    _figure("5k", "Stock quotes and testbed, by sampling", _FACTOR, (STOCKS, TESTBED), stock_claims),
    _figure("5l", "LA, and LA with periodic FA-PB", _NUMBER, (SAWTOOTH,), sawtooth_claims),
)
