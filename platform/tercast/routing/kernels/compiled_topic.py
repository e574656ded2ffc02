"""The tries of one topic at all switches, kept where compiled code spreads changes over them.

It does what the layers of `tercast.routing.switch_trie.SwitchTrie` and
`tercast.routing.update_queue.UpdateQueue` do, for switches of at most 60 bits
and cells of at most 55: operations are noted, and carried out when the queue settles. Plain entries follow
from the nodes and are found when they are asked for; what changed is kept in rows until it is taken. A trie
over which aggregation lies has both in its dictionaries (`keep`). `leave` puts everything back into layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tercast.routing.cell_keys import LENGTH_BITS, LENGTH_MASK, Key
from tercast.routing.kernels import port_semantics
from tercast.routing.kernels.patricia import MAX_DEPTH, RIGHT, new_nodes
from tercast.routing.kernels.propagation import (
    CHANGE_LINKS,
    OWN_ADS,
    OWN_SUBS,
    SPARE,
    WORDS,
    owned_between,
    owners,
    root_for_one_more,
    run,
)
from tercast.routing.kernels.table_changes import AFTER, BEFORE, KEY, SWITCH, ChangeRows, entries_of
from tercast.routing.switch_ports import PortBit, PortMask
from tercast.routing.table_overlay import overlay_of
from tercast.runtime.growable_array import GrowableRows
from tercast.topology.elements import Link, sorted_links
from tercast.topology.topology import Port

if TYPE_CHECKING:
    from tercast.encoding.kernels.cell_tree import Ints
    from tercast.routing.spanning_tree import Tree
    from tercast.routing.switch_trie import SwitchTrie
    from tercast.routing.topic_routing import TopicRouting

MOST_CELLS = 1 << 24
"""The largest table of trees by switches and links."""

_CHUNK = 1 << 16

Change = tuple[Key, PortMask, PortMask]
"""Of a plain entry: its cell, outputs before and after (0: none)."""

_ABOVE = (1 << 63) - 1


class CompiledTopic:
    """Tries of one plan; made of its layers, which are empty from then on."""

    __slots__ = (
        "_changes",
        "_depth",
        "_gone",
        "_hidden",
        "_kept",
        "_links",
        "_nodes",
        "_numbers",
        "_operations",
        "_plan",
        "_room",
        "_rows",
        "_shift",
        "_sites",
        "_spare_rows",
        "_trees",
        "_tries",
        "_versions",
    )

    def __init__(self, plan: TopicRouting) -> None:
        self._plan = plan
        self._depth = min(plan.order.depth, MAX_DEPTH)
        self._shift = plan.order.depth - self._depth
        self._nodes = new_nodes(1024)
        self._room = GrowableRows()
        self._sites = np.zeros((16, port_semantics.COLUMNS), np.int64)
        self._trees = np.zeros((8, 16 + 16), np.int64)
        self._tries: list[SwitchTrie] = []
        self._numbers: dict[str, int] = {}
        self._versions: list[int] = []
        self._links: dict[Port, int] = {}
        self._rows: dict[int, int] = {}
        self._spare_rows = list(range(8))[::-1]
        self._gone: list[Tree] = []
        self._operations: list[int] = []
        self._changes = ChangeRows()
        self._kept: dict[int, SwitchTrie] = {}
        self._hidden: set[tuple[int, int]] = set()
        for trie in plan.tries.values():
            self.add_trie(trie)
        for tree in plan.trees():
            self.lay_out(tree, tree.links)
            for end, count in tree.take_carried().items():
                self._trees[self._rows[tree.number], len(self._sites) + self._link(end)] = count
        for trie in plan.tries.values():
            self._load(trie)

    @staticmethod
    def serves(plan: TopicRouting) -> bool:
        """Whether all that is in the layers of a plan can be kept here."""
        if any(trie.site.width > port_semantics.MAX_BITS for trie in plan.tries.values()):
            return False
        size = 4 * len(plan.tries) * sum(1 for _ in plan.trees())
        if size > MOST_CELLS:
            return False
        keys = (key for trie in plan.tries.values() for layer in (trie.subs, trie.ads) for key in layer.own)
        return all(key & LENGTH_MASK <= MAX_DEPTH for key in keys)

    def add_trie(self, trie: SwitchTrie) -> None:
        """Take in one more switch, of which nobody wants or brings anything."""
        if len(self._tries) == len(self._sites):
            self._make_room(2 * len(self._sites), 0)
        number = self._numbers[trie.site.id] = len(self._tries)
        self._tries.append(trie)
        self._versions.append(-1)
        self._nodes, root = root_for_one_more(self._nodes, self._depth)
        self._sites[number, port_semantics.ROOT] = root
        trie.web = self
        self._read_site(trie, number)

    def lay_out(self, tree: Tree, links: Iterable[Link]) -> None:
        """The tree has other masks, and `links`, whose ends are known to each other."""
        self.run()
        for link in sorted_links(links):
            for switch, port in ((link.a, link.a_port), (link.b, link.b_port)):
                number = self._numbers[switch]
                trie = self._tries[number]
                if trie.site.version != self._versions[number] and not self._read_site(trie, number):
                    self.leave()
                    return
                self._connect(trie, number, trie.site.link_bits[port])
        if not self._know(tree):
            self.leave()

    def forget(self, tree: Tree) -> None:
        """The tree has dissolved."""
        if tree.number in self._rows:
            self._gone.append(tree)

    def takes(self, trie: SwitchTrie, keys: Iterable[Key]) -> bool:
        """Whether cells at a switch can be told of here; otherwise everything is in layers again."""
        site = trie.site
        number = self._numbers[site.id]
        if site.version != self._versions[number] and not self._read_site(trie, number):
            self.leave()
            return False
        if self._shift and any(key & LENGTH_MASK > MAX_DEPTH for key in keys):
            self.leave()
            return False
        return True

    def note(
        self, kind: int, trie: SwitchTrie, keys: Iterable[Key], bit: PortBit, tree: Tree | None = None
    ) -> None:
        """Operations for the next `run`; `kind` is one of `tercast.routing.kernels.operations`."""
        if not self._operations:
            self._plan.queue.wait_for(self)
        number = self._numbers[trie.site.id]
        row = -1 if tree is None else self._row(tree)
        for key in keys:
            self._operations += (kind, number, self._narrow(key) if self._shift else key, bit, row)

    def change_links(self, trie: SwitchTrie, tree: Tree, before: PortMask) -> None:
        """The link ports of a tree at a switch were `before`, and are what it says now."""
        if not self._operations:
            self._plan.queue.wait_for(self)
        self._operations += (CHANGE_LINKS, self._numbers[trie.site.id], 0, before, self._row(tree))

    def run(self) -> None:
        """Carry out what was noted, and give tries what changes in their tables."""
        if not self._operations:
            return
        operations = np.array(self._operations, np.int64)
        self._operations.clear()
        self._stretch()
        self._nodes, changes, in_ports, touched, fills = run(
            self._nodes, self._sites, self._trees, operations, self._depth
        )
        if len(touched):
            self._tell(in_ports.tolist(), touched.tolist())
            if self._kept:
                changes = self._tell_kept(changes)
            if self._hidden or len(fills):
                changes = self._hide(changes, fills.tolist())
            self._changes.add(changes, len(self._tries))
        for tree in self._gone:
            if not tree.ads:
                self._free(tree)
        self._gone.clear()

    def _stretch(self) -> None:
        """Make room for nodes before the kernel does, which would copy them."""
        used = int(self._nodes[0, RIGHT])
        if self._room.wanted(self._nodes, used):
            holder = [self._nodes]
            del self._nodes
            self._nodes = self._room.larger(holder, used)

    def _tell(self, in_ports: list[list[int]], touched: list[list[int]]) -> None:
        """Let tries know that their tables changed, and what in entries of ports."""
        tries, kept, mark, touch = self._tries, self._kept, self._plan.queue.mark, self._plan.queue.touch
        for number, more in touched:
            trie = tries[number]
            site = trie.site
            if not site.marked:
                mark(site)
            if not trie.is_touched:
                touch(trie)
            if number not in kept:
                site.count += more
        for number, short, place, outputs, back in in_ports:
            trie = tries[number]
            key = self._widen(short) if self._shift else short
            if place == SPARE:
                trie.put_spare(key, outputs)
                continue
            at = trie.site.socket(1 << place).port, key
            trie.put_in(at, None if outputs == port_semantics.NONE else (outputs, back))

    def _tell_kept(self, changes: Ints) -> Ints:
        """Give those that keep entries theirs; what is left."""
        mine = np.isin(changes[:, SWITCH], list(self._kept))
        for number, short, before, after in changes[mine].tolist():
            self._kept[number].put(self._widen(short) if self._shift else short, before, after)
        return changes[~mine]

    def _hide(self, changes: Ints, fills: list[list[int]]) -> Ints:
        """Changes of what is installed, from those of entries whether or not any packet meets them.

        `fills` are the entries of which some may begin or cease to be met: switch, cell, whether it is not,
        outputs now.
        """
        hidden, kept = self._hidden, self._kept
        judged = {(number, key): (filled, now) for number, key, filled, now in fills if number not in kept}
        rows: list[list[int]] = []
        places: dict[tuple[int, int], int] = {}
        for row in changes.tolist():
            at = row[SWITCH], row[KEY]
            if at not in hidden and at not in judged:
                rows.append(row)
            elif at in places:
                rows[places[at]][AFTER] = row[AFTER]
            else:
                places[at] = len(rows)
                rows.append(row)
        for at, (filled, now) in judged.items():
            if at not in places and bool(filled) != (at in hidden):
                places[at] = len(rows)
                rows.append([*at, now, now])
        for at, place in places.items():
            self._hide_one(at, rows[place], judged.get(at, (at in hidden, 0))[0])
        return np.array(rows, np.int64).reshape(-1, 4)

    def _hide_one(self, at: tuple[int, int], row: list[int], filled: int | bool) -> None:
        """Make what is installed at a cell of a change of its entry; whether it is filled from now on."""
        was, now = at in self._hidden, bool(filled and row[AFTER])
        site = self._tries[at[0]].site
        site.count += (was and bool(row[BEFORE])) - now
        row[BEFORE], row[AFTER] = 0 if was else row[BEFORE], 0 if now else row[AFTER]
        (self._hidden.add if now else self._hidden.discard)(at)

    def take_changes(self) -> dict[SwitchTrie, list[Change]]:
        """What changed in plain entries since the last call, where nothing keeps them."""
        rows, groups = self._changes.take(len(self._tries))
        changes = self._changes_of(rows)
        found: dict[SwitchTrie, list[Change]] = {}
        start = 0
        for number, rows_here in groups.tolist():
            found[self._tries[number]] = changes[start : start + rows_here]
            start += rows_here
        return found

    def give_changes(self, trie: SwitchTrie, changes: Iterable[Change]) -> None:
        """Changes of a trie that are still to be taken; of what it has, none is."""
        number, shift = self._numbers[trie.site.id], self._shift
        rows = [
            (number, self._narrow(key) if shift else key, before, after) for key, before, after in changes
        ]
        self._changes.add(np.array(rows, np.int64).reshape(-1, 4), len(self._tries))

    def entries(self, trie: SwitchTrie, installed: bool = False) -> dict[Key, PortMask]:
        """The plain entries of a trie, from its nodes; as they are `installed` without what is spare."""
        rows = self._entries_of(trie)
        rows = rows[(rows[:, 1] > 0) & (rows[:, 3] == 0)]
        if installed:
            rows[:, 1] &= ~rows[:, 2]
        found = rows[:, :2].tolist()
        if not self._shift:
            return dict(found)
        return {self._widen(short): outputs for short, outputs in found}

    def _entries_of(self, trie: SwitchTrie) -> Ints:
        site = self._sites[self._numbers[trie.site.id]]
        found: Ints = entries_of(self._nodes, site[port_semantics.ROOT], site)
        return found

    def keeps(self, trie: SwitchTrie) -> bool:
        """Whether a trie has its entries in dictionaries of its own."""
        return self._numbers[trie.site.id] in self._kept

    def keep(self, trie: SwitchTrie) -> None:
        """Let a trie have its entries and what was touched in dictionaries, which are changed from now on."""
        number = self._numbers[trie.site.id]
        if number in self._kept:
            return
        mine = self._changes.take_out(number, len(self._tries))
        touched = {key: before for key, before, _ in self._changes_of(mine)}
        rows = self._entries_of(trie)[:, :3].tolist()
        plain = [(self._widen(short), outputs, spare) for short, outputs, spare in rows]
        self._keep(number, trie)
        self._hidden = {at for at in self._hidden if at[0] != number}
        trie.give(plain, touched)

    def _keep(self, number: int, trie: SwitchTrie) -> None:
        self._kept[number] = trie
        self._sites[number, port_semantics.KEPT] = 1

    def _changes_of(self, rows: Ints) -> list[Change]:
        changes: list[Change] = rows[:, KEY:].tolist()
        if self._shift:
            return [(self._widen(short), before, after) for short, before, after in changes]
        return changes

    def keys_between(self, trie: SwitchTrie, low: Key, high: Key) -> list[Key]:
        """The cells that somebody wants or brings at a switch, from `low` up to but not including `high`."""
        root = self._sites[self._numbers[trie.site.id], port_semantics.ROOT]
        found = owned_between(self._nodes, self._depth, root, self._bound(low), self._bound(high)).tolist()
        return list(map(self._widen, found)) if self._shift else found

    def carried(self, tree: Tree) -> dict[Port, int]:
        """How many cells of a tree cross each link, by its end `a`; without those that none crosses."""
        row = self._rows.get(tree.number)
        if row is None:
            return {}
        counts = self._trees[row, len(self._sites) :].tolist()
        return {end: counts[number] for end, number in self._links.items() if counts[number]}

    def leave(self) -> None:
        """Put everything back into the layers of the tries, which go on without this."""
        self.run()
        trees = {row: tree for tree in self._plan.trees() for row in (self._rows.get(tree.number),)}
        for trie in self._tries:
            self.keep(trie)
        for trie, root in zip(self._tries, self._sites[:, port_semantics.ROOT].tolist(), strict=False):
            wanted, brought, tree_of = {}, {}, {}
            for short, wants, brings, row in owners(self._nodes, root).tolist():
                key = self._widen(short) if self._shift else short
                if wants:
                    wanted[key] = wants
                if brings:
                    brought[key] = brings
                    tree_of[key] = trees[row]
            trie.web = None
            trie.know(wanted, brought, tree_of)
        for tree in trees.values():
            tree.give_carried(Counter(self.carried(tree)))
        self._plan.web = None
        self._plan.has_left_web = True

    def _load(self, trie: SwitchTrie) -> None:
        """Move what is in the layers of a trie to its nodes."""
        number, operations = self._numbers[trie.site.id], self._operations
        for key, mask in trie.subs.own.items():
            operations += (OWN_SUBS, number, self._narrow(key), mask, -1)
        for key, mask in trie.ads.own.items():
            operations += (OWN_ADS, number, self._narrow(key), mask, self._row(trie.ads.tree[key]))
        packed = np.array(operations, np.int64)
        operations.clear()
        for start in range(0, packed.size, _CHUNK * WORDS):
            part = packed[start : start + _CHUNK * WORDS]
            self._stretch()
            self._nodes, *_ = run(self._nodes, self._sites, self._trees, part, self._depth)
        trie.know({}, {}, {})
        if overlay_of(trie) is not None:
            self._keep(number, trie)
            return
        touched = {key: before for key, before, _ in trie.changes()}
        self._hidden.update((number, self._narrow(key)) for key in trie.hidden)
        trie.give((), {})
        trie.give_touched(touched)

    def _read_site(self, trie: SwitchTrie, number: int) -> bool:
        """Note the bits of a switch as they are; False where they are too many."""
        site = trie.site
        if site.width > port_semantics.MAX_BITS:
            return False
        row = self._sites[number]
        row[port_semantics.LINKS], row[port_semantics.HOSTS], row[port_semantics.SHARED] = (
            site.links,
            site.hosts,
            site.is_shared,
        )
        for bit, mates in site.mates.items():
            row[port_semantics.MATES + bit.bit_length() - 1] = mates
        self._versions[number] = site.version
        return True

    def _connect(self, trie: SwitchTrie, number: int, bit: PortBit) -> None:
        peer = trie.peers[bit]
        row, place = self._sites[number], bit.bit_length() - 1
        row[port_semantics.PEER + place] = self._numbers[peer.trie.site.id]
        row[port_semantics.PEER_BIT + place] = peer.bit
        row[port_semantics.PEER_LINK + place] = self._link(peer.link)

    def _link(self, end: Port) -> int:
        number = self._links.setdefault(end, len(self._links))
        if number == self._trees.shape[1] - len(self._sites):
            self._make_room(len(self._sites), 2 * number)
        return number

    def _row(self, tree: Tree) -> int:
        """The row of a tree, which may be one that had dissolved and comes back."""
        row = self._rows.get(tree.number)
        if row is None:
            self._know(tree)
            row = self._rows[tree.number]
        return row

    def _know(self, tree: Tree) -> bool:
        """Note which link ports a tree uses; False where there are too many trees."""
        row = self._rows.get(tree.number)
        if row is None:
            if not self._spare_rows:
                self._spare_rows = list(range(len(self._trees), 2 * len(self._trees)))[::-1]
                self._trees = np.concatenate([self._trees, np.zeros_like(self._trees)])
            row = self._rows[tree.number] = self._spare_rows.pop()
            tree.web = self
        masks = self._trees[row, : len(self._sites)]
        masks[:] = 0
        for site, mask in tree.masks.items():
            masks[self._numbers[site.id]] = mask
        return self._trees.size <= MOST_CELLS

    def _free(self, tree: Tree) -> None:
        row = self._rows.pop(tree.number, None)
        if row is not None:
            self._trees[row] = 0
            self._spare_rows.append(row)
            tree.web = None

    def _make_room(self, sites: int, links: int) -> None:
        """Let there be room for so many switches and links (at least as many as now)."""
        before = len(self._sites)
        links = max(links, self._trees.shape[1] - before)
        trees = np.zeros((len(self._trees), sites + links), np.int64)
        trees[:, :before] = self._trees[:, :before]
        counts = self._trees[:, before:]
        trees[:, sites : sites + counts.shape[1]] = counts
        self._trees = trees
        if sites > before:
            more = np.zeros((sites - before, port_semantics.COLUMNS), np.int64)
            self._sites = np.concatenate([self._sites, more])

    def _narrow(self, key: Key) -> int:
        """The key of the same cell at the depth of the nodes."""
        if not self._shift:
            return key
        return key >> LENGTH_BITS + self._shift << LENGTH_BITS | key & LENGTH_MASK

    def _bound(self, key: Key) -> int:
        """The first key here that is no lower; where all are lower, one that is above all."""
        rest = key >> LENGTH_BITS & (1 << self._shift) - 1
        short = key >> LENGTH_BITS + self._shift
        return min(short + 1 << LENGTH_BITS if rest else short << LENGTH_BITS | key & LENGTH_MASK, _ABOVE)

    def _widen(self, key: int) -> Key:
        return key >> LENGTH_BITS << LENGTH_BITS + self._shift | key & LENGTH_MASK
