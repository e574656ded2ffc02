"""The exact choice of merge points, by dynamic programming over what has to be saved: what greedy ones miss.

It is too slow to be a method for large tables, and gains little; it tells how far a result is from it.
"""

from __future__ import annotations

import numpy as np

from tercast.aggregation.board import Board
from tercast.aggregation.fast import Kernel
from tercast.aggregation.kernels import Array
from tercast.aggregation.merges import merge_costs


def least_merge_cost(board: Board, budget: int, host_weight: float) -> float:
    """The least cost of merges that leave no more than `budget` entries; infinite where none do."""
    cost, _ = merge_costs(board, host_weight)
    need = board.entries - budget
    if need <= 0:
        return 0.0
    return float(least_cost(board.parent, board.here.astype(np.int64), cost, need))


@Kernel
def least_cost(parent: Array, here: Array, cost: Array, need: int) -> float:
    """The least cost of merge points, none below another, that save `need` entries or more.

    `here` counts the entries at each node, `cost` is that of a merge there. Each node has at most two children.
    """
    count = len(parent)
    room = 2 * count + 4 * need + 16
    stack = np.empty(room, dtype=np.float64)
    base = np.empty(count + 2, dtype=np.int64)
    size = np.empty(count + 2, dtype=np.int64)
    joined = np.empty(need + 1, dtype=np.float64)
    children = np.zeros(count, dtype=np.int64)
    entries = here.copy()
    roots = 0
    height = 0
    top = 0
    for v in range(count - 1, -2, -1):
        below = roots if v < 0 else children[v]
        # at least 0 entries are saved for nothing
        if below == 0:
            base[height] = top
            size[height] = 1
            stack[top] = 0.0
            top += 1
            height += 1
        for _ in range(below - 1):
            a, b = base[height - 1], base[height - 2]
            m, n = size[height - 1], size[height - 2]
            both = min(m + n - 1, need + 1)
            for j in range(both):
                joined[j] = np.inf
            for i in range(m):
                if stack[a + i] == np.inf:
                    continue
                for j in range(n):
                    to = min(i + j, both - 1)
                    total = stack[a + i] + stack[b + j]
                    if total < joined[to]:
                        joined[to] = total
            height -= 1
            for j in range(both):
                stack[b + j] = joined[j]
            size[height - 1] = both
            top = b + both
        if v < 0:
            break
        saved = entries[v] - 1
        if saved > 0:
            a = base[height - 1]
            most = min(saved, need)
            for j in range(size[height - 1], most + 1):
                stack[a + j] = np.inf
            size[height - 1] = most + 1
            top = a + most + 1
            if cost[v] < stack[a + most]:
                stack[a + most] = cost[v]
            for j in range(most - 1, -1, -1):
                if stack[a + j + 1] < stack[a + j]:
                    stack[a + j] = stack[a + j + 1]
        if parent[v] >= 0:
            children[parent[v]] += 1
            entries[parent[v]] += entries[v]
        else:
            roots += 1
    last = height - 1
    if size[last] < need + 1:
        return np.inf
    return stack[base[last] + need]
