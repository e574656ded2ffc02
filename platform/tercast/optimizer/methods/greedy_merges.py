"""Merge points: the choice of the DEBS'17 paper (Bhowmik et al., section 5.1), a baseline.

Every node with more than one exact entry at or below it is a merge point. Its benefit is the number of
entries it saves, and its cost the redundant copies it causes. The one with the least cost per benefit is
taken, cost and benefit of those above it are reduced, and so on until the budget is met. The only addition is
that a node at which trees would mix is not a merge point.
"""

from __future__ import annotations

import numpy as np

from tercast.optimizer.arrays.table_arrays import hosts_in
from tercast.optimizer.kernels.merges import pick_merges, with_merges
from tercast.optimizer.kernels.tries import Array, gather_sums
from tercast.optimizer.methods.selection import EntrySelection, select
from tercast.optimizer.methods.switch_forest import SwitchForest


def merge_costs(forest: SwitchForest, host_weight: float) -> tuple[Array, Array]:
    """Compute, for each node, the redundant copies of a merge there, and its exact entries.

    The entries are those at and below the node. A copy to a host costs `host_weight`. A merge that would mix
    trees has an infinite cost.
    """
    links = forest.charge.shape[1] - 1
    load = np.where(forest.has[:, None], forest.charge, 0.0)
    useful = (load[:, :links] * _bits(forest.out, links)).sum(axis=1)
    useful += load[:, links] * forest.out_hosts * host_weight
    sums = gather_sums(forest.parent, np.column_stack((load, useful, forest.here.astype(np.float64))))
    sent = (sums[:, :links] * _bits(forest.everything, links)).sum(axis=1)
    sent += sums[:, links] * hosts_in(forest.everything, forest.link_words) * host_weight
    cost = sent - sums[:, links + 1]
    cost = np.where(cost < 1e-9 * sent, 0.0, cost)  # removes rounding errors of sums that cancel
    allowed = ~(forest.everything[:, : forest.link_words] & ~forest.everywhere).any(axis=1)
    return np.where(allowed, cost, np.inf), sums[:, links + 2]


def greedy_merges(forest: SwitchForest, budget: int, host_weight: float) -> EntrySelection | None:
    """Choose merge points as in the paper; None if no merges meet the budget."""
    cost, entries = merge_costs(forest, host_weight)
    picked, fits = pick_merges(forest.parent, cost, entries, budget)
    if not fits:
        return None
    return select(forest, with_merges(forest.parent, forest.here, picked), host_weight)


def _bits(rows: Array, links: int) -> Array:
    """Return which links are in each mask, as zeros and ones."""
    columns = np.arange(links)
    return (rows[:, columns // 62] >> columns % 62) & 1
