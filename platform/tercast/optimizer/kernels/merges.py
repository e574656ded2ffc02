"""Kernels that choose merge points: greedily as in the paper, and exactly."""

from __future__ import annotations

import heapq

import numpy as np

from tercast.optimizer.kernels.tries import Array
from tercast.runtime.jit import Kernel


@Kernel
def pick_merges(parent: Array, cost: Array, entries: Array, budget: int) -> tuple[Array, bool]:
    """Choose the merge points with the least cost per benefit, updated after each choice.

    The paper does not order equal ones. Here (to seven digits, because sums are rounded) the one that saves
    most comes first. `entries` counts the exact entries at and below each node.

    Returns:
        Which nodes are picked (those below a picked one have no meaning), and whether the budget is met.
    """
    left = cost.copy()
    gain = entries - 1.0
    picked = np.zeros(len(parent), dtype=np.bool_)
    count = 0.0
    heap = [(np.float32(0.0), 0.0, -1)]
    for v in range(len(parent)):
        if parent[v] < 0:
            count += entries[v]
        if gain[v] > 0 and left[v] < np.inf:
            heap.append((np.float32(left[v] / gain[v]), -gain[v], v))
    heapq.heapify(heap)
    while count > budget:
        if len(heap) == 0:
            return picked, False
        ratio, minus, v = heapq.heappop(heap)
        if v < 0 or picked[v] or minus != -gain[v] or gain[v] <= 0 or ratio != np.float32(left[v] / gain[v]):
            continue
        above = parent[v]
        while above >= 0 and not picked[above]:
            above = parent[above]
        if above >= 0:
            continue
        picked[v] = True
        saved = gain[v]
        paid = left[v]
        count -= saved
        above = parent[v]
        while above >= 0:
            gain[above] -= saved
            if left[above] < np.inf:
                left[above] = max(0.0, left[above] - paid)
                if gain[above] > 0:
                    heapq.heappush(heap, (np.float32(left[above] / gain[above]), -gain[above], above))
            above = parent[above]
    return picked, True


@Kernel
def pick_lowest(
    parent: Array, order: Array, allowed: Array, entries: Array, budget: int
) -> tuple[Array, bool]:
    """Choose merge points in `order`, where a node follows all below it, to meet the budget.

    `entries` counts the exact entries at and below each node.

    Returns:
        Which nodes are picked, and whether the budget is met.
    """
    gain = entries - 1.0
    picked = np.zeros(len(parent), dtype=np.bool_)
    count = 0.0
    for v in range(len(parent)):
        if parent[v] < 0:
            count += entries[v]
    for v in order:
        if count <= budget:
            break
        saved = gain[v]
        if not allowed[v] or saved <= 0:
            continue
        picked[v] = True
        count -= saved
        above = parent[v]
        while above >= 0:
            gain[above] -= saved
            above = parent[above]
    return picked, count <= budget


@Kernel
def with_merges(parent: Array, here: Array, picked: Array) -> Array:
    """Return the entries after those at and below each picked node are merged into one."""
    out = here.copy()
    below = np.zeros(len(parent), dtype=np.bool_)
    for v in range(len(parent)):
        below[v] = parent[v] >= 0 and (below[parent[v]] or picked[parent[v]])
        out[v] = not below[v] and (picked[v] or here[v])
    return out


@Kernel
def least_cost(parent: Array, here: Array, cost: Array, need: int) -> float:
    """Compute the least cost of disjoint merge points that save at least `need` entries.

    `here` counts the entries at each node, and `cost` is that of a merge there. Each node has at most two
    children.
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
        # saving at least 0 entries costs nothing
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
    least: float = stack[base[last] + need]
    return least
