"""Compiled version of `tercast.routing.propagation`: effects of updates at all switches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tercast.routing.kernels import patricia as t
from tercast.routing.kernels import update_queue as m
from tercast.routing.kernels.operations import ADVERTISE, SUBSCRIBE, UNADVERTISE, UNSUBSCRIBE
from tercast.routing.kernels.patricia import (
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
from tercast.routing.kernels.port_semantics import (
    HOSTS,
    KEPT,
    MET,
    MORE,
    PEER,
    PEER_BIT,
    PEER_LINK,
    ROOT,
    SHARED,
    advertisement_exports,
    entry,
    exports,
    in_port,
    mates_of,
    place_of,
    same_below,
)
from tercast.routing.kernels.shadowing import find_shadowing, may_change_shadowing
from tercast.routing.kernels.update_queue import (
    CHANGED,
    CHANGES,
    COUNTS,
    FILLING,
    FILLS,
    NODES,
    PORT_CHANGED,
    PORT_CHANGES,
    ROWS,
    TOUCHED,
    TOUCHING,
    add_update,
    new_book,
    next_update,
)
from tercast.runtime.compiler import compile_kernel
from tercast.runtime.growable_array import Ints

CHANGE_LINKS, OWN_SUBS, OWN_ADS = 4, 5, 6
"""More operations: other links of a tree at a switch; owners of a cell, without propagation."""

WORDS = 5
"""Words of an operation: kind, switch, cell, mask of bits, row of the tree."""

SUPPRESSED_OUTPUTS = -2
"""Columns of changes.

Plain entries: switch, cell, outputs before and after. In-port entries: switch, cell, the number of a bit on
the port, outputs elsewhere and back; NONE if the entry is removed. If the table of a switch is stored,
outputs include the suppressed ones. Changes of these are reported like those of an in-port entry, with
SUPPRESSED_OUTPUTS instead of the number of a bit.
"""

Masks = tuple[int, int, int, int]
"""S and A above a cell, then at it."""

Book = list[Ints]


class WorkArrays(NamedTuple):
    """Inputs of a run except nodes (`trees` also counts crossings), and arrays to work in.

    `switches` are as in `tercast.routing.kernels.port_semantics`. `trees` have a mask of link ports for each
    switch, then the number of cells that cross each link.
    """

    switches: Ints
    trees: Ints
    depth: int
    counts: Ints
    path: Ints
    stack: Ints


@compile_kernel
def run(
    nodes: Ints, switches: Ints, trees: Ints, operations: Ints, depth: int
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Process operations and all their consequences.

    Returns:
        The nodes, which may have moved; the changes of plain entries and of in-port entries, in order; the
        switches with changes, each with the increase of its plain entries, including shadowed ones; and the
        result of `find_shadowing`.
    """
    path, stack = np.empty(LEVELS, np.int64), np.empty((2 * LEVELS, 7), np.int64)
    field = WorkArrays(switches, trees, depth, np.zeros(COUNTS, np.int64), path, stack)
    book = new_book(nodes)
    for at in range(0, operations.size, WORDS):
        kind, trie, key = operations[at], operations[at + 1], operations[at + 2]
        mask, tree = operations[at + 3], operations[at + 4]
        _make_room(book)
        if kind == CHANGE_LINKS:
            _change_links(book, field, trie, mask, tree)
        elif kind >= OWN_SUBS:
            _own(book, field, kind == OWN_ADS, trie, key, mask, tree)
        else:
            _apply(book, field, kind, trie, key, mask, tree)
    while True:
        row = next_update(book, field.counts)
        if row == 0:
            break
        _make_room(book)
        rows = book[ROWS]
        kind, trie, key = rows[row, m.KIND], rows[row, m.TRIE], rows[row, m.KEY]
        _apply(book, field, kind, trie, key, rows[row, m.BIT], rows[row, m.TREE])
    touched = book[TOUCHED][: field.counts[TOUCHING]]
    for row in range(touched.shape[0]):
        switch = switches[touched[row, 0]]
        touched[row, 1] = switch[MORE]
        switch[MORE], switch[MET] = 0, 0
    changes, ports = book[CHANGES][: field.counts[CHANGED]], book[PORT_CHANGES][: field.counts[PORT_CHANGED]]
    fills = find_shadowing(book[NODES], switches, depth, book[FILLS][: field.counts[FILLING]], path)
    return book[NODES], changes, ports, touched, fills


@compile_kernel
def _make_room(book: Book) -> None:
    if not has_room(book[NODES]):
        book[NODES] = doubled(book[NODES])


@compile_kernel
def _apply(book: Book, field: WorkArrays, kind: int, trie: int, key: int, bit: int, tree: int) -> None:
    """Let a bit of a switch subscribe to or advertise a cell, or no longer."""
    nodes, path = book[NODES], field.path
    ad, came = kind & 1, kind < UNSUBSCRIBE
    root = field.switches[trie, ROOT]
    steps, at, child, s_over, a_over, tree_over = descend(nodes, field.depth, root, key, path)
    column = t.A if ad else t.S
    own = nodes[at, column] if at else 0
    if came:
        if own & bit:
            return
        if at == 0:
            at, steps = insert(nodes, field.depth, path, steps, child, key)
        if ad and own == 0:
            nodes[at, t.TREE] = tree
        note_above(nodes, path, steps, at, A_BELOW if ad else S_BELOW, bit)
    else:
        if not own & bit:
            raise AssertionError("a bit is removed that does not own the cell")
        tree = nodes[at, t.TREE]
    nodes[at, column] = own ^ bit
    parent = path[steps - 1] if steps else 0
    if ad and not a_over & bit:
        over = a_over | own
        old = (s_over, a_over, s_over | nodes[at, S], over)
        _spread_a(book, field, trie, at, parent, old, over ^ bit, tree)
    elif not ad and not s_over & bit:
        tree = nodes[at, t.TREE] if nodes[at, A] else tree_over
        over = s_over | own
        old = (s_over, a_over, over, a_over | nodes[at, A])
        _spread_s(book, field, trie, at, parent, old, over ^ bit, tree)
    if not came:
        prune(nodes, path, steps, at)


@compile_kernel
def _spread_s(
    book: Book, field: WorkArrays, trie: int, at: int, parent: int, old: Masks, s1: int, tree: int
) -> None:
    """Change S at a node to `s1`."""
    s_over, a_over, s0, a = old
    _change(book, field, trie, at, parent, old, (s_over, a_over, s1, a), tree)
    _walk(book, field, trie, at, (s0, s1, a, a), tree)


@compile_kernel
def _spread_a(
    book: Book, field: WorkArrays, trie: int, at: int, parent: int, old: Masks, a1: int, tree: int
) -> None:
    """Change A at a node, which is in `tree`, to `a1`."""
    s_over, a_over, s, a0 = old
    key = book[NODES][at, t.KEY]
    _change(book, field, trie, at, parent, old, (s_over, a_over, s, a1), tree)
    _compare_exports(book, field, trie, key, (a_over, a0, a_over, a1), tree)
    _walk(book, field, trie, at, (s, s, a0, a1), tree)


@compile_kernel
def _walk(book: Book, field: WorkArrays, trie: int, top: int, over: Masks, tree: int) -> None:
    """Process changed masks below `top`: S before and after, A before and after.

    One of the two changes by one bit.
    """
    nodes, switch, stack = book[NODES], field.switches[trie], field.stack
    size = _push(nodes, switch, stack, 0, top, over, tree)
    while size:
        size -= 1
        at, s0, s1 = stack[size, 0], stack[size, 1], stack[size, 2]
        a0, a1, tree, parent = stack[size, 3], stack[size, 4], stack[size, 5], stack[size, 6]
        s_own, a_own = nodes[at, S], nodes[at, A]
        s0_at, s1_at, a0_at, a1_at = s0 | s_own, s1 | s_own, a0 | a_own, a1 | a_own
        if a_own:
            tree = nodes[at, t.TREE]
        if s_own or a_own:
            _change(book, field, trie, at, parent, (s0, a0, s0_at, a0_at), (s1, a1, s1_at, a1_at), tree)
            if a_own and a0 != a1:
                _compare_exports(book, field, trie, nodes[at, t.KEY], (a0, a0_at, a1, a1_at), tree)
            if s0_at == s1_at and a0_at == a1_at:
                continue
        size = _push(nodes, switch, stack, size, at, (s0_at, s1_at, a0_at, a1_at), tree)


@compile_kernel
def _push(nodes: Ints, switch: Ints, stack: Ints, size: int, at: int, over: Masks, tree: int) -> int:
    """Push the nodes below `at` on the stack if the change affects them, the left one last."""
    s0, s1, a0, a1 = over
    for side in (RIGHT, LEFT):
        child = nodes[at, side]
        if child == 0:
            continue
        if nodes[child, A_BELOW] == 0:
            if a0 == a1:
                if a0 == 0:  # no bit advertises anything there
                    continue
            elif same_below(switch, a0, a1, s0 | nodes[child, S_BELOW]):
                continue
        stack[size, 0], stack[size, 1], stack[size, 2] = child, s0, s1
        stack[size, 3], stack[size, 4], stack[size, 5], stack[size, 6] = a0, a1, tree, at
        size += 1
    return size


@compile_kernel
def _change(
    book: Book, field: WorkArrays, trie: int, at: int, parent: int, old: Masks, new: Masks, tree: int
) -> None:
    """Change the masks of a node, with its entry, its exports and its in-port entries."""
    switch, key = field.switches[trie], book[NODES][at, t.KEY]
    s_over0, a_over0, s0, a0 = old
    s_over1, a_over1, s1, a1 = new
    before, had = entry(switch, s_over0, a_over0, s0, a0)
    after, has = entry(switch, s_over1, a_over1, s1, a1)
    if (before == 0) != (after == 0) and may_change_shadowing(book[NODES], parent, at):
        _note_fill(book, field, trie, key)
    if switch[KEPT]:
        if had != has:
            _note_port(book, field, trie, key, SUPPRESSED_OUTPUTS, has, 0)
    else:
        before, after = max(before, 0) & ~had, max(after, 0) & ~has
    if before != after:
        _record_change(book, field, trie, key, before, after)
    was, now = exports(switch, s_over0, a_over0, s0, a0), exports(switch, s_over1, a_over1, s1, a1)
    if was != now:
        _export_subscriptions(book, field, trie, key, was, now, tree)
    hosts = (s0 | s1) if switch[SHARED] else (s0 & a0) | (s1 & a1)
    hosts &= switch[HOSTS]
    while hosts:
        mates = mates_of(switch, hosts)
        place = place_of(hosts & -hosts)
        hosts &= ~mates
        out0, back0 = in_port(switch, mates, s_over0, a_over0, s0, a0)
        out1, back1 = in_port(switch, mates, s_over1, a_over1, s1, a1)
        if out0 != out1 or back0 != back1:
            _note_port(book, field, trie, key, place, out1, back1)


@compile_kernel
def _export_subscriptions(
    book: Book, field: WorkArrays, trie: int, key: int, was: int, now: int, tree: int
) -> None:
    switch = field.switches[trie]
    changed = was ^ now
    while changed:
        bit = changed & -changed
        changed ^= bit
        place = place_of(bit)
        came = now & bit != 0
        kind = SUBSCRIBE if came else UNSUBSCRIBE
        add_update(book, field.counts, kind, switch[PEER + place], key, switch[PEER_BIT + place], NO_TREE)
        if tree != NO_TREE:
            field.trees[tree, field.switches.shape[0] + switch[PEER_LINK + place]] += 1 if came else -1


@compile_kernel
def _compare_exports(book: Book, field: WorkArrays, trie: int, key: int, brought: Masks, tree: int) -> None:
    """Export to neighbours the effect of a change of A over and at a cell: before, then after."""
    links = field.trees[tree, trie]
    was = advertisement_exports(brought[1], links) & ~advertisement_exports(brought[0], links)
    now = advertisement_exports(brought[3], links) & ~advertisement_exports(brought[2], links)
    if was != now:
        _export_advertisements(book, field, trie, key, was, now, tree)


@compile_kernel
def _export_advertisements(
    book: Book, field: WorkArrays, trie: int, key: int, was: int, now: int, tree: int
) -> None:
    switch = field.switches[trie]
    changed = was ^ now
    while changed:
        bit = changed & -changed
        changed ^= bit
        place = place_of(bit)
        kind = ADVERTISE if now & bit else UNADVERTISE
        add_update(book, field.counts, kind, switch[PEER + place], key, switch[PEER_BIT + place], tree)


@compile_kernel
def _change_links(book: Book, field: WorkArrays, trie: int, before: int, tree: int) -> None:
    """Export the effect of a change of a tree's link ports at a switch from `before`."""
    nodes, stack, after = book[NODES], field.stack, field.trees[tree, trie]
    stack[0, 0], stack[0, 1] = field.switches[trie, ROOT], 0
    size = 1
    while size:
        size -= 1
        at, over = stack[size, 0], stack[size, 1]
        brought = over | nodes[at, A]
        if nodes[at, A] and nodes[at, t.TREE] == tree:
            was = advertisement_exports(brought, before) & ~advertisement_exports(over, before)
            now = advertisement_exports(brought, after) & ~advertisement_exports(over, after)
            _export_advertisements(book, field, trie, nodes[at, t.KEY], was, now, tree)
        for side in (RIGHT, LEFT):
            child = nodes[at, side]
            if child and nodes[child, A_BELOW]:
                stack[size, 0], stack[size, 1] = child, brought
                size += 1


@compile_kernel
def _own(book: Book, field: WorkArrays, ads: bool, trie: int, key: int, mask: int, tree: int) -> None:
    """Set `mask` as the owners of a cell."""
    nodes, path = book[NODES], field.path
    steps, at, child, _, _, _ = descend(nodes, field.depth, field.switches[trie, ROOT], key, path)
    if at == 0:
        at, steps = insert(nodes, field.depth, path, steps, child, key)
    if ads:
        nodes[at, A], nodes[at, t.TREE] = mask, tree
    else:
        nodes[at, S] = mask
    note_above(nodes, path, steps, at, A_BELOW if ads else S_BELOW, mask)


@compile_kernel
def _new_row(book: Book, counts: Ints, which: int, counter: int) -> int:
    """Return the next free row of one of a book's lists, and enlarge the list if it is full."""
    at = counts[counter]
    if at == book[which].shape[0]:
        book[which] = doubled(book[which])
    counts[counter] = at + 1
    return int(at)


@compile_kernel
def _record_change(book: Book, field: WorkArrays, trie: int, key: int, before: int, after: int) -> None:
    _touch(book, field, trie, int(after != 0) - int(before != 0))
    at = _new_row(book, field.counts, CHANGES, CHANGED)
    rows = book[CHANGES]
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3] = trie, key, before, after


@compile_kernel
def _note_port(book: Book, field: WorkArrays, trie: int, key: int, place: int, out: int, back: int) -> None:
    _touch(book, field, trie, 0)
    at = _new_row(book, field.counts, PORT_CHANGES, PORT_CHANGED)
    rows = book[PORT_CHANGES]
    rows[at, 0], rows[at, 1], rows[at, 2], rows[at, 3], rows[at, 4] = trie, key, place, out, back


@compile_kernel
def _note_fill(book: Book, field: WorkArrays, trie: int, key: int) -> None:
    """Record a cell whose entry appears or disappears, which may change shadowing."""
    _touch(book, field, trie, 0)
    at = _new_row(book, field.counts, FILLS, FILLING)
    rows = book[FILLS]
    rows[at, 0], rows[at, 1] = trie, key


@compile_kernel
def _touch(book: Book, field: WorkArrays, trie: int, more: int) -> None:
    """Record a change at a switch, which has `more` additional plain entries."""
    switch = field.switches[trie]
    switch[MORE] += more
    if switch[MET]:
        return
    switch[MET] = 1
    at = _new_row(book, field.counts, TOUCHED, TOUCHING)
    rows = book[TOUCHED]
    rows[at, 0] = trie


@compile_kernel
def owners(nodes: Ints, root: int) -> Ints:
    """Return the owned cells of a trie, depth first: key, subscribers, advertisers, tree."""
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


@compile_kernel
def owned_between(nodes: Ints, depth: int, root: int, low: int, high: int) -> Ints:
    """Return the keys of owned cells from `low` up to but not including `high`, in order."""
    found = np.empty(16, np.int64)
    stack = np.empty(2 * LEVELS, np.int64)
    stack[0] = root
    size, number = 1, 0
    while size:
        size -= 1
        at = stack[size]
        key = nodes[at, t.KEY]
        if key >= high:
            continue
        if key >= low and (nodes[at, S] or nodes[at, A]):
            if number == found.shape[0]:
                larger = np.empty(2 * number, np.int64)
                larger[:number] = found
                found = larger
            found[number] = key
            number += 1
        for side in (RIGHT, LEFT):
            child = nodes[at, side]
            if child:
                below = nodes[child, t.KEY]
                shift = depth + t.LENGTH_BITS - (below & t.LENGTH)
                if (low >> shift) <= (below >> shift):
                    stack[size] = child
                    size += 1
    return found[:number]


@compile_kernel
def root_for_one_more(nodes: Ints, depth: int) -> tuple[Ints, int]:
    """Return the nodes, moved if they needed space, and the root of a new trie."""
    if not has_room(nodes):
        nodes = doubled(nodes)
    return nodes, t.new_root(nodes, depth)
