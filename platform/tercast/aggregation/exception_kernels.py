"""The dynamic programme over a trie: which nodes get an entry, when each entry costs `price`.

A node's state is what resolves its space where it has no entry itself: slot 0, nothing; then, for each node
above it from the root on, and last for itself, one slot for each of `width` masks that an entry there may have.
`offset[v]` is where the slots of node v begin; it has 1 + width * (depth[v] + 1).
"""

from __future__ import annotations

import numpy as np

from tercast.aggregation.fast import Kernel
from tercast.aggregation.kernels import Array

NEVER = 1e300


@Kernel
def slot_costs(
    parent: Array,
    depth: Array,
    has: Array,
    passes: Array,
    out: Array,
    out_hosts: Array,
    edges: Array,
    charge: Array,
    masks: Array,
    mask_hosts: Array,
    offset: Array,
    host_weight: float,
) -> Array:
    """What each node's own space costs in each of its slots; NEVER where it would lose events or leave its tree.

    `has`: whether it has space of its own, whose outputs are `out` and whose allowed links are `edges`;
    `passes`: whether that may be resolved by nothing. `masks[v, k]` are the masks that an entry may have.
    `charge` is nodes by links and one column for hosts; `*_hosts` count the hosts in a mask.
    """
    width = masks.shape[1]
    words = out.shape[1]
    link_words = edges.shape[1]
    links = charge.shape[1] - 1
    costs = np.zeros(offset[-1], dtype=np.float64)
    for v in range(len(parent)):
        if not has[v]:
            continue
        if not passes[v]:
            costs[offset[v]] = 1e300
        at = v
        for level in range(depth[v], -1, -1):
            for k in range(width):
                slot = offset[v] + 1 + level * width + k
                fits = True
                for w in range(words):
                    if out[v, w] & ~masks[at, k, w]:
                        fits = False
                for w in range(link_words):
                    if masks[at, k, w] & ~edges[v, w]:
                        fits = False
                if not fits:
                    costs[slot] = 1e300
                    continue
                total = charge[v, links] * host_weight * (mask_hosts[at, k] - out_hosts[v])
                for b in range(links):
                    w = b // 62
                    if (masks[at, k, w] & ~out[v, w]) >> (b - 62 * w) & 1:
                        total += charge[v, b]
                costs[slot] = total
            at = parent[at]
    return costs


@Kernel
def solve(parent: Array, depth: Array, offset: Array, costs: Array, width: int, price: float) -> Array:
    """The least cost of each node and all below it in each slot (an entry at the node itself included)."""
    best = costs.copy()
    for v in range(len(parent) - 1, -1, -1):
        base = offset[v]
        own = base + 1 + width * depth[v]
        entry = best[own]
        for k in range(1, width):
            if best[own + k] < entry:
                entry = best[own + k]
        entry += price
        over = parent[v]
        shared = 1 + width * depth[v]
        for j in range(shared):
            here = best[base + j]
            if entry < here:
                here = entry
            if over >= 0:
                best[offset[over] + j] += here
    return best


@Kernel
def choose(parent: Array, depth: Array, offset: Array, best: Array, width: int, price: float) -> Array:
    """The mask with which each node gets an entry in the best choice; -1 where it gets none."""
    count = len(parent)
    chosen = np.full(count, -1, dtype=np.int64)
    slot = np.zeros(count, dtype=np.int64)
    for v in range(count):
        j = slot[parent[v]] if parent[v] >= 0 else 0
        base = offset[v]
        own = base + 1 + width * depth[v]
        which = 0
        for k in range(1, width):
            if best[own + k] < best[own + which]:
                which = k
        if best[own + which] + price < best[base + j]:
            chosen[v] = which
            slot[v] = 1 + width * depth[v] + which
        else:
            slot[v] = j
    return chosen


@Kernel
def owners(parent: Array, standing: Array) -> Array:
    """The entry that resolves each node: the nearest at or above it that is `standing`; -1: none."""
    out = np.empty(len(parent), dtype=np.int64)
    for v in range(len(parent)):
        if standing[v]:
            out[v] = v
        else:
            out[v] = out[parent[v]] if parent[v] >= 0 else -1
    return out


@Kernel
def narrowed(owner: Array, has: Array, out: Array, edges: Array, charge: Array) -> tuple[Array, Array, Array]:
    """For each entry: the union of the outputs that resolve to it, the links allowed there, the charges there."""
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
def trim(
    over: Array,
    mask: Array,
    allowed: Array,
    total: Array,
    link_words: int,
    host_weight: float,
    budget: int,
) -> tuple[Array, bool]:
    """Take the cheapest entry away, one after the other, until no more than `budget` are left.

    `over` is the entry above each (-1: none; such a one stays). What resolved to an entry that goes resolves to
    the one above, which has the outputs of both from then on. `mask`, `allowed` and `total` change with it.
    Which entries are left, and whether they are few enough.
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
def needless(
    owner: Array, has: Array, out: Array, mask: Array, charge: Array, link_words: int, host_weight: float
) -> Array:
    """What each node's own space costs because the entry that resolves it sends more than its outputs."""
    links = charge.shape[1] - 1
    costs = np.zeros(len(owner), dtype=np.float64)
    for v in range(len(owner)):
        to = owner[v]
        if to < 0 or not has[v]:
            continue
        total = 0.0
        for b in range(links):
            w = b // 62
            if (mask[to, w] & ~out[v, w]) >> (b - 62 * w) & 1:
                total += charge[v, b]
        hosts = 0
        for w in range(link_words, out.shape[1]):
            rest = mask[to, w] & ~out[v, w]
            while rest:
                rest &= rest - 1
                hosts += 1
        costs[v] = total + host_weight * charge[v, links] * hosts
    return costs


@Kernel
def leanings(
    parent: Array, has: Array, out: Array, charge: Array, price: float, link_words: int, host_weight: float
) -> Array:
    """For each node the outputs that are worth giving to all space below, when an exception costs `price`.

    An output stays out of a mask where those that lack it would pay more for it than those that need it would
    pay for exceptions.
    """
    count, words = out.shape
    links = charge.shape[1] - 1
    columns = links + 62 * (words - link_words)
    gain = np.zeros((count, columns), dtype=np.float64)
    mask = np.zeros((count, words), dtype=np.int64)
    for v in range(count - 1, -1, -1):
        if has[v]:
            for c in range(columns):
                if c < links:
                    w = c // 62
                    there = out[v, w] >> (c - 62 * w) & 1
                    cost = charge[v, c]
                else:
                    w = link_words + (c - links) // 62
                    there = out[v, w] >> (c - links) % 62 & 1
                    cost = charge[v, links] * host_weight
                if there:
                    gain[v, c] += price
                else:
                    gain[v, c] -= min(cost, price)
        for c in range(columns):
            if gain[v, c] > 0:
                if c < links:
                    w = c // 62
                    mask[v, w] |= 1 << (c - 62 * w)
                else:
                    w = link_words + (c - links) // 62
                    mask[v, w] |= 1 << (c - links) % 62
            if parent[v] >= 0:
                gain[parent[v], c] += gain[v, c]
    return mask


@Kernel
def without_repeats(
    parent: Array, standing: Array, mask: Array, resolver: Array, has: Array, passes: Array
) -> Array:
    """The entries that are left when those go that say what the one above them says.

    And those with none above that resolve nothing but what may pass without. `resolver` is the entry of each
    node.
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
    """For each node under a cover the top of that: the first entry from above that is not exact; else -1."""
    top = np.full(len(parent), -1, dtype=np.int64)
    for v in range(len(parent)):
        if parent[v] >= 0:
            top[v] = top[parent[v]]
        if top[v] < 0 and standing[v] and needing[v]:
            top[v] = v
    return top


@Kernel
def worth_it(parent: Array, here: Array, standing: Array, needing: Array) -> Array:
    """The entries that are left when covers go that have no fewer entries than the exact table has there."""
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
