"""Kernels of aggregation over arrays (`tercast.runtime.jit` describes how they run).

A trie is a set of arrays with one element for each node, in depth-first order: `parent` (-1: a root), `depth`
(the number of nodes above), `length` (bits of its prefix). Masks are rows of words of 62 bits: first those of
links, then those of hosts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tercast.runtime.jit import Kernel

WORD = 62
"""Bits in a word of a mask, so that words are never negative and fit an int64."""

ALL_BITS = (1 << WORD) - 1

Array = Any
"""A NumPy array; each kernel describes its shape and type."""


@Kernel
def shared_bits(a: Array, b: Array, depth: int) -> Array:
    """Count the common leading bits of the codes a[i] and b[i] (int64), out of `depth` bits."""
    out = np.empty(len(a), dtype=np.int64)
    for i in range(len(a)):
        apart = a[i] ^ b[i]
        bits = 0
        while apart >> bits >> 8:
            bits += 8
        while apart >> bits:
            bits += 1
        out[i] = depth - bits
    return out


@Kernel
def grow(length: Array, shared: Array) -> tuple[Array, Array, Array, Array]:
    """Build the trie of cells in depth-first order, from their lengths and shared bits.

    `shared` counts the bits that each cell has in common with the previous one. Cells are distinct and have
    one root.

    Returns:
        For each node, including branching points: parent, depth, length, and the cell at it. For a branching
        point the last value is -1 minus one of the cells below.
    """
    cells = len(length)
    most = 2 * cells
    parent = np.full(most, -1, dtype=np.int64)
    bits = np.zeros(most, dtype=np.int64)
    cell = np.zeros(most, dtype=np.int64)
    first = np.zeros(most, dtype=np.int64)
    stack = np.zeros(256, dtype=np.int64)
    height = 0
    count = 0
    for i in range(cells):
        last = -1
        while height and bits[stack[height - 1]] > shared[i]:
            height -= 1
            last = stack[height]
        if i and (height == 0 or bits[stack[height - 1]] < shared[i]):
            bits[count] = shared[i]
            cell[count] = -1 - first[last]
            first[count] = first[last]
            parent[count] = stack[height - 1] if height else -1
            parent[last] = count
            stack[height] = count
            height += 1
            count += 1
        bits[count] = length[i]
        cell[count] = i
        first[count] = i
        parent[count] = stack[height - 1] if height else -1
        stack[height] = count
        height += 1
        count += 1
    # depth first: by the first cell below, then from short to long
    order = np.argsort(first[:count] * 256 + bits[:count])
    place = np.empty(count, dtype=np.int64)
    place[order] = np.arange(count)
    out_parent = np.empty(count, dtype=np.int64)
    depth = np.zeros(count, dtype=np.int64)
    for at in range(count):
        over = parent[order[at]]
        out_parent[at] = -1 if over < 0 else place[over]
        depth[at] = 0 if over < 0 else depth[out_parent[at]] + 1
    return out_parent, depth, bits[:count][order], cell[:count][order]


@Kernel
def flatten(low: Array, high: Array) -> tuple[Array, Array]:
    """Divide the ranges of nested cells, given in depth-first order, into stretches.

    `low` has the first code of each cell, and `high` the code after its last one.

    Returns:
        The start of each stretch, and the innermost cell there (-1: none).
    """
    count = len(low)
    starts = np.empty(2 * count, dtype=low.dtype)
    owner = np.empty(2 * count, dtype=np.int64)
    stack = np.empty(256, dtype=np.int64)
    height = 0
    n = 0
    for i in range(count + 1):
        while height and (i == count or high[stack[height - 1]] <= low[i]):
            end = high[stack[height - 1]]
            height -= 1
            if n and starts[n - 1] == end:
                n -= 1
            starts[n] = end
            owner[n] = stack[height - 1] if height else -1
            n += 1
        if i < count:
            if n and starts[n - 1] == low[i]:
                n -= 1
            starts[n] = low[i]
            owner[n] = i
            n += 1
            stack[height] = i
            height += 1
    return starts[:n], owner[:n]


@Kernel
def climb(node: Array, target: Array, parent: Array, length: Array) -> Array:
    """Go from each node up to the first one whose prefix has at most `target` bits."""
    out = np.empty(len(node), dtype=np.int64)
    for i in range(len(node)):
        at = node[i]
        while length[at] > target[i]:
            at = parent[at]
        out[i] = at
    return out


@Kernel
def inherit(parent: Array, value: Array, start: int) -> Array:
    """Return each node's own value or, if it is negative, the parent's (`start` above a root)."""
    out = np.empty(len(parent), dtype=np.int64)
    for at in range(len(parent)):
        if value[at] >= 0:
            out[at] = value[at]
        else:
            out[at] = start if parent[at] < 0 else out[parent[at]]
    return out


@Kernel
def gather_masks(parent: Array, has: Array, out: Array) -> Array:
    """Return the union of the masks `out` of nodes with own space (`has`) in each subtree."""
    acc = np.zeros_like(out)
    for at in range(len(parent) - 1, -1, -1):
        if has[at]:
            for w in range(out.shape[1]):
                acc[at, w] |= out[at, w]
        if parent[at] >= 0:
            for w in range(out.shape[1]):
                acc[parent[at], w] |= acc[at, w]
    return acc


@Kernel
def gather_edges(parent: Array, has: Array, edges: Array) -> Array:
    """Return the common bits of the masks `edges` of nodes with own space in each subtree."""
    acc = np.full_like(edges, ALL_BITS)
    for at in range(len(parent) - 1, -1, -1):
        for w in range(edges.shape[1]):
            if has[at]:
                acc[at, w] &= edges[at, w]
            if parent[at] >= 0:
                acc[parent[at], w] &= acc[at, w]
    return acc


@Kernel
def gather_sums(parent: Array, values: Array) -> Array:
    """Return the sums of `values` (nodes by columns) at and below each node."""
    acc = values.copy()
    for at in range(len(parent) - 1, 0, -1):
        if parent[at] >= 0:
            for c in range(values.shape[1]):
                acc[parent[at], c] += acc[at, c]
    return acc


@Kernel
def tally(node: Array, weight: Array, ingress: Array, extra: Array, charge: Array) -> None:
    """Charge events at their nodes, for each link over which a copy would go.

    `charge` has nodes as rows, and links and one column for all events as columns. `ingress` is the link from
    which an event came (-1: none). `extra` (events by links) is the additional cost of a copy; no rows mean
    0.
    """
    links = charge.shape[1] - 1
    more = len(extra) > 0
    for i in range(len(node)):
        at = node[i]
        charge[at, links] += weight[i]
        for b in range(links):
            if b != ingress[i]:
                charge[at, b] += weight[i] * (1.0 + extra[i, b] if more else 1.0)


@Kernel
def downstream(
    event: Array,
    link: int,
    forward: Array,
    hosts: Array,
    out_links: Array,
    first: Array,
    back: Array,
    target: Array,
) -> Array:
    """Count the copies over links of each event behind a directed link, plus 0.2 per host copy.

    `forward` (directed links by events) is whether the switch at the link's start sends the event over it.
    `hosts` (switches by events) is the number of deliveries. Links out of switch s are
    out_links[first[s]:first[s + 1]]. `back` is the other direction of a link, and `target` the switch at its
    end.
    """
    out = np.zeros(len(event), dtype=np.float64)
    stack = np.empty(4096, dtype=np.int64)
    for i in range(len(event)):
        e = event[i]
        height = 1
        stack[0] = link
        total = 0.0
        while height:
            height -= 1
            came = stack[height]
            at = target[came]
            total += 0.2 * hosts[at, e]
            for k in range(first[at], first[at + 1]):
                onward = out_links[k]
                if forward[onward, e] and onward != back[came] and height < 4096:
                    total += 1.0
                    stack[height] = onward
                    height += 1
        out[i] = total
    return out


@Kernel
def send(
    code: Array,
    first: int,
    last: int,
    starts: Array,
    owner: Array,
    over: Array,
    to_hosts: Array,
    links: Array,
    forward: Array,
    hosts: Array,
    switch: int,
    keep: bool,
) -> None:
    """Let a switch send events, whose codes ascend, by the entries of a table.

    The events are those from `first` to before `last`. `starts` and `owner` are as `flatten` returns them.
    `over` (entries by links) is whether an entry sends over a link; its last row is for events without an
    entry. `to_hosts` counts the hosts of an entry. `forward` and `hosts` are as for `downstream`. With
    `keep`, these stay unchanged for events without an entry.
    """
    at = -1
    none = len(to_hosts) - 1
    for e in range(first, last):
        while at + 1 < len(starts) and starts[at + 1] <= code[e]:
            at += 1
        entry = owner[at] if at >= 0 else -1
        if entry < 0:
            if keep:
                continue
            entry = none
        hosts[switch, e] = to_hosts[entry]
        for k in range(len(links)):
            forward[links[k], e] = over[entry, k] != 0


@Kernel
def meet(a_low: Array, a_high: Array, b_low: Array, b_high: Array) -> tuple[Array, Array]:
    """Intersect two lists of disjoint ranges: first numbers, and numbers after the last."""
    low = np.empty(len(a_low) + len(b_low), dtype=a_low.dtype)
    high = np.empty(len(a_low) + len(b_low), dtype=a_low.dtype)
    i = 0
    j = 0
    n = 0
    while i < len(a_low) and j < len(b_low):
        first = max(a_low[i], b_low[j])
        last = min(a_high[i], b_high[j])
        if first < last:
            low[n] = first
            high[n] = last
            n += 1
        if a_high[i] < b_high[j]:
            i += 1
        else:
            j += 1
    return low[:n], high[:n]
