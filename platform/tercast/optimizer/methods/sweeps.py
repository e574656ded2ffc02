"""FA-LB, FA-PB and the method by exceptions, over all switches that exceed their budgets."""

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
"""Largest number of sweeps of FA-PB."""

LOAD_SWEEPS = 2
"""Sweeps of FA-LB, which cannot compare them; other methods stop if the sample gains nothing."""

TRACE = 1e-3
"""The weight of events that are assumed to be anywhere, as a share of all."""

TrafficFlows = Sequence[EventFlows | PublisherLoads]


def load_based(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """FA-LB (Bhowmik et al., section 5.2)."""
    loads = [PublisherLoads(arrays, topic, traffic.topics.get(topic.name)) for topic in arrays.topics]
    return [{}, *merge_sweeps(arrays, loads, seed, LOAD_SWEEPS)][-1]


def pattern_based(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """FA-PB (Bhowmik et al., section 5.2); use the sweep with the fewest copies of the sample."""
    samples = [EventFlows(arrays, topic, traffic.topics.get(topic.name)) for topic in arrays.topics]
    found = merge_sweeps(arrays, samples, seed, SWEEPS)
    return _best(found, lambda: sum(float(sample.copies()[0].sum()) for sample in samples))


def by_exceptions(arrays: NetworkArrays, traffic: Traffic, sweeps: int, rounds: int) -> Selections:
    """Merge with exceptions where useful; copies at later switches are part of the cost.

    Undecided switches count as exact. Then all switches are decided again, with the current tables of the
    others, in at most `sweeps` sweeps. The best sweep is kept.
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
    """Return the last sweep that costs less than the one before; `cost` is called after each."""
    best: tuple[float, Selections] | None = None
    for found in sweeps:
        now = cost()
        if best is not None and now >= best[0]:
            break
        best = now, found
    return best[1] if best is not None else {}


def _cost(sample: EventFlows) -> float:
    """Compute the cost of a sample with the current tables: copies, plus weighted deliveries."""
    copies, delivered = sample.copies()
    return float(copies.sum() + HOST_WEIGHT * delivered.sum())


def merge_sweeps(arrays: NetworkArrays, flows: TrafficFlows, seed: int, sweeps: int) -> Iterator[Selections]:
    """Run sweeps of the paper's methods; undecided switches upstream have the coarsest tables.

    The first result is that of the paper. Switches that were decided before some upstream of them are decided
    again, with the filters upstream that are known by then, until nothing changes.
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


def _merge(arrays: NetworkArrays, switch: int, flows: TrafficFlows, found: Selections) -> bool:
    """Decide a switch as the paper does; return whether its tables change."""
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


def _install(switch: int, flows: TrafficFlows, selection: EntrySelection | None) -> None:
    """Install a selection at a switch for the given events."""
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
    """Return one entry for all of a table, with all of its outputs."""
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
    """Return the relative distance of the cost of selections from that of exact merge points.

    The result is 0 if both costs are equal. It is None if only the exact choices cost nothing, or if they
    cannot meet a budget.
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
