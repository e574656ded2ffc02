"""Definition of covers: the entries that are installed, and the rule that keeps trees apart.

An installed entry resolves the space of its dz, except where longer installed dz resolve it. Its outputs are
the union of the outputs of the exact table in that space. Outputs to other switches must be edges, at this
switch, of every tree that owns a part of that space. Outputs to hosts, and space that no tree owns, are not
restricted. So an event that is sent without a subscription stays on its own tree: it can neither loop nor
be duplicated.

This module is the reference against which faster implementations are tested.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tercast.routing.cell_keys import LENGTH_MASK, Key, Order
from tercast.routing.exact_tables import InPortKey, InPortMasks
from tercast.routing.forest import Forest
from tercast.routing.switch_ports import PortMask
from tercast.routing.topic_routing import TopicRouting
from tercast.tables.covers import Cover, TableCovers

ALL: PortMask = -1


@dataclass(frozen=True, slots=True)
class CellRegion:
    """Space that resolves to an installed entry: outputs, outputs back, and allowed links.

    `edges` are the bits of links that every tree with a part in the region has here; ALL without trees.
    """

    outputs: PortMask
    back: PortMask
    edges: PortMask

    def satisfies_tree_rule(self, links: PortMask) -> bool:
        """Whether all outputs among `links` are allowed."""
        return not self.outputs & links & ~self.edges


@dataclass(frozen=True, slots=True)
class CoveredTable:
    """The entries of one topic at one switch; an entry with outputs 0 drops."""

    plain: dict[Key, PortMask]
    in_port: dict[InPortKey, InPortMasks]

    def __len__(self) -> int:
        return len(self.plain) + len(self.in_port)


@dataclass(slots=True)
class _WalkedCell:
    """An open cell during a walk: its exact outputs and links, and the entry that resolves it."""

    end: Key
    volume: int
    outputs: PortMask
    inner: InPortMasks | None
    edges: PortMask
    owner: list[PortMask]
    filled: int = 0


class ExactTable:
    """The exact table of one topic at one switch, the trees there, and the hosts on each port.

    `trees` are cells that do not overlap, each with a mask of the links that its tree has here. `links` are
    all bits that represent links. `mates` are the bits of the hosts on each ingress port with its own
    entries: a plain entry sends nothing back to the port of the packet. Where there is no cover, entries are
    installed without the `spare` outputs of their cells.
    """

    __slots__ = (
        "_in_keys",
        "_in_port",
        "_plain_keys",
        "_tops",
        "links",
        "mates",
        "order",
        "plain",
        "spare",
        "trees",
    )

    def __init__(
        self,
        order: Order,
        plain: Mapping[Key, PortMask],
        in_port: Mapping[InPortKey, InPortMasks],
        *,
        trees: Mapping[Key, PortMask],
        links: PortMask,
        mates: Mapping[int, PortMask],
        spare: Mapping[Key, PortMask] | None = None,
    ) -> None:
        self.order = order
        self.plain = plain
        self.spare = spare or {}
        self.trees = trees
        self.links = links
        self.mates = mates
        self._plain_keys = sorted(plain)
        self._tops = sorted(trees)
        self._in_port: dict[int, dict[Key, InPortMasks]] = {}
        for (port, key), masks in in_port.items():
            self._in_port.setdefault(port, {})[key] = masks
        self._in_keys = {port: sorted(found) for port, found in self._in_port.items()}

    @property
    def ports(self) -> tuple[int, ...]:
        """The ingress ports that have their own entries."""
        return tuple(sorted(self._in_port))

    def in_port(self, port: int) -> Mapping[Key, InPortMasks]:
        """The entries of an ingress port."""
        return self._in_port.get(port, {})

    def regions(self, cover: Cover, port: int | None = None) -> dict[Key, CellRegion]:
        """The entries under a cover of the plain table or of an ingress port's table, top first.

        If other entries resolve the whole space of an entry, its region is empty: no outputs, ALL edges.
        """
        order, plain = self.order, self.plain
        inner = self._in_port.get(port, {}) if port is not None else {}
        apart = ~self.mates.get(port, 0) if port is not None else ALL
        top = order.key(cover.dz)
        end = order.end(top)
        installed = {order.key(dz): [0, 0, ALL] for dz in (cover.dz, *cover.kept)}
        stack = [self._outside(top, port, apart, installed[top])]
        for key in self._points(top, end, port, installed):
            while stack[-1].end <= key:
                _close(stack)
            over = stack[-1]
            stack.append(
                _WalkedCell(
                    order.end(key),
                    1 << order.depth - (key & LENGTH_MASK),
                    plain[key] & apart if key in plain else over.outputs,
                    inner.get(key, over.inner),
                    self.trees.get(key, over.edges),
                    installed.get(key, over.owner),
                )
            )
        while len(stack) > 1:
            _close(stack)
        return {key: CellRegion(*found) for key, found in installed.items()}

    def under(self, cover: Cover, port: int | None = None) -> list[Key]:
        """The exact entries at and below a cover, of the plain table or that of an ingress port."""
        top = self.order.key(cover.dz)
        keys = self._plain_keys if port is None else self._in_keys.get(port, [])
        return _within(keys, top, self.order.end(top))

    def _points(self, top: Key, end: Key, port: int | None, installed: Iterable[Key]) -> list[Key]:
        """The keys of all entries and trees within a range of keys."""
        found = {*installed, *_within(self._plain_keys, top, end), *_within(self._tops, top, end)}
        if port in self._in_keys:
            found.update(_within(self._in_keys[port], top, end))
        return sorted(found)

    def _outside(self, top: Key, port: int | None, apart: PortMask, owner: list[PortMask]) -> _WalkedCell:
        """The values that a cell inherits from the cells that cover it."""
        above = self._above(top)
        inner = self._in_port.get(port, {}) if port is not None else {}
        return _WalkedCell(
            self.order.end(top),
            0,
            next((self.plain[key] & apart for key in above if key in self.plain), 0),
            next((inner[key] for key in above if key in inner), None),
            next((self.trees[key] for key in above if key in self.trees), ALL),
            owner,
        )

    def _above(self, key: Key) -> list[Key]:
        """A cell and the cells that cover it, the longest first."""
        order = self.order
        dz = order.dz(key)
        return [order.key(dz >> k) for k in range(dz.bit_length())]


def exact_table_of(plan: TopicRouting, switch: str, forest: Forest | None) -> ExactTable:
    """Build the table of a topic at a switch with a trie; `forest` is that of its component."""
    trie = plan.tries[switch]
    site = trie.site
    owners = forest.owners() if forest is not None else {}
    return ExactTable(
        plan.order,
        trie.entries,
        trie.in_port_table.entries,
        trees={key: tree.masks.get(site, 0) for key, tree in owners.items()},
        links=site.links,
        mates={port: site.hosts_on(port) for port in {port for port, _ in trie.in_port_table.entries}},
        spare=trie.plain_table.suppressed_outputs,
    )


def apply_covers(table: ExactTable, covers: TableCovers) -> CoveredTable:
    """The installed entries: those of each cover, and the exact ones elsewhere."""
    plain = {key: mask & ~table.spare.get(key, 0) for key, mask in table.plain.items()}
    in_port = {(port, key): masks for port in table.ports for key, masks in table.in_port(port).items()}
    for cover in covers.plain:
        regions = table.regions(cover)
        for key in table.under(cover):
            del plain[key]
        plain.update((key, region.outputs) for key, region in regions.items())
    for port, found in covers.in_port.items():
        for cover in found:
            regions = table.regions(cover, port)
            for key in table.under(cover, port):
                del in_port[port, key]
            in_port.update(((port, key), (region.outputs, region.back)) for key, region in regions.items())
    return CoveredTable(plain, in_port)


def satisfies_tree_rule(table: ExactTable, cover: Cover, port: int | None = None) -> bool:
    """Whether a cover keeps trees apart."""
    return all(region.satisfies_tree_rule(table.links) for region in table.regions(cover, port).values())


def _close(stack: list[_WalkedCell]) -> None:
    """End a cell: the owner resolves the part of it that has no longer cell."""
    cell = stack.pop()
    if cell.filled < cell.volume:
        owner = cell.owner
        outputs, back = cell.inner if cell.inner is not None else (cell.outputs, 0)
        owner[0] |= outputs
        owner[1] |= back
        owner[2] &= cell.edges
    stack[-1].filled += cell.volume


def _within(keys: list[Key], low: Key, high: Key) -> list[Key]:
    return keys[bisect_left(keys, low) : bisect_left(keys, high)]
