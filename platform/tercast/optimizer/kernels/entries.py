"""Kernels for the entries at nodes: the entry of each node, its cost, and entries to remove."""

from __future__ import annotations

import numpy as np

from tercast.optimizer.kernels.tries import Array
from tercast.runtime.jit import Kernel


@Kernel
def owners(parent: Array, standing: Array) -> Array:
    """Find the entry of each node: the nearest at or above it that is `standing`; -1: none."""
    out = np.empty(len(parent), dtype=np.int64)
    for v in range(len(parent)):
        if standing[v]:
            out[v] = v
        else:
            out[v] = out[parent[v]] if parent[v] >= 0 else -1
    return out


@Kernel
def narrowed(owner: Array, has: Array, out: Array, edges: Array, charge: Array) -> tuple[Array, Array, Array]:
    """Return, for each entry, the union of its nodes' outputs, common links, and charges."""
    mask = np.zeros_like(out)
    allowed = np.full_like(edges, 4611686018427387903)
    total = np.zeros_like(charge)
    for v in range(len(owner)):
        to = owner[v]
        if to < 0 or not has[v]:
            continue
        for w in range(out.shape[1]):
            mask[to, w] |= out[v, w]
        for w in range(edges.shape[1]):
            allowed[to, w] &= edges[v, w]
        for c in range(charge.shape[1]):
            total[to, c] += charge[v, c]
    return mask, allowed, total


@Kernel
def redundant_costs(
    owner: Array, has: Array, out: Array, mask: Array, charge: Array, link_words: int, host_weight: float
) -> Array:
    """Compute the cost of each node's own space: its entry sends more than its outputs."""
    links = charge.shape[1] - 1
    costs = np.zeros(len(owner), dtype=np.float64)
    for v in range(len(owner)):
        to = owner[v]
        if to < 0 or not has[v]:
            continue
        total = 0.0
        for w in range(link_words):
            more = mask[to, w] & ~out[v, w]
            b = 62 * w
            while more and b < links:
                if more & 1:
                    total += charge[v, b]
                more >>= 1
                b += 1
        hosts = 0
        for w in range(link_words, out.shape[1]):
            rest = mask[to, w] & ~out[v, w]
            while rest:
                rest &= rest - 1
                hosts += 1
        costs[v] = total + host_weight * charge[v, links] * hosts
    return costs


@Kernel
def trim(
    over: Array,
    mask: Array,
    allowed: Array,
    total: Array,
    link_words: int,
    host_weight: float,
    budget: int,
) -> tuple[Array, bool]:
    """Remove the cheapest entry repeatedly until at most `budget` entries are left.

    `over` is the entry above each one; an entry without one (-1) stays. The nodes of a removed entry get the
    entry above, which then has the outputs of both. `mask`, `allowed` and `total` are changed accordingly.

    Returns:
        Which entries are left, and whether they meet the budget.
    """
    count = len(over)
    links = total.shape[1] - 1
    words = mask.shape[1]
    left = np.ones(count, dtype=np.bool_)
    loss = np.full(count, -1.0, dtype=np.float64)
    standing = count
    while standing > budget:
        best = -1
        for i in range(count):
            if not left[i] or over[i] < 0:
                continue
            if loss[i] < 0:
                p = over[i]
                fits = True
                for w in range(link_words):
                    if (mask[i, w] | mask[p, w]) & ~(allowed[i, w] & allowed[p, w]):
                        fits = False
                if not fits:
                    loss[i] = 1e300
                else:
                    delta = 0.0
                    for b in range(links):
                        w = b // 62
                        mine = mask[i, w] >> (b - 62 * w) & 1
                        its = mask[p, w] >> (b - 62 * w) & 1
                        if its and not mine:
                            delta += total[i, b]
                        elif mine and not its:
                            delta += total[p, b]
                    mine_only = 0
                    its_only = 0
                    for w in range(link_words, words):
                        rest = mask[i, w] & ~mask[p, w]
                        while rest:
                            rest &= rest - 1
                            mine_only += 1
                        rest = mask[p, w] & ~mask[i, w]
                        while rest:
                            rest &= rest - 1
                            its_only += 1
                    delta += host_weight * (its_only * total[i, links] + mine_only * total[p, links])
                    loss[i] = delta
            if loss[i] < 1e300 and (best < 0 or loss[i] < loss[best]):
                best = i
        if best < 0:
            return left, False
        p = over[best]
        left[best] = False
        standing -= 1
        for w in range(words):
            mask[p, w] |= mask[best, w]
        for w in range(link_words):
            allowed[p, w] &= allowed[best, w]
        for c in range(links + 1):
            total[p, c] += total[best, c]
        loss[p] = -1.0
        for i in range(count):
            if left[i] and (over[i] == best or over[i] == p):
                over[i] = p
                loss[i] = -1.0
    return left, True


@Kernel
def without_repeats(
    parent: Array, standing: Array, mask: Array, resolver: Array, has: Array, passes: Array
) -> Array:
    """Return the entries that are left after removal of those equal to the entry above.

    Entries with none above are removed if their nodes need no entry. `resolver` is the entry of each node.
    """
    count = len(parent)
    out = standing.copy()
    idle = standing.copy()
    for v in range(count):
        if has[v] and not passes[v] and resolver[v] >= 0:
            idle[resolver[v]] = False
    owner = np.full(count, -1, dtype=np.int64)
    for v in range(count):
        above = owner[parent[v]] if parent[v] >= 0 else -1
        owner[v] = above
        if standing[v]:
            same = above >= 0 or idle[v]
            if above >= 0:
                for w in range(mask.shape[1]):
                    if mask[v, w] != mask[above, w]:
                        same = False
            if same:
                out[v] = False
            else:
                owner[v] = v
    return out


@Kernel
def cover_tops(parent: Array, standing: Array, needing: Array) -> Array:
    """Return the top of each node under a cover: the first non-exact entry from above; else -1."""
    top = np.full(len(parent), -1, dtype=np.int64)
    for v in range(len(parent)):
        if parent[v] >= 0:
            top[v] = top[parent[v]]
        if top[v] < 0 and standing[v] and needing[v]:
            top[v] = v
    return top


@Kernel
def worth_it(parent: Array, here: Array, standing: Array, needing: Array) -> Array:
    """Return the entries that are left after removal of covers that save no entries."""
    count = len(parent)
    top = np.full(count, -1, dtype=np.int64)
    saved = np.zeros(count, dtype=np.int64)
    for v in range(count):
        over = top[parent[v]] if parent[v] >= 0 else -1
        if over < 0 and standing[v] and needing[v]:
            over = v
        top[v] = over
        if over >= 0:
            saved[over] += int(here[v]) - int(standing[v])
    out = standing.copy()
    for v in range(count):
        if top[v] >= 0 and saved[top[v]] <= 0:
            out[v] = here[v]
    return out
