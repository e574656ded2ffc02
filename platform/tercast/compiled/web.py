"""The tries of one topic at all switches, kept where compiled code spreads changes over them.

It does what the layers of `tercast.trie.Trie` and `tercast.queue.Queue` do, for switches of at most 60 bits
and cells of at most 55: operations are noted, and carried out when the queue settles. What changes in tables
goes to the tries, which keep their entries. `leave` puts everything back into layers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from tercast.compiled import meaning
from tercast.compiled.spreading import (
    CHANGE_LINKS,
    OWN_ADS,
    OWN_SUBS,
    PLAIN,
    WORDS,
    owned_between,
    owners,
    root_for_one_more,
    run,
)
from tercast.compiled.tries import MAX_DEPTH, new_nodes
from tercast.keys import LENGTH_BITS, LENGTH_MASK, Key
from tercast.site import Bit, Mask
from tercast.topology import Port
from tercast.topology_parts import Link

if TYPE_CHECKING:
    from tercast.topic_plan import TopicPlan
    from tercast.trees import Tree
    from tercast.trie import Trie

MOST_CELLS = 1 << 24
"""The largest table of trees by switches and links."""

_CHUNK = 1 << 16

_ABOVE = (1 << 63) - 1


class Web:
    """Tries of one plan; made of its layers, which are empty from then on."""

    __slots__ = (
        "_depth",
        "_gone",
        "_links",
        "_nodes",
        "_numbers",
        "_operations",
        "_plan",
        "_rows",
        "_shift",
        "_sites",
        "_spare_rows",
        "_trees",
        "_tries",
        "_versions",
    )

    def __init__(self, plan: TopicPlan) -> None:
        self._plan = plan
        self._depth = min(plan.order.depth, MAX_DEPTH)
        self._shift = plan.order.depth - self._depth
        self._nodes = new_nodes(1024)
        self._sites = np.zeros((16, meaning.COLUMNS), np.int64)
        self._trees = np.zeros((8, 16 + 16), np.int64)
        self._tries: list[Trie] = []
        self._numbers: dict[str, int] = {}
        self._versions: list[int] = []
        self._links: dict[Port, int] = {}
        self._rows: dict[int, int] = {}
        self._spare_rows = list(range(8))[::-1]
        self._gone: list[Tree] = []
        self._operations: list[int] = []
        for trie in plan.tries.values():
            self.add_trie(trie)
        for tree in plan.trees():
            self.lay_out(tree, tree.links)
            for end, count in tree.take_carried().items():
                self._trees[self._rows[tree.number], len(self._sites) + self._link(end)] = count
        for trie in plan.tries.values():
            self._load(trie)

    @staticmethod
    def serves(plan: TopicPlan) -> bool:
        """Whether all that is in the layers of a plan can be kept here."""
        if any(trie.site.width > meaning.MAX_BITS for trie in plan.tries.values()):
            return False
        size = 4 * len(plan.tries) * sum(1 for _ in plan.trees())
        if size > MOST_CELLS:
            return False
        keys = (key for trie in plan.tries.values() for layer in (trie.subs, trie.ads) for key in layer.own)
        return all(key & LENGTH_MASK <= MAX_DEPTH for key in keys)

    def add_trie(self, trie: Trie) -> None:
        """Take in one more switch, of which nobody wants or brings anything."""
        if len(self._tries) == len(self._sites):
            self._make_room(2 * len(self._sites), 0)
        number = self._numbers[trie.site.id] = len(self._tries)
        self._tries.append(trie)
        self._versions.append(-1)
        self._nodes, root = root_for_one_more(self._nodes, self._depth)
        self._sites[number, meaning.ROOT] = root
        trie.web = self
        self._read_site(trie, number)

    def lay_out(self, tree: Tree, links: Iterable[Link]) -> None:
        """The tree has other masks, and `links`, whose ends are known to each other."""
        self.run()
        for link in links:
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

    def takes(self, trie: Trie, keys: Iterable[Key]) -> bool:
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

    def note(self, kind: int, trie: Trie, keys: Iterable[Key], bit: Bit, tree: Tree | None = None) -> None:
        """Operations for the next `run`; `kind` is one of `tercast.compiled.kinds`."""
        if not self._operations:
            self._plan.queue.wait_for(self)
        number = self._numbers[trie.site.id]
        row = -1 if tree is None else self._row(tree)
        for key in keys:
            self._operations += (kind, number, self._narrow(key) if self._shift else key, bit, row)

    def change_links(self, trie: Trie, tree: Tree, before: Mask) -> None:
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
        self._nodes, changes = run(self._nodes, self._sites, self._trees, operations, self._depth)
        self._tell(changes.tolist())
        for tree in self._gone:
            if not tree.ads:
                self._free(tree)
        self._gone.clear()

    def _tell(self, changes: list[list[int]]) -> None:
        """Give tries what changes in their tables; plain entries as `Trie.put` does, without calling it."""
        tries, queue = self._tries, self._plan.queue
        for number, short, port, one, other in changes:
            trie = tries[number]
            key = self._widen(short) if self._shift else short
            if port != PLAIN:
                at = trie.site.socket(1 << port).port, key
                trie.put_in(at, None if one == meaning.NONE else (one, other))
                continue
            site, touched = trie.site, trie.touched
            if not site.marked:
                queue.mark(site)
            if key not in touched:
                if not touched and not trie.in_touched:
                    queue.touch(trie)
                touched[key] = one
            if not other:
                del trie.entries[key]
                site.count -= 1
            else:
                trie.entries[key] = other
                if not one:
                    site.count += 1

    def keys_between(self, trie: Trie, low: Key, high: Key) -> list[Key]:
        """The cells that somebody wants or brings at a switch, from `low` up to but not including `high`."""
        root = self._sites[self._numbers[trie.site.id], meaning.ROOT]
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
        for trie, root in zip(self._tries, self._sites[:, meaning.ROOT].tolist(), strict=False):
            wanted, brought, tree_of = {}, {}, {}
            for short, wants, brings, row in owners(self._nodes, root).tolist():
                key = self._widen(short) if self._shift else short
                if wants:
                    wanted[key] = wants
                if brings:
                    brought[key] = brings
                    tree_of[key] = trees[row]
            trie.web = None
            trie.fill(wanted, brought, tree_of)
        for tree in trees.values():
            tree.give_carried(Counter(self.carried(tree)))
        self._plan.web = None
        self._plan.has_left_web = True

    def _load(self, trie: Trie) -> None:
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
            self._nodes, _ = run(self._nodes, self._sites, self._trees, part, self._depth)
        trie.fill({}, {}, {})

    def _read_site(self, trie: Trie, number: int) -> bool:
        """Note the bits of a switch as they are; False where they are too many."""
        site = trie.site
        if site.width > meaning.MAX_BITS:
            return False
        row = self._sites[number]
        row[meaning.LINKS], row[meaning.HOSTS], row[meaning.SHARED] = site.links, site.hosts, site.is_shared
        for bit, mates in site.mates.items():
            row[meaning.MATES + bit.bit_length() - 1] = mates
        self._versions[number] = site.version
        return True

    def _connect(self, trie: Trie, number: int, bit: Bit) -> None:
        peer = trie.peers[bit]
        row, place = self._sites[number], bit.bit_length() - 1
        row[meaning.PEER + place] = self._numbers[peer.trie.site.id]
        row[meaning.PEER_BIT + place] = peer.bit
        row[meaning.PEER_LINK + place] = self._link(peer.link)

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
            more = np.zeros((sites - before, meaning.COLUMNS), np.int64)
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
