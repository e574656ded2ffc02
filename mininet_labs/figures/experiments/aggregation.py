"""The experiments behind figures 5(a) to 5(l) of Bhowmik et al. (DEBS 2017), section 6.

Each experiment is a function of an extent and a seed. It yields rows: x, method, and the measurements of
`aggregation_trial`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mininet_labs.figures.experiments.aggregation_trial import (
    EXACT,
    LA,
    PERIODIC,
    GrowingNetwork,
    TableJudge,
    TrialSetting,
    periodic,
)
from mininet_labs.figures.workloads.aggregation import Object, Stocks, Synthetic, random_network, regular_tree
from mininet_labs.figures.workloads.synthetic import fat_tree

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Extent:
    """Sizes of all experiments; `quotes` is the size of the real workload."""

    seeds: tuple[int, ...]
    tree: tuple[int, int]
    switches: int
    hosts: int
    subscriptions: tuple[int, ...]
    budget: int
    budgets: tuple[int, ...]
    networks: tuple[int, ...]
    samplings: tuple[float, ...]
    events: int
    cells: int
    stock_cells: int
    stock_budget: int
    testbed_budget: int
    every: int
    step: int


EXTENTS = {
    "tiny": Extent(
        seeds=(1, 2),
        tree=(2, 2),
        switches=8,
        hosts=12,
        subscriptions=(20, 40),
        budget=60,
        budgets=(80, 60),
        networks=(6, 12),
        samplings=(0.5, 1.0),
        events=200,
        cells=50,
        stock_cells=8,
        stock_budget=60,
        testbed_budget=60,
        every=20,
        step=10,
    ),
    "quick": Extent(
        seeds=(1, 2, 3, 4, 5),
        tree=(3, 3),
        switches=40,
        hosts=120,
        subscriptions=(200, 400, 600),
        budget=100,
        budgets=(200, 100, 50, 25),
        networks=(15, 30, 60),
        samplings=(0.1, 0.4, 0.7, 1.0),
        events=4000,
        cells=50,
        stock_cells=8,
        stock_budget=100,
        testbed_budget=100,
        every=200,
        step=50,
    ),
    "full": Extent(
        seeds=(1, 2, 3, 4, 5),
        tree=(6, 3),
        switches=300,
        hosts=4402,
        subscriptions=(3000, 6000, 9000, 12000, 15000),
        budget=600,
        budgets=(600, 450, 300, 150, 75),
        networks=(60, 120, 180, 240, 300),
        samplings=(0.05, 0.1, 0.2, 0.4, 0.7, 1.0),
        events=100_000,
        cells=50,
        stock_cells=8,
        stock_budget=600,
        testbed_budget=600,
        every=3000,
        step=500,
    ),
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """An experiment and the figures of the paper that show it; `x` names the variable."""

    name: str
    title: str
    shows: tuple[str, ...]
    x: str
    rows: Callable[[Extent, int, list[Object]], Iterator[Row]]


def _tree(extent: Extent, seed: int) -> Object:
    return regular_tree(*extent.tree, extent.hosts)


def _graph(extent: Extent, seed: int) -> Object:
    return random_network(extent.switches, extent.hosts, seed)


def _by_size(network: Callable[[Extent, int], Object], kind: str) -> Callable[..., Iterator[Row]]:
    def rows(extent: Extent, seed: int, quotes: list[Object]) -> Iterator[Row]:
        setting = TrialSetting(
            network(extent, seed), Synthetic(kind, seed), extent.budget, extent.events, extent.cells
        )
        exact, local, other = (
            GrowingNetwork(setting, "none"),
            GrowingNetwork(setting, LA),
            GrowingNetwork(setting, LA),
        )
        for number in extent.subscriptions:
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
    """Return a network under LA, its judge, and rows of the exact tables and of LA's tables."""
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
    Comparison("tree-uniform", "Regular tree, uniform", ("5a",), SUBSCRIPTIONS, _by_size(_tree, "uniform")),
    Comparison("tree-zipf", "Regular tree, 8 hot spots", ("5b",), SUBSCRIPTIONS, _by_size(_tree, "zipf")),
    Comparison("tree-budgets", "Regular tree, 8 hot spots", ("5c",), "budget", _by_budget(_tree)),
    Comparison("graph-uniform", "Random graph, uniform", ("5d",), SUBSCRIPTIONS, _by_size(_graph, "uniform")),
    Comparison(
        "graph-zipf", "Random graph, 8 hot spots", ("5e", "5g"), SUBSCRIPTIONS, _by_size(_graph, "zipf")
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
