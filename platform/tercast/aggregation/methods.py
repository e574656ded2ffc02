"""FA-LB, FA-PB and the method by exceptions, over all switches that are beyond their budgets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from tercast.aggregation.board import Board, make_board
from tercast.aggregation.exceptions import ROUNDS, best_selection
from tercast.aggregation.expected import HOST_WEIGHT
from tercast.aggregation.loads import Loads
from tercast.aggregation.merges import greedy_merges
from tercast.aggregation.order import by_distance, from_publishers
from tercast.aggregation.sample import Sample
from tercast.aggregation.scene import Scene, TableSet
from tercast.aggregation.selection import Selection, Selections
from tercast.aggregation.tables import Cells
from tercast.aggregation.traffic import Traffic
from tercast.aggregation.yardstick import least_merge_cost

LARGE = 150_000
"""Exact entries of switches beyond their budgets from which on less is tried."""

SWEEPS, FEW_ROUNDS = 4, 2

TRACE = 1e-3
"""The weight of events that are thought to be anywhere, as a share of all."""

Flows = Sequence[Sample | Loads]


def load_based(scene: Scene, traffic: Traffic, seed: int) -> Selections:
    """FA-LB (Bhowmik et al., section 5.2)."""
    loads: list[Sample | Loads] = [
        Loads(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics
    ]
    return _from_publishers(scene, loads, seed)


def pattern_based(scene: Scene, traffic: Traffic, seed: int) -> Selections:
    """FA-PB (Bhowmik et al., section 5.2)."""
    samples: list[Sample | Loads] = [
        Sample(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics
    ]
    return _from_publishers(scene, samples, seed)


def by_exceptions(scene: Scene, traffic: Traffic) -> Selections:
    """Merges with exceptions where they pay; what tables downstream make of a needless copy counts.

    Switches that are still to be decided count as exact. Then all are decided again, with the others as they
    are now; the best of all sweeps is kept. Large tables are swept once, and with fewer rounds.
    """
    large = is_large(scene)
    samples = [Sample(scene, topic, traffic.topics.get(topic.name)) for topic in scene.topics]
    sources = [source for sample in samples for source in sample.sources]
    weights = [float(sample.weight[s.events].sum()) for sample in samples for s in sample.sources]
    trace = TRACE * (sum(weights) or 1.0)

    def decide(board: Board, budget: int) -> Selection | None:
        return best_selection(board, budget, HOST_WEIGHT, FEW_ROUNDS if large else ROUNDS)

    order = by_distance(scene, sources, weights, scene.over_budget())
    best: tuple[float, Selections] | None = None
    for _ in range(1 if large else SWEEPS):
        found = _decide(scene, order, samples, decide, follow=True, trace=trace)
        cost = sum(_cost(sample) for sample in samples)
        if best is not None and cost >= best[0]:
            break
        best = cost, found
    return best[1] if best is not None else {}


def is_large(scene: Scene) -> bool:
    """Whether tables beyond budgets are so large that less is tried."""
    return sum(scene.count(s) for s in scene.over_budget()) > LARGE


def _cost(sample: Sample) -> float:
    """What a sample comes to with tables as they are: copies, and deliveries at their weight."""
    copies, delivered = sample.copies()
    return float(copies.sum() + HOST_WEIGHT * delivered.sum())


def _from_publishers(scene: Scene, flows: Flows, seed: int) -> Selections:
    """Both methods of the paper: what is undecided upstream has the coarsest tables there can be."""
    switches = scene.over_budget()
    for switch in switches:
        for topic, flow in zip(scene.topics, flows, strict=True):
            if switch in topic.tables:
                flow.set_tables(switch, coarsest(topic.tables[switch]))
    sources = [source for flow in flows for source in flow.sources]
    order = from_publishers(scene, sources, switches, seed)

    def decide(board: Board, budget: int) -> Selection | None:
        return greedy_merges(board, budget, 1.0)

    return _decide(scene, order, flows, decide, follow=False, trace=0.0)


def _decide(
    scene: Scene,
    order: Sequence[int],
    flows: Flows,
    decide: Callable[[Board, int], Selection | None],
    *,
    follow: bool,
    trace: float,
) -> Selections:
    found: Selections = {}
    for switch in order:
        budget = scene.budgets[switch]
        assert budget is not None
        board = make_board(scene, switch, flows, follow=follow, trace=trace)
        selection = found[switch] = decide(board, budget)
        tables = selection.tables() if selection is not None else {}
        for flow in flows:
            if switch in flow.topic.tables:
                flow.set_tables(switch, tables.get(flow.topic.name, flow.topic.tables[switch]))
    return found


def coarsest(tables: TableSet) -> TableSet:
    """One entry for all of a table, with all of its outputs."""
    return TableSet(_one(tables.plain), {port: _one(cells) for port, cells in tables.inner.items()})


def _one(cells: Cells) -> Cells:
    if not len(cells):
        return cells
    everything = np.bitwise_or.reduce(cells.mask, axis=0)
    first = cells.code[:1] - cells.code[:1]
    return Cells(first, np.zeros(1, dtype=np.int64), everything[None, :])


def yardstick(scene: Scene, found: Mapping[int, Selection], host_weight: float) -> float | None:
    """By how much of itself the cost of all selections is above that of the exact choices of merge points.

    0 where neither costs anything; None where only the exact choices cost nothing, or cannot hold a budget.
    """
    cost = least = 0.0
    for switch, selection in found.items():
        budget = scene.budgets[switch]
        assert budget is not None
        least += least_merge_cost(selection.board, budget, host_weight)
        cost += selection.cost
    if cost == least:
        return 0.0
    return (cost - least) / least if 0 < least < float("inf") else None
