"""Merge points: the choices of the DEBS'17 paper (Bhowmik et al., section 5.1), and a baseline.

Every node under which more than one exact entry lies is a merge point. Its benefit is the entries it saves, its
cost the needless copies it makes; the cheapest per benefit is taken, cost and benefit of those above it shrink,
and so on until the budget holds. Ours is only that a merge point that would let trees mix is none.
"""

from __future__ import annotations

import heapq

import numpy as np

from tercast.aggregation.board import Board
from tercast.aggregation.kernels import Array, gather_sums
from tercast.aggregation.selection import Selection, select
from tercast.aggregation.tables import hosts_in


def merge_costs(board: Board, host_weight: float) -> tuple[Array, Array]:
    """Of every node: the needless copies that a merge there makes, and the exact entries at and below it.

    A copy to a host costs `host_weight`. The cost of what the rule forbids is infinite.
    """
    links = board.charge.shape[1] - 1
    load = np.where(board.has[:, None], board.charge, 0.0)
    useful = (load[:, :links] * _bits(board.out, links)).sum(axis=1)
    useful += load[:, links] * board.out_hosts * host_weight
    sums = gather_sums(board.parent, np.column_stack((load, useful, board.here.astype(np.float64))))
    sent = (sums[:, :links] * _bits(board.everything, links)).sum(axis=1)
    sent += sums[:, links] * hosts_in(board.everything, board.link_words) * host_weight
    cost = sent - sums[:, links + 1]
    cost = np.where(cost < 1e-9 * sent, 0.0, cost)  # what is left of sums that cancel
    allowed = ~(board.everything[:, : board.link_words] & ~board.everywhere).any(axis=1)
    return np.where(allowed, cost, np.inf), sums[:, links + 2]


def greedy_merges(board: Board, budget: int, host_weight: float) -> Selection | None:
    """The choice of the paper; None where no merges are enough."""
    cost, entries = merge_costs(board, host_weight)
    picked = pick_merges(board.parent, cost, entries, budget)
    return None if picked is None else merged(board, picked, host_weight)


def pick_merges(parent: Array, cost: Array, entries: Array, budget: int) -> Array | None:
    """The merge points with the least cost per benefit, reduced after each choice.

    Of equal ones the paper says nothing; here the one that saves most comes first.
    """
    left, gain = cost.copy(), entries - 1
    count = float(entries[parent < 0].sum())
    heap = [
        (left[v] / gain[v], -float(gain[v]), int(v))
        for v in np.flatnonzero((gain > 0) & np.isfinite(cost)).tolist()
    ]
    heapq.heapify(heap)
    picked = np.zeros(len(parent), dtype=np.bool_)
    while count > budget:
        if not heap:
            return None
        ratio, _, v = heapq.heappop(heap)
        if picked[v] or gain[v] <= 0 or ratio != left[v] / gain[v] or _under(parent, picked, v):
            continue
        picked[v] = True
        count -= gain[v]
        saved, paid = gain[v], left[v]
        above = parent[v]
        while above >= 0:
            gain[above] -= saved
            if np.isfinite(left[above]):
                left[above] = max(0.0, left[above] - paid)
                if gain[above] > 0:
                    heapq.heappush(heap, (left[above] / gain[above], -float(gain[above]), int(above)))
            above = parent[above]
    return picked


def merged(board: Board, picked: Array, host_weight: float) -> Selection:
    """The selection where the exact entries at and below picked nodes are one."""
    below = np.zeros(len(board), dtype=np.bool_)
    top = picked.copy()
    for v in range(len(board)):
        over = board.parent[v]
        if over >= 0 and (below[over] or picked[over]):
            below[v] = True
            top[v] = False
    return select(board, (board.here & ~below) | top, host_weight)


def _under(parent: Array, picked: Array, v: int) -> bool:
    """Whether a node above is picked."""
    at = parent[v]
    while at >= 0:
        if picked[at]:
            return True
        at = parent[at]
    return False


def _bits(rows: Array, links: int) -> Array:
    """Which links are in each mask, as zeros and ones."""
    columns = np.arange(links)
    return (rows[:, columns // 62] >> columns % 62) & 1
