"""Compiled: how changes spread over the tries of a topic, as `tercast.trie` and `tercast.queue` have it."""

from __future__ import annotations

import numpy as np
from numba import njit

from tercast.compiled import messages as m
from tercast.compiled import tries as t
from tercast.compiled.cells import Ints
from tercast.compiled.kinds import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE
from tercast.compiled.meaning import (
    HOSTS,
    LINKS,
    MATES,
    NONE,
    PEER,
    PEER_BIT,
    PEER_LINK,
    ROOT,
    SHARED,
    entry,
    exported,
    exports,
    in_port,
    mates_of,
    place_of,
    same_below,
)
from tercast.compiled.messages import CHANGED, CHANGES, COUNTS, NODES, ROWS, new_book, send, take
from tercast.compiled.tries import (
    A_BELOW,
    LEFT,
    LEVELS,
    NO_TREE,
    RIGHT,
    S_BELOW,
    A,
    S,
    descend,
    doubled,
    has_room,
    insert,
    note_above,
    prune,
)

CHANGE_LINKS, OWN_SUBS, OWN_ADS = 4, 5, 6
"""Further operations: other links of a tree at a switch; who owns a cell, without telling anybody."""

WORDS = 5
"""Of an operation: kind, switch, cell, mask of bits, row of the tree."""

PLAIN = -1
"""A change of a table is: switch, cell, PLAIN, outputs before and after; or instead of PLAIN the number of a bit on the
ingress port, outputs elsewhere and back, NONE where the entry goes."""


@njit(cache=True)
def run(nodes: Ints, sites: Ints, trees: Ints, operations: Ints, depth: int) -> tuple[Ints, Ints]:
    """Carry out operations and all that follows from them; the nodes, moved where they needed room, and changes.

    `sites` are as in `tercast.compiled.meaning`; `trees` have a mask of link ports for each switch, then the number
    of cells that cross each link.
    """
    book, counts = new_book(nodes), np.zeros(COUNTS, np.int64)
    path, stack = np.empty(LEVELS, np.int64), np.empty((2 * LEVELS, 6), np.int64)
    for at in range(0, operations.size, WORDS):
        kind, trie, key = operations[at], operations[at + 1], operations[at + 2]
        mask, tree = operations[at + 3], operations[at + 4]
        if not has_room(book[NODES]):
            book[NODES] = doubled(book[NODES])
        if kind == CHANGE_LINKS:
            _change_links(book, counts, sites, trees, trie, mask, tree, stack)
        elif kind == OWN_SUBS or kind == OWN_ADS:
            _own(book[NODES], sites, depth, kind == OWN_ADS, trie, key, mask, tree, path)
        else:
            _apply(book, counts, sites, trees, depth, kind, trie, key, mask, tree, path, stack)
    while True:
        row = take(book, counts)
        if row == 0:
            break
        if not has_room(book[NODES]):
            book[NODES] = doubled(book[NODES])
        rows = book[ROWS]
        kind, trie, key = rows[row, m.KIND], rows[row, m.TRIE], rows[row, m.KEY]
        bit, tree = rows[row, m.BIT], rows[row, m.TREE]
        _apply(book, counts, sites, trees, depth, kind, trie, key, bit, tree, path, stack)
    return book[NODES], book[CHANGES][: counts[CHANGED]]


@njit(cache=True)
def _apply(
    book: list[Ints],
    counts: Ints,
    sites: Ints,
    trees: Ints,
    depth: int,
    kind: int,
    trie: int,
    key: int,
    bit: int,
    tree: int,
    path: Ints,
    stack: Ints,
) -> None:
    """Let a bit of a switch want or bring a cell, or no more."""
    nodes = book[NODES]
    layer = kind & 1
    came = kind < UNSUBSCRIBE
    steps, at, child, s_over, a_over, tree_over = descend(nodes, depth, sites[trie, ROOT], key, path)
    column = t.A if layer else t.S
    own = nodes[at, column] if at else 0
    if came:
        if own & bit:
            return
        if at == 0:
            at, steps = insert(nodes, depth, path, steps, child, key)
        if layer and own == 0:
            nodes[at, t.TREE] = tree
        nodes[at, column] = own | bit
        note_above(nodes, path, steps, at, A_BELOW if layer else S_BELOW, bit)
    else:
        if not own & bit:
            raise AssertionError("a bit goes that does not own the cell")
        nodes[at, column] = own ^ bit
        tree = nodes[at, t.TREE]
    if layer:
        if not a_over & bit:
            s_at = s_over | nodes[at, S]
            a0 = a_over | own
            a1 = a0 ^ bit
            _change(book, counts, sites, trees, trie, key, s_over, a_over, s_at, a0, s_over, a_over, s_at, a1, tree)
            _compare(book, counts, sites, trees, trie, key, a_over, a0, a_over, a1, tree)
            _walk(book, counts, sites, trees, trie, at, s_at, s_at, a0, a1, tree, stack)
    elif not s_over & bit:
        a_at = a_over | nodes[at, A]
        over = nodes[at, t.TREE] if nodes[at, A] else tree_over
        s0 = s_over | own
        s1 = s0 ^ bit
        _change(book, counts, sites, trees, trie, key, s_over, a_over, s0, a_at, s_over, a_over, s1, a_at, over)
        _walk(book, counts, sites, trees, trie, at, s0, s1, a_at, a_at, over, stack)
    if not came:
        prune(nodes, path, steps, at)


@njit(cache=True)
def _walk(
    book: list[Ints],
    counts: Ints,
    sites: Ints,
    trees: Ints,
    trie: int,
    top: int,
    s0: int,
    s1: int,
    a0: int,
    a1: int,
    tree: int,
    stack: Ints,
) -> None:
    """Below `top` the masks above change from S0, A0 to S1, A1; one of S and A by one bit."""
    nodes, site = book[NODES], sites[trie]
    size = _push(nodes, site, top, s0, s1, a0, a1, tree, stack, 0)
    while size:
        size -= 1
        at, s0, s1 = stack[size, 0], stack[size, 1], stack[size, 2]
        a0, a1, tree = stack[size, 3], stack[size, 4], stack[size, 5]
        s_own, a_own = nodes[at, S], nodes[at, A]
        s0_at, s1_at, a0_at, a1_at = s0 | s_own, s1 | s_own, a0 | a_own, a1 | a_own
        if a_own:
            tree = nodes[at, t.TREE]
        if s_own or a_own:
            key = nodes[at, t.KEY]
            _change(book, counts, sites, trees, trie, key, s0, a0, s0_at, a0_at, s1, a1, s1_at, a1_at, tree)
            if a_own and a0 != a1:
                _compare(book, counts, sites, trees, trie, key, a0, a0_at, a1, a1_at, tree)
            if s0_at == s1_at and a0_at == a1_at:
                continue
        size = _push(nodes, site, at, s0_at, s1_at, a0_at, a1_at, tree, stack, size)


@njit(cache=True)
def _push(
    nodes: Ints, site: Ints, at: int, s0: int, s1: int, a0: int, a1: int, tree: int, stack: Ints, size: int
) -> int:
    """Put the nodes below `at` on the stack, the left one last, where the change means anything below."""
    for side in (RIGHT, LEFT):
        child = nodes[at, side]
        if child == 0:
            continue
        if nodes[child, A_BELOW] == 0:
            if a0 == a1:
                if a0 == 0:  # nobody brings anything there
                    continue
            elif same_below(site, a0, a1, s0 | nodes[child, S_BELOW]):
                continue
        stack[size, 0], stack[size, 1], stack[size, 2] = child, s0, s1
        stack[size, 3], stack[size, 4], stack[size, 5] = a0, a1, tree
        size += 1
    return size


@njit(cache=True)
def _change(
    book: list[Ints],
    counts: Ints,
    sites: Ints,
    trees: Ints,
    trie: int,
    key: int,
    s_over0: int,
    a_over0: int,
    s0: int,
    a0: int,
    s_over1: int,
    a_over1: int,
    s1: int,
    a1: int,
    tree: int,
) -> None:
    """The masks above a cell and at it change: its entry, exports and entries with an `in_port` follow."""
    site = sites[trie]
    before, after = entry(site, s_over0, a_over0, s0, a0), entry(site, s_over1, a_over1, s1, a1)
    if before != after:
        _note(book, counts, trie, key, PLAIN, before, after)
    was, now = exports(site, s_over0, a_over0, s0, a0), exports(site, s_over1, a_over1, s1, a1)
    changed = was ^ now
    while changed:
        bit = changed & -changed
        changed ^= bit
        place = place_of(bit)
        came = now & bit != 0
        kind = SUBSCRIBE if came else UNSUBSCRIBE
        send(book, counts, kind, site[PEER + place], key, site[PEER_BIT + place], NO_TREE)
        if tree != NO_TREE:
            trees[tree, sites.shape[0] + site[PEER_LINK + place]] += 1 if came else -1
    hosts = ((s0 & a0) | (s1 & a1)) & site[HOSTS]
    if site[SHARED]:
        hosts = (s0 | s1) & site[HOSTS]
    while hosts:
        mates = mates_of(site, hosts)
        place = place_of(hosts & -hosts)
        hosts &= ~mates
        out0, back0 = in_port(site, mates, s_over0, a_over0, s0, a0)
        out1, back1 = in_port(site, mates, s_over1, a_over1, s1, a1)
        if out0 != out1 or back0 != back1:
            _note(book, counts, trie, key, place, out1, back1)


@njit(cache=True)
def _compare(
    book: list[Ints],
    counts: Ints,
    sites: Ints,
    trees: Ints,
    trie: int,
    key: int,
    over0: int,
    at0: int,
    over1: int,
    at1: int,
    tree: int,
) -> None:
    """Export what changes for the neighbours when A over and at a cell changes."""
    links = trees[tree, trie]
    was = exported(at0, links) & ~exported(over0, links)
    now = exported(at1, links) & ~exported(over1, links)
    _export(book, counts, sites[trie], key, was, now, tree)


@njit(cache=True)
def _export(book: list[Ints], counts: Ints, site: Ints, key: int, was: int, now: int, tree: int) -> None:
    changed = was ^ now
    while changed:
        bit = changed & -changed
        changed ^= bit
        place = place_of(bit)
        kind = ADVERTISE if now & bit else UNADVERTISE
        send(book, counts, kind, site[PEER + place], key, site[PEER_BIT + place], tree)


@njit(cache=True)
def _change_links(
    book: list[Ints], counts: Ints, sites: Ints, trees: Ints, trie: int, before: int, tree: int, stack: Ints
) -> None:
    """The link ports that a tree uses at a switch were `before`; export what that changes."""
    nodes, site, after = book[NODES], sites[trie], trees[tree, trie]
    stack[0, 0], stack[0, 1] = site[ROOT], 0
    size = 1
    while size:
        size -= 1
        at, over = stack[size, 0], stack[size, 1]
        brought = over | nodes[at, A]
        if nodes[at, A] and nodes[at, t.TREE] == tree:
            was = exported(brought, before) & ~exported(over, before)
            now = exported(brought, after) & ~exported(over, after)
            _export(book, counts, site, nodes[at, t.KEY], was, now, tree)
        for side in (RIGHT, LEFT):
            child = nodes[at, side]
            if child and nodes[child, A_BELOW]:
                stack[size, 0], stack[size, 1] = child, brought
                size += 1


@njit(cache=True)
def _own(
    nodes: Ints, sites: Ints, depth: int, ads: bool, trie: int, key: int, mask: int, tree: int, path: Ints
) -> None:
    """Let `mask` own a cell; there has to be room for two nodes."""
    steps, at, child, _, _, _ = descend(nodes, depth, sites[trie, ROOT], key, path)
    if at == 0:
        at, steps = insert(nodes, depth, path, steps, child, key)
    if ads:
        nodes[at, A], nodes[at, t.TREE] = mask, tree
    else:
        nodes[at, S] = mask
    note_above(nodes, path, steps, at, A_BELOW if ads else S_BELOW, mask)


@njit(cache=True)
def _note(book: list[Ints], counts: Ints, trie: int, key: int, port: int, one: int, other: int) -> None:
    rows = book[CHANGES]
    at = counts[CHANGED]
    if at == rows.shape[0]:
        rows = book[CHANGES] = doubled(rows)
    counts[CHANGED] = at + 1
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3], rows[at, 4] = trie, key, port, one, other


@njit(cache=True)
def owners(nodes: Ints, root: int) -> Ints:
    """Every cell of a trie that somebody owns, depth first: its key, the bits that want and bring it, its tree."""
    found = np.empty((64, 4), np.int64)
    stack = np.empty(2 * LEVELS, np.int64)
    stack[0] = root
    size, number = 1, 0
    while size:
        size -= 1
        at = stack[size]
        if nodes[at, S] or nodes[at, A]:
            if number == found.shape[0]:
                found = doubled(found)
            found[number, 0], found[number, 1] = nodes[at, t.KEY], nodes[at, S]
            found[number, 2], found[number, 3] = nodes[at, A], nodes[at, t.TREE]
            number += 1
        for side in (RIGHT, LEFT):
            if nodes[at, side]:
                stack[size] = nodes[at, side]
                size += 1
    return found[:number]


@njit(cache=True)
def root_for_one_more(nodes: Ints, depth: int) -> tuple[Ints, int]:
    """The nodes, moved where they needed room, and the root of a new trie."""
    if not has_room(nodes):
        nodes = doubled(nodes)
    return nodes, t.new_root(nodes, depth)
