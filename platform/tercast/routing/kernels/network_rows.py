"""Switches, links and trees of one topic as rows of arrays, which compiled code reads."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tercast.routing.kernels import port_semantics
from tercast.routing.port_semantics import PortBit
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import SwitchPorts
from tercast.routing.update_queue import Peer
from tercast.runtime.growable_array import Ints
from tercast.topology.topology import Port

MAX_TREE_CELLS = 1 << 24
"""The largest table of trees, as a product of trees with switches and links."""


class NetworkRows:
    """The rows of `switches` and `trees`, which compiled code also writes.

    A row of `switches` has the columns of `port_semantics`. A row of `trees` has a mask of link ports for
    each switch, then the number of cells that cross each link. `trees_by_row` has the trees that have rows.
    """

    __slots__ = (
        "_free_rows",
        "_links",
        "_numbers",
        "_rows",
        "_versions",
        "switches",
        "trees",
        "trees_by_row",
    )

    def __init__(self) -> None:
        self.switches: Ints = np.zeros((16, port_semantics.COLUMNS), np.int64)
        self.trees: Ints = np.zeros((8, 16 + 16), np.int64)
        self.trees_by_row: dict[int, Tree] = {}
        self._numbers: dict[str, int] = {}
        self._versions: list[int] = []
        self._links: dict[Port, int] = {}
        self._rows: dict[int, int] = {}
        self._free_rows = list(range(8))[::-1]

    def number_of(self, switch: str) -> int:
        """Return the row of a switch."""
        return self._numbers[switch]

    def add_switch(self, site: SwitchPorts, root: int) -> int:
        """Add a switch whose trie has this root; return its row."""
        number = len(self._versions)
        if number == len(self.switches):
            self._enlarge(2 * number, 0)
        self._numbers[site.id] = number
        self._versions.append(-1)
        self.switches[number, port_semantics.ROOT] = root
        self.update_ports(site)
        return number

    def update_ports(self, site: SwitchPorts) -> bool:
        """Read the bits of a switch if they have changed; return False if there are too many."""
        number = self._numbers[site.id]
        if site.version == self._versions[number]:
            return True
        if site.width > port_semantics.MAX_BITS:
            return False
        row = self.switches[number]
        row[port_semantics.LINKS], row[port_semantics.HOSTS], row[port_semantics.SHARED] = (
            site.links,
            site.hosts,
            site.semantics.is_shared,
        )
        for bit, mates in site.semantics.mates.items():
            row[port_semantics.MATES + bit.bit_length() - 1] = mates
        self._versions[number] = site.version
        return True

    def connect(self, switch: str, bit: PortBit, peer: Peer) -> None:
        """Record the other end of a link port."""
        row, place = self.switches[self._numbers[switch]], bit.bit_length() - 1
        row[port_semantics.PEER + place] = self._numbers[peer.switch]
        row[port_semantics.PEER_BIT + place] = peer.bit
        row[port_semantics.PEER_LINK + place] = self._link_number(peer.link)

    def row_of(self, tree: Tree) -> int:
        """Return the row of a tree; a dissolved tree that is used again gets a new one."""
        row = self._rows.get(tree.number)
        if row is None:
            self.update_tree(tree)
            row = self._rows[tree.number]
        return row

    def has_row(self, tree: Tree) -> bool:
        """Return whether a tree has a row."""
        return tree.number in self._rows

    def update_tree(self, tree: Tree) -> bool:
        """Read the link ports of a tree; return False if there are too many trees."""
        row = self._rows.get(tree.number)
        if row is None:
            if not self._free_rows:
                self._free_rows = list(range(len(self.trees), 2 * len(self.trees)))[::-1]
                self.trees = np.concatenate([self.trees, np.zeros_like(self.trees)])
            row = self._rows[tree.number] = self._free_rows.pop()
            self.trees_by_row[row] = tree
            tree.counter = self
        masks = self.trees[row, : len(self.switches)]
        masks[:] = 0
        for site, mask in tree.masks.items():
            masks[self._numbers[site.id]] = mask
        return self.trees.size <= MAX_TREE_CELLS

    def remove_tree(self, tree: Tree) -> None:
        """Free the row of a tree, if it has one."""
        row = self._rows.pop(tree.number, None)
        if row is not None:
            self.trees[row] = 0
            self._free_rows.append(row)
            del self.trees_by_row[row]
            tree.counter = None

    def load_crossings(self, tree: Tree, crossings: Mapping[Port, int]) -> None:
        """Set the number of cells of a tree, which has a row, that cross each link."""
        for end, count in crossings.items():
            number = self._link_number(end)
            self.trees[self._rows[tree.number], len(self.switches) + number] = count

    def crossings(self, tree: Tree) -> dict[Port, int]:
        """Count the cells of a tree that cross each link, by its end `a`; 0 is left out."""
        row = self._rows.get(tree.number)
        if row is None:
            return {}
        counts = self.trees[row, len(self.switches) :].tolist()
        return {end: counts[number] for end, number in self._links.items() if counts[number]}

    def _link_number(self, end: Port) -> int:
        number = self._links.setdefault(end, len(self._links))
        if number == self.trees.shape[1] - len(self.switches):
            self._enlarge(len(self.switches), 2 * number)
        return number

    def _enlarge(self, switches: int, links: int) -> None:
        """Enlarge the arrays for this number of switches and links, which must not decrease."""
        before = len(self.switches)
        links = max(links, self.trees.shape[1] - before)
        trees = np.zeros((len(self.trees), switches + links), np.int64)
        trees[:, :before] = self.trees[:, :before]
        counts = self.trees[:, before:]
        trees[:, switches : switches + counts.shape[1]] = counts
        self.trees = trees
        if switches > before:
            more = np.zeros((switches - before, port_semantics.COLUMNS), np.int64)
            self.switches = np.concatenate([self.switches, more])
