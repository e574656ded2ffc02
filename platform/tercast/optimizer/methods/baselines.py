"""Tables that the optimizer does not compute: those of LA, and the installed ones.

`optimal` compares its candidates with both. So its result is never worse than either of them on the held-back
events.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tercast.optimizer.arrays.network_arrays import NetworkArrays, TableSet
from tercast.optimizer.evaluation.cost_model import Decisions
from tercast.optimizer.evaluation.cover_evaluation import deepest_cover, tables_under
from tercast.optimizer.kernels.merges import pick_lowest, with_merges
from tercast.optimizer.kernels.tries import Array
from tercast.optimizer.methods.greedy_merges import merge_costs
from tercast.optimizer.methods.selection import EntrySelection, Selections, select
from tercast.optimizer.methods.switch_forest import SwitchForest, make_forest
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.tables.covers import NetworkCovers, TableCovers


@dataclass(frozen=True, slots=True)
class InstalledCovers:
    """The current tables of one switch under covers, with the interface of an `EntrySelection`."""

    _covers: Mapping[str, TableCovers]
    _tables: Mapping[str, TableSet] = field(repr=False)

    def __len__(self) -> int:
        return sum(map(len, self._tables.values()))

    def covers(self) -> dict[str, TableCovers]:
        """Return the covers, by topic."""
        return dict(self._covers)

    def tables(self) -> dict[str, TableSet]:
        """Return the tables, by topic."""
        return dict(self._tables)


def lowest_merges(arrays: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """LA over exact tables (Bhowmik et al., section 5.4): longest prefixes first, no traffic."""
    nothing = [EventFlows(arrays, topic, None) for topic in arrays.topics]
    return {switch: _lowest(make_forest(arrays, switch, nothing), arrays) for switch in arrays.over_budget()}


def _lowest(forest: SwitchForest, arrays: NetworkArrays) -> EntrySelection | None:
    cost, entries = merge_costs(forest, 1.0)
    budget = arrays.budgets[forest.switch]
    assert budget is not None
    order = np.lexsort((np.arange(len(forest)), -forest.length))
    picked, fits = pick_lowest(forest.parent, order, cost < np.inf, entries, budget)
    return select(forest, with_merges(forest.parent, forest.here, picked), 1.0) if fits else None


def deepest_installed(covers: NetworkCovers) -> int:
    """Return the number of bits that codes need for the installed covers."""
    tables = (table for topics in covers.values() for table in topics.values())
    return max(map(deepest_cover, tables), default=0)


def as_installed(arrays: NetworkArrays, covers: NetworkCovers) -> dict[int, InstalledCovers] | None:
    """Return tables under installed covers at switches over budget; None if one does not fit."""
    found: dict[int, InstalledCovers] = {}
    for switch in arrays.over_budget():
        mine = covers.get(arrays.names[switch], {})
        tables = {
            topic.name: tables_under(arrays, topic, switch, mine.get(topic.name, TableCovers()))
            for topic in arrays.topics
            if switch in topic.tables
        }
        one = found[switch] = InstalledCovers({name: mine[name] for name in tables if name in mine}, tables)
        budget = arrays.budgets[switch]
        if budget is None or len(one) > budget:
            return None
    return found


def charged(
    arrays: NetworkArrays, found: Decisions, sample: Traffic, host_weight: float
) -> dict[int, EntrySelection]:
    """Return the same entries on forests with events, which determine their cost there.

    Switches with an entry that is at no node of its forest are left out.
    """
    samples = [EventFlows(arrays, topic, sample.topics.get(topic.name)) for topic in arrays.topics]
    for switch, one in found.items():
        for name, tables in ({} if one is None else one.tables()).items():
            next(flow for flow in samples if flow.topic.name == name).set_tables(switch, tables)
    out: dict[int, EntrySelection] = {}
    for switch, one in found.items():
        if one is not None:
            forest = make_forest(arrays, switch, samples, follow=True)
            selected = _nodes(forest, one.tables())
            if selected is not None:
                out[switch] = select(forest, selected, host_weight)
    return out


def _nodes(forest: SwitchForest, tables: Mapping[str, TableSet]) -> Array | None:
    """Return which nodes have an entry of the tables; None if an entry is at no node."""
    selected = np.zeros(len(forest), dtype=np.bool_)
    for part in forest.tables:
        table = tables[part.topic.name]
        cells = table.plain if part.port is None else table.inner[part.port]
        nodes = zip(forest.code[part.nodes].tolist(), forest.length[part.nodes].tolist(), strict=True)
        known = {cell: part.nodes.start + n for n, cell in enumerate(nodes)}
        places = [
            known.get(cell, -1) for cell in zip(cells.code.tolist(), cells.length.tolist(), strict=True)
        ]
        if -1 in places:
            return None
        selected[places] = True
    return selected
