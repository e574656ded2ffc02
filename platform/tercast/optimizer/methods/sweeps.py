"""FA-LB, FA-PB and the method by exceptions, over all switches that are beyond their budgets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np

from tercast.optimizer.arrays.network_arrays import NetworkArrays, TableSet
from tercast.optimizer.arrays.table_arrays import CellArrays
from tercast.optimizer.evaluation.cost_model import HOST_WEIGHT
from tercast.optimizer.methods.exact_merges import least_merge_cost
from tercast.optimizer.methods.exception_method import best_selection
from tercast.optimizer.methods.greedy_merges import greedy_merges
from tercast.optimizer.methods.selection import EntrySelection, Selections
from tercast.optimizer.methods.switch_forest import SwitchForest, make_forest
from tercast.optimizer.methods.switch_order import by_distance, from_publishers, upstream_of
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.optimizer.traffic.publisher_loads import PublisherLoads

SWEEPS = 4
"""Sweeps of FA-PB at most."""

LOAD_SWEEPS = 2
"""Sweeps of FA-LB, which has nothing to compare them by; the others stop where the sample gains nothing."""

TRACE = 1e-3
"""The weight of events that are thought to be anywhere, as a share of all."""

Flows = Sequence[EventFlows | PublisherLoads]


def load_based(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """FA-LB (Bhowmik et al., section 5.2)."""
    loads = [PublisherLoads(arrays, topic, traffic.topics.get(topic.name)) for topic in arrays.topics]
    return [{}, *merge_sweeps(arrays, loads, seed, LOAD_SWEEPS)][-1]


def pattern_based(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """FA-PB (Bhowmik et al., section 5.2); of its sweeps the one that makes fewest copies of the sample."""
    samples = [EventFlows(arrays, topic, traffic.topics.get(topic.name)) for topic in arrays.topics]
    found = merge_sweeps(arrays, samples, seed, SWEEPS)
    return _best(found, lambda: sum(float(sample.copies()[0].sum()) for sample in samples))


def by_exceptions(arrays: NetworkArrays, traffic: Traffic, sweeps: int, rounds: int) -> Selections:
    """Merges with exceptions where they pay; what tables downstream make of a needless copy counts.

    Switches that are still to be decided count as exact. Then all are decided again, with the others as they
    are now, in so many sweeps at most; the best is kept.
    """
    samples = [EventFlows(arrays, topic, traffic.topics.get(topic.name)) for topic in arrays.topics]
    sources = [source for sample in samples for source in sample.sources]
    weights = [float(sample.weight[s.events].sum()) for sample in samples for s in sample.sources]
    trace = TRACE * (sum(weights) or 1.0)

    def decide(forest: SwitchForest, budget: int) -> EntrySelection | None:
        return best_selection(forest, budget, HOST_WEIGHT, rounds)

    order = by_distance(arrays, sources, weights, arrays.over_budget())
    found = (_decide(arrays, order, samples, decide, trace) for _ in range(sweeps))
    return _best(found, lambda: sum(_cost(sample) for sample in samples))


def _best(sweeps: Iterable[Selections], cost: Callable[[], float]) -> Selections:
    """What the sweeps come to while each costs less than the one before; `cost` is asked after each."""
    best: tuple[float, Selections] | None = None
    for found in sweeps:
        now = cost()
        if best is not None and now >= best[0]:
            break
        best = now, found
    return best[1] if best is not None else {}


def _cost(sample: EventFlows) -> float:
    """What a sample comes to with tables as they are: copies, and deliveries at their weight."""
    copies, delivered = sample.copies()
    return float(copies.sum() + HOST_WEIGHT * delivered.sum())


def merge_sweeps(arrays: NetworkArrays, flows: Flows, seed: int, sweeps: int) -> Iterator[Selections]:
    """Both methods of the paper: what is undecided upstream has the coarsest tables there can be.

    The first that comes out is the paper's. Switches that were decided before some upstream of them are
    decided again, with the filters upstream that are known by then, until nothing changes any more.
    """
    switches = arrays.over_budget()
    for switch in switches:
        for topic, flow in zip(arrays.topics, flows, strict=True):
            if switch in topic.tables:
                flow.set_tables(switch, coarsest(topic.tables[switch]))
    upstream = upstream_of(arrays, [source for flow in flows for source in flow.sources], switches)
    order = from_publishers(upstream, switches, seed)
    found: Selections = {}
    waiting = set(switches)
    for _ in range(sweeps):
        moved = False
        for switch in order:
            if switch in waiting:
                waiting.discard(switch)
                if _merge(arrays, switch, flows, found):
                    moved = True
                    waiting.update(s for s in switches if s != switch and upstream[s] >> switch & 1)
        if not moved:
            return
        yield dict(found)


def _merge(arrays: NetworkArrays, switch: int, flows: Flows, found: Selections) -> bool:
    """Decide a switch as the paper does; whether it gets other tables than before."""
    budget = arrays.budgets[switch]
    assert budget is not None
    selection = greedy_merges(make_forest(arrays, switch, flows), budget, 1.0)
    known = found.get(switch)
    if switch in found and _is_same(known, selection):
        return False
    found[switch] = selection
    _install(switch, flows, selection)
    return True


def _is_same(known: EntrySelection | None, selection: EntrySelection | None) -> bool:
    """Whether two selections of forests without events among their nodes have the same entries."""
    if known is None or selection is None:
        return known is selection
    return bool((known.selected == selection.selected).all())


def _install(switch: int, flows: Flows, selection: EntrySelection | None) -> None:
    """Let events meet what was selected at a switch."""
    tables = selection.tables() if selection is not None else {}
    for flow in flows:
        if switch in flow.topic.tables:
            flow.set_tables(switch, tables.get(flow.topic.name, flow.topic.tables[switch]))


def _decide(
    arrays: NetworkArrays,
    order: Sequence[int],
    samples: Sequence[EventFlows],
    decide: Callable[[SwitchForest, int], EntrySelection | None],
    trace: float,
) -> Selections:
    found: Selections = {}
    for switch in order:
        budget = arrays.budgets[switch]
        assert budget is not None
        forest = make_forest(arrays, switch, samples, follow=True, trace=trace)
        found[switch] = decide(forest, budget)
        _install(switch, samples, found[switch])
    return found


def coarsest(tables: TableSet) -> TableSet:
    """One entry for all of a table, with all of its outputs."""
    return TableSet(_one(tables.plain), {port: _one(cells) for port, cells in tables.inner.items()})


def _one(cells: CellArrays) -> CellArrays:
    if not len(cells):
        return cells
    everything = np.bitwise_or.reduce(cells.mask, axis=0)
    first = cells.code[:1] - cells.code[:1]
    return CellArrays(first, np.zeros(1, dtype=np.int64), everything[None, :])


def optimality_gap(
    arrays: NetworkArrays, found: Mapping[int, EntrySelection], host_weight: float
) -> float | None:
    """By how much of itself the cost of all selections is above that of the exact choices of merge points.

    0 where neither costs anything; None where only the exact choices cost nothing, or cannot hold a budget.
    """
    cost = least = 0.0
    for switch, selection in found.items():
        budget = arrays.budgets[switch]
        assert budget is not None
        least += least_merge_cost(selection.forest, budget, host_weight)
        cost += selection.cost
    if cost == least:
        return 0.0
    return (cost - least) / least if 0 < least < float("inf") else None
