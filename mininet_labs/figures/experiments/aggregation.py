"""The experiments behind figures 5(a) to 5(l) of Bhowmik et al. (DEBS 2017), section 6.

Each experiment is a function of an extent and a seed. It yields rows: x, method, and the measurements of
`aggregation_trial`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mininet_labs.figures.experiments.aggregation_extents import EXTENTS, Extent
from mininet_labs.figures.experiments.aggregation_trial import (
    EXACT,
    LA,
    PERIODIC,
    BudgetTooSmallError,
    GrowingNetwork,
    TableJudge,
    TrialSetting,
    periodic,
)
from mininet_labs.figures.figure import Size
from mininet_labs.figures.samples import Row
from mininet_labs.figures.workloads.aggregation import (
    Object,
    Stocks,
    Synthetic,
    packaged_quotes,
    random_network,
    regular_tree,
)
from mininet_labs.figures.workloads.synthetic import fat_tree


@dataclass(frozen=True, slots=True)
class Comparison:
    """An experiment and the figures of the paper that show it; `x` names the variable."""

    name: str
    title: str
    shows: tuple[str, ...]
    x: str
    rows: Callable[[Extent, int, list[Object]], Iterator[Row]]


def _uniform(seed: int) -> Synthetic:
    return Synthetic("uniform", seed)


def _zipf(seed: int) -> Synthetic:
    return Synthetic("zipf", seed)


def _tree(extent: Extent, seed: int) -> Object:
    return regular_tree(*extent.tree, extent.hosts)


def _graph(extent: Extent, seed: int) -> Object:
    return random_network(extent.switches, extent.hosts, seed)


def _by_size(
    network: Callable[[Extent, int], Object], source: Callable[[int], Synthetic], first: int | None = None
) -> Callable[..., Iterator[Row]]:
    """Run all numbers of subscriptions, or only the first ones."""

    def rows(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
        setting = TrialSetting(
            network(extent, seed), source(seed), extent.budget, extent.events, extent.cells
        )
        exact, local, other = (
            GrowingNetwork(setting, "none"),
            GrowingNetwork(setting, LA),
            GrowingNetwork(setting, LA),
        )
        for number in extent.subscriptions[:first]:
            for grown in (exact, local, other):
                grown.grow(number)
            judge = TableJudge(exact)
            yield {"x": number, "method": EXACT, **judge.exact()}
            spent = round((local.seconds - exact.seconds) / number * 1e6, 1)
            yield {"x": number, "method": LA, "us": spent, **judge.judge(local.planner.tables())}
            yield from _periodic_rows(number, other, judge, seed)

    return rows


def _by_budget(network: Callable[[Extent, int], Object]) -> Callable[..., Iterator[Row]]:
    def rows(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
        wired, workload = network(extent, seed), Synthetic("zipf", seed)
        for budget in extent.budgets:
            setting = TrialSetting(wired, workload, budget, extent.events, extent.cells)
            yield from _one(budget, setting, extent.subscriptions[-1], seed)

    return rows


def _by_share(network: Callable[[Extent, int], Object], kind: str) -> Callable[..., Iterator[Row]]:
    """Use budgets as percentages of the largest exact table."""

    def rows(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
        wired, workload, number = network(extent, seed), Synthetic(kind, seed), extent.subscriptions[-1]
        free = GrowingNetwork(TrialSetting(wired, workload, 0, extent.events, extent.cells), "none")
        free.grow(number)
        largest = max(free.planner.counts().values())
        for share in SHARES:
            budget = round(largest * share / 100)
            setting = TrialSetting(wired, workload, budget, extent.events, extent.cells)
            yield from ({"budget": budget, **row} for row in _one(share, setting, number, seed))

    return rows


def _by_switches(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
    for size in extent.networks:
        wired = random_network(size, extent.hosts, seed)
        setting = TrialSetting(wired, Synthetic("zipf", seed), extent.budget, extent.events, extent.cells)
        yield from _one(size, setting, extent.subscriptions[-1], seed)


def _by_sampling(extent: Extent, seed: int, setting: TrialSetting) -> Iterator[Row]:
    """Run the sampling methods at each factor, and the others for comparison."""
    network, judge, rows = _deployed(setting, extent.subscriptions[-1])
    rows += [{"method": "fa-lb", **periodic(network, judge, "fa-lb", 1.0, seed)}]
    for factor in extent.samplings:
        yield from ({"x": factor, **row} for row in rows)
        for method in ("fa-pb", "optimal"):
            yield {"x": factor, "method": method, **periodic(network, judge, method, factor, seed)}


def _zipf_sampling(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
    wired = _graph(extent, seed)
    setting = TrialSetting(wired, Synthetic("zipf", seed), extent.budget, extent.events, extent.cells)
    return _by_sampling(extent, seed, setting)


def _stock_sampling(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
    wired, workload = _graph(extent, seed), Stocks(quotes, seed)
    return _by_sampling(
        extent, seed, TrialSetting(wired, workload, extent.stock_budget, extent.events, extent.stock_cells)
    )


def _testbed_sampling(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
    """Run the paper's testbed: a fat tree of 10 switches and 8 hosts."""
    workload = Synthetic("zipf", seed)
    return _by_sampling(
        extent, seed, TrialSetting(fat_tree(), workload, extent.testbed_budget, extent.events, extent.cells)
    )


def _sawtooth(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
    """Run LA at every request, and a periodic method after every so many subscriptions."""
    wired = _graph(extent, seed)
    setting = TrialSetting(wired, Synthetic("zipf", seed), extent.budget, extent.events, extent.cells)
    exact, local = GrowingNetwork(setting, "none"), GrowingNetwork(setting, LA)
    others = {method: GrowingNetwork(setting, LA) for method in ("fa-pb", "optimal")}
    for number in range(extent.step, extent.subscriptions[-1] + 1, extent.step):
        for grown in (exact, local, *others.values()):
            grown.grow(number)
        judge = TableJudge(exact)
        yield {"x": number, "method": EXACT, **judge.exact()}
        yield {"x": number, "method": LA, **judge.judge(local.planner.tables())}
        for method, network in others.items():
            name = f"la with {method}"
            yield {"x": number, "method": name, **judge.judge(network.planner.tables())}
            if number % extent.every == 0:
                yield {"x": number, "method": name, **periodic(network, judge, method, 1.0, seed)}


def _one(x: float, setting: TrialSetting, number: int, seed: int) -> Iterator[Row]:
    """Run all methods on one network."""
    network, judge, rows = _deployed(setting, number)
    yield from ({"x": x, **row} for row in rows)
    yield from _periodic_rows(x, network, judge, seed)


def _deployed(setting: TrialSetting, number: int) -> tuple[GrowingNetwork, TableJudge, list[Row]]:
    """Return a network under LA, the check of its tables, and rows of the exact and LA's tables."""
    network = GrowingNetwork(setting, LA)
    network.grow(number)
    judge = TableJudge(network)
    local = judge.judge(network.planner.tables())
    return network, judge, [{"method": EXACT, **judge.exact()}, {"method": LA, **local}]


def _periodic_rows(x: float, network: GrowingNetwork, judge: TableJudge, seed: int) -> Iterator[Row]:
    for method in PERIODIC:
        yield {"x": x, "method": method, **periodic(network, judge, method, 1.0, seed)}


SHARES = (50, 25, 10)

SUBSCRIPTIONS = "subscriptions"
FACTOR = "sampling factor"
SHARE = "budget, % of the largest exact table"

FIGURES = (
    Comparison("tree-uniform", "Regular tree, uniform", ("5a",), SUBSCRIPTIONS, _by_size(_tree, _uniform)),
    Comparison("tree-zipf", "Regular tree, 8 hot spots", ("5b",), SUBSCRIPTIONS, _by_size(_tree, _zipf)),
    Comparison("tree-budgets", "Regular tree, 8 hot spots", ("5c",), "budget", _by_budget(_tree)),
    Comparison("graph-uniform", "Random graph, uniform", ("5d",), SUBSCRIPTIONS, _by_size(_graph, _uniform)),
    Comparison(
        "graph-zipf", "Random graph, 8 hot spots", ("5e", "5g"), SUBSCRIPTIONS, _by_size(_graph, _zipf)
    ),
    Comparison("graph-budgets", "Random graph, 8 hot spots", ("5f",), "budget", _by_budget(_graph)),
    Comparison("switches", "Random graphs, 8 hot spots", ("5h",), "switches", _by_switches),
    Comparison("sampling", "Random graph, 8 hot spots", ("5i", "5j"), FACTOR, _zipf_sampling),
    Comparison("stocks", "Random graph, stock quotes", ("5k",), FACTOR, _stock_sampling),
    Comparison("testbed", "Fat tree, 10 switches, 8 hot spots", ("5k",), FACTOR, _testbed_sampling),
    Comparison("shares-tree-zipf", "Regular tree, 8 hot spots", ("shares",), SHARE, _by_share(_tree, "zipf")),
    Comparison(
        "shares-graph-zipf", "Random graph, 8 hot spots", ("shares",), SHARE, _by_share(_graph, "zipf")
    ),
    Comparison(
        "shares-tree-uniform", "Regular tree, uniform", ("shares",), SHARE, _by_share(_tree, "uniform")
    ),
    Comparison(
        "shares-graph-uniform", "Random graph, uniform", ("shares",), SHARE, _by_share(_graph, "uniform")
    ),
    Comparison("sawtooth", "Random graph, 8 hot spots", ("5l",), SUBSCRIPTIONS, _sawtooth),
)

SECOND_VALUES: dict[str, Callable[[int], Synthetic]] = {
    "filters twice as wide": lambda seed: Synthetic("zipf", seed, scale=2),
    "exponent 2": lambda seed: Synthetic("zipf", seed, exponent=2.0),
    "4 publishers": lambda seed: Synthetic("zipf", seed, publishers=4),
}
"""Workloads of tree-zipf with a second value of a parameter."""

SECOND = "second values"
"""Group of the rows that were measured with a second value of a parameter."""


@dataclass(frozen=True, slots=True)
class AggregationExperiment:
    """Rows of one comparison of methods; with second values of parameters if `varied`.

    Rows have the network false-positive rate on unseen and on training events, the copies added to those of
    exact tables, merged entries, false positives, and processor seconds of a run. A seed
    whose budget is too small ends early, with a row `refused`. `after` is 1 after a periodic run at the same
    number of subscriptions.
    """

    comparison: Comparison
    varied: bool = False
    prefix: str = ""

    def rows(self, size: Size, seed: int) -> Iterator[Row]:
        """Yield the rows of a seed."""
        extent, quotes = EXTENTS[size.value], packaged_quotes() if self.comparison.name == "stocks" else []
        try:
            for row in self.comparison.rows(extent, seed, quotes):
                yield _figure_row(row, f"{self.prefix}{row['method']}")
            if self.varied:
                for name, source in SECOND_VALUES.items():
                    for row in _by_size(_tree, source, first=1)(extent, seed, quotes):
                        if row["method"] != EXACT:
                            yield {**_figure_row(row, f"{row['method']}, {name}"), "group": SECOND}
        except BudgetTooSmallError as reason:
            yield {"x": 0, "series": "refused", "refused": str(reason)}


def _figure_row(row: Row, series: str) -> Row:
    unseen, training = row["unseen"], row["training"]
    found = {
        "x": row["x"],
        "series": series,
        "fpr": unseen["fpr"],
        "fpr_training": training["fpr"],
        "added": unseen["added_percent"],
        "added_training": training["added_percent"],
        "merged": row["merged"],
        "unwanted": unseen["unwanted"],
    }
    times: Row = {name: row[name] for name in ("seconds", "us") if name in row}
    return {**found, **times, "after": int("seconds" in row)}
