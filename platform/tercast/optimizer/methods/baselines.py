"""Tables that no method of ours has to work out: those that LA would make, and those that are installed.

`optimal` compares with both, so that what it installs is at no time worse, on events held back, than to leave
everything to LA.
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
from tercast.optimizer.methods.switch_forest import SwitchForest, make_board
from tercast.optimizer.traffic.event_flows import EventFlows
from tercast.optimizer.traffic.past_traffic import Traffic
from tercast.tables.covers import NetworkCovers, TableCovers


@dataclass(frozen=True, slots=True)
class InstalledCovers:
    """The tables of one switch as they stand, by covers; like a `EntrySelection` that was not worked out."""

    _covers: Mapping[str, TableCovers]
    _tables: Mapping[str, TableSet] = field(repr=False)

    def __len__(self) -> int:
        return sum(map(len, self._tables.values()))

    def covers(self) -> dict[str, TableCovers]:
        """The covers, by topic."""
        return dict(self._covers)

    def tables(self) -> dict[str, TableSet]:
        """The tables, by topic."""
        return dict(self._tables)


def lowest_merges(scene: NetworkArrays, traffic: Traffic, seed: int) -> Selections:
    """LA over exact tables (Bhowmik et al., section 5.4): the longest prefixes first; it knows no traffic."""
    nothing = [EventFlows(scene, topic, None) for topic in scene.topics]
    return {switch: _lowest(make_board(scene, switch, nothing), scene) for switch in scene.over_budget()}


def _lowest(board: SwitchForest, scene: NetworkArrays) -> EntrySelection | None:
    cost, entries = merge_costs(board, 1.0)
    budget = scene.budgets[board.switch]
    assert budget is not None
    order = np.lexsort((np.arange(len(board)), -board.length))
    picked, fits = pick_lowest(board.parent, order, cost < np.inf, entries, budget)
    return select(board, with_merges(board.parent, board.here, picked), 1.0) if fits else None


def deepest_standing(scene_covers: NetworkCovers) -> int:
    """The bits that codes need for the covers that stand."""
    tables = (table for topics in scene_covers.values() for table in topics.values())
    return max(map(deepest_cover, tables), default=0)


def as_installed(scene: NetworkArrays, covers: NetworkCovers) -> dict[int, InstalledCovers] | None:
    """The tables under standing covers, at the switches beyond their budgets; None where one does not fit."""
    found: dict[int, InstalledCovers] = {}
    for switch in scene.over_budget():
        mine = covers.get(scene.names[switch], {})
        tables = {
            topic.name: tables_under(scene, topic, switch, mine.get(topic.name, TableCovers()))
            for topic in scene.topics
            if switch in topic.tables
        }
        one = found[switch] = InstalledCovers({name: mine[name] for name in tables if name in mine}, tables)
        budget = scene.budgets[switch]
        if budget is None or len(one) > budget:
            return None
    return found


def charged(
    scene: NetworkArrays, found: Decisions, sample: Traffic, host_weight: float
) -> dict[int, EntrySelection]:
    """The same entries on boards with what comes to them, which says what they cost there.

    Without switches where an entry stands at no node of its board.
    """
    samples = [EventFlows(scene, topic, sample.topics.get(topic.name)) for topic in scene.topics]
    for switch, one in found.items():
        for name, tables in ({} if one is None else one.tables()).items():
            next(flow for flow in samples if flow.topic.name == name).set_tables(switch, tables)
    out: dict[int, EntrySelection] = {}
    for switch, one in found.items():
        if one is not None:
            board = make_board(scene, switch, samples, follow=True)
            standing = _nodes(board, one.tables())
            if standing is not None:
                out[switch] = select(board, standing, host_weight)
    return out


def _nodes(board: SwitchForest, tables: Mapping[str, TableSet]) -> Array | None:
    """Which nodes the entries of tables stand at; None where one stands at none."""
    standing = np.zeros(len(board), dtype=np.bool_)
    for part in board.tables:
        table = tables[part.topic.name]
        cells = table.plain if part.port is None else table.inner[part.port]
        nodes = zip(board.code[part.nodes].tolist(), board.length[part.nodes].tolist(), strict=True)
        known = {cell: part.nodes.start + n for n, cell in enumerate(nodes)}
        places = [
            known.get(cell, -1) for cell in zip(cells.code.tolist(), cells.length.tolist(), strict=True)
        ]
        if -1 in places:
            return None
        standing[places] = True
    return standing
