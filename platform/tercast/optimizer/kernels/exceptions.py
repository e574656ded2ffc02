"""Dynamic programming over a trie: the nodes that get an entry, if each entry costs `price`.

The state of a node is the entry of its space if it has no own entry. Slot 0 means none. Then there are, for
each node above it from the root on and last for itself, `width` slots, one for each mask that an entry there
may have. `offset[v]` is the start of the slots of node v, which has 1 + width * (depth[v] + 1) of them.
"""

from __future__ import annotations

import numpy as np

from tercast.optimizer.kernels.tries import Array
from tercast.runtime.jit import Kernel

NEVER = 1e300


@Kernel
def slot_costs(
    parent: Array,
    depth: Array,
    here: Array,
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
    """Compute the cost of each node's own space in each slot; NEVER if it is not allowed.

    A slot is not allowed if events would be lost or would mix trees.

    `has` is whether a node has own space, with outputs `out` and allowed links `edges`. `passes` is whether
    that space may have no entry. An exact entry (`here`) must have one, because no cover omits one. `masks[v,
    k]` are the masks that an entry may have. `charge` has nodes as rows, and links and one column for hosts
    as columns. `*_hosts` count the hosts in a mask.
    """
    width = masks.shape[1]
    words = out.shape[1]
    link_words = edges.shape[1]
    links = charge.shape[1] - 1
    costs = np.zeros(offset[-1], dtype=np.float64)
    like = np.empty((len(parent), width), dtype=np.int64)
    for v in range(len(parent)):
        for k in range(width):
            like[v, k] = k
            for j in range(k):
                same = like[v, k] == k
                for w in range(words):
                    same = same and masks[v, j, w] == masks[v, k, w]
                if same:
                    like[v, k] = j
    for v in range(len(parent)):
        if here[v] or (has[v] and not passes[v]):
            costs[offset[v]] = 1e300
        if not has[v]:
            continue
        at = v
        for level in range(depth[v], -1, -1):
            first = offset[v] + 1 + level * width
            for k in range(width):
                if like[at, k] != k:
                    costs[first + k] = costs[first + like[at, k]]
                    continue
                fits = True
                for w in range(words):
                    fits = fits and not out[v, w] & ~masks[at, k, w]
                for w in range(link_words):
                    fits = fits and not masks[at, k, w] & ~edges[v, w]
                if not fits:
                    costs[first + k] = 1e300
                    continue
                total = charge[v, links] * host_weight * (mask_hosts[at, k] - out_hosts[v])
                for w in range(link_words):
                    more = masks[at, k, w] & ~out[v, w]
                    b = 62 * w
                    while more and b < links:
                        if more & 1:
                            total += charge[v, b]
                        more >>= 1
                        b += 1
                costs[first + k] = total
            at = parent[at]
    return costs


@Kernel
def solve(parent: Array, depth: Array, offset: Array, costs: Array, width: int, price: float) -> Array:
    """Compute the least cost of each node's subtree in each slot, including entries at the node."""
    best = costs.copy()
    for v in range(len(parent) - 1, -1, -1):
        base = offset[v]
        shared = 1 + width * depth[v]
        own = base + shared
        entry = best[own]
        for k in range(1, width):
            entry = min(entry, best[own + k])
        entry += price
        over = parent[v]
        if over >= 0:
            mine = best[base : base + shared]
            theirs = best[offset[over] : offset[over] + shared]
            for j in range(shared):
                theirs[j] += min(mine[j], entry)
    return best


@Kernel
def choose(parent: Array, depth: Array, offset: Array, best: Array, width: int, price: float) -> Array:
    """Return the mask of each node's entry in the best choice; -1 for no entry."""
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
def leanings(
    parent: Array,
    has: Array,
    out: Array,
    charge: Array,
    price: float,
    link_words: int,
    host_bits: int,
    host_weight: float,
) -> Array:
    """Return, for each node, the best outputs for its space from above, each independently.

    If a part of the space wants an output that the entry above does not have, it costs an exception of
    `price`. The same is true for a whole branch with the opposite choice. If the entry has an unwanted
    output, its copies or an exception are paid. The minimum of both is computed from below. Hosts are the
    first `host_bits` bits of their words.
    """
    count, words = out.shape
    links = charge.shape[1] - 1
    columns = links + host_bits
    lacking = np.zeros((count, columns), dtype=np.float64)
    given = np.zeros((count, columns), dtype=np.float64)
    mask = np.zeros((count, words), dtype=np.int64)
    for v in range(count - 1, -1, -1):
        over = parent[v]
        for c in range(columns):
            if c < links:
                w = c // 62
                bit = c - 62 * w
                cost = charge[v, c]
            else:
                w = link_words + (c - links) // 62
                bit = (c - links) % 62
                cost = charge[v, links] * host_weight
            if has[v]:
                if out[v, w] >> bit & 1:
                    lacking[v, c] += price
                else:
                    given[v, c] += min(cost, price)
            if given[v, c] < lacking[v, c]:
                mask[v, w] |= 1 << bit
            if over >= 0:
                lacking[over, c] += min(lacking[v, c], price + given[v, c])
                given[over, c] += min(given[v, c], price + lacking[v, c])
    return mask


@Kernel
def lossless(parent: Array, has: Array, free: Array, kind: Array, width: int) -> Array:
    """Return the kinds of outputs of entries in the smallest table equal to the exact one.

    The algorithm goes up and down the trie once (Draves et al., Constructing optimal IP routing tables,
    section 2). Going up, a node may have the kinds that all nodes below have in common or, without any, all
    their kinds. Going down, it has the kind of the node above if it may. `kind` is that of each node's own
    space (`has`), unless it is `free`. Of more than `width` kinds the first are kept. -1 means any kind.
    """
    count = len(parent)
    kinds = np.full((count, width), -1, dtype=np.int64)
    number = np.zeros(count, dtype=np.int64)
    known = np.zeros(count, dtype=np.bool_)
    merged = np.empty(2 * width, dtype=np.int64)
    for v in range(count - 1, -1, -1):
        if has[v] and not free[v]:
            there = False
            for i in range(number[v]):
                there = there or kinds[v, i] == kind[v]
            if there or not known[v]:
                kinds[v, 0] = kind[v]
                number[v] = 1
                known[v] = True
            elif number[v] < width:
                kinds[v, number[v]] = kind[v]
                number[v] += 1
        p = parent[v]
        if p < 0 or not known[v]:
            continue
        if not known[p]:
            for i in range(number[v]):
                kinds[p, i] = kinds[v, i]
            number[p] = number[v]
            known[p] = True
            continue
        n = 0
        for i in range(number[p]):
            for j in range(number[v]):
                if kinds[p, i] == kinds[v, j]:
                    merged[n] = kinds[p, i]
                    n += 1
        if n == 0:
            for i in range(number[p]):
                merged[n] = kinds[p, i]
                n += 1
            for j in range(number[v]):
                merged[n] = kinds[v, j]
                n += 1
        number[p] = min(n, width)
        for i in range(number[p]):
            kinds[p, i] = merged[i]
    out = np.full(count, -1, dtype=np.int64)
    for v in range(count):
        if not known[v]:
            continue
        out[v] = kinds[v, 0]
        if parent[v] >= 0:
            for i in range(number[v]):
                if kinds[v, i] == out[parent[v]]:
                    out[v] = kinds[v, i]
    return out
