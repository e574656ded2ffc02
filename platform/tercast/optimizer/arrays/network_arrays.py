"""A planner's network and exact tables as arrays, read once; the planner does not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tercast.optimizer.arrays.table_arrays import CellArrays, CellCodes, SwitchBits
from tercast.optimizer.kernels.tries import Array
from tercast.routing.cell_keys import LENGTH_MASK, Key
from tercast.routing.forest import Forest
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import PortMask, SwitchPorts
from tercast.routing.switch_trie import SwitchTrie
from tercast.routing.topic_routing import TopicRouting
from tercast.topology.elements import Link

if TYPE_CHECKING:
    from tercast.planner.planner import Planner


@dataclass(frozen=True, slots=True)
class TableSet:
    """One topic's entries at a switch: plain ones, and those of ports (outputs and back joined)."""

    plain: CellArrays
    inner: Mapping[int, CellArrays]

    def __len__(self) -> int:
        return len(self.plain) + sum(map(len, self.inner.values()))


NO_TABLES = TableSet(
    CellArrays(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros((0, 1), dtype=np.int64)), {}
)


class DirectedLinks:
    """Live links, with a number for each direction.

    Attributes:
        source: the switch at the start.
        target: the switch at the end.
        column: the index of the link among those of its source.
        back: the number of the opposite direction.
        out: numbers sorted by source; those of switch s are `out[first[s]:first[s + 1]]`.
    """

    __slots__ = ("back", "by_end", "column", "first", "out", "source", "target")

    def __init__(self, planner: Planner, index: Mapping[str, int], bits: list[SwitchBits]) -> None:
        rows: list[tuple[int, int, int]] = []
        back: list[int] = []
        self.by_end: dict[tuple[str, int], int] = {}
        sites = planner.network.sites
        for link in planner.topology.all_links():
            ends = ((link.a, link.a_port), (link.b, link.b_port))
            if any(name not in index or port not in sites[name].link_bits for name, port in ends):
                continue
            back += (len(rows) + 1, len(rows))
            for (name, port), (far, _) in (ends, ends[::-1]):
                self.by_end[name, port] = len(rows)
                place = sites[name].link_bits[port].bit_length() - 1
                rows.append((index[name], index[far], bits[index[name]].links.index(place)))
        table = np.array(rows, dtype=np.int64).reshape(-1, 3)
        self.source, self.target, self.column = table[:, 0].copy(), table[:, 1].copy(), table[:, 2].copy()
        self.back = np.array(back, dtype=np.int64)
        self.out = np.argsort(self.source, kind="stable")
        self.first = np.searchsorted(self.source[self.out], np.arange(len(index) + 1))

    def __len__(self) -> int:
        return len(self.back)

    def of(self, switch: int) -> Array:
        """Return the numbers of the links out of a switch."""
        return self.out[self.first[switch] : self.first[switch + 1]]


class TopicArrays:
    """One topic: codes, exact tables, trees."""

    __slots__ = ("_arrays", "_behind", "_tops", "codes", "plan", "tables")

    def __init__(self, arrays: NetworkArrays, plan: TopicRouting, deepest: int) -> None:
        self._arrays = arrays
        self.plan = plan
        longest = max(map(_longest, plan.tries.values()), default=0)
        self.codes = CellCodes(plan.order, max(longest, deepest, 1))
        self.tables: dict[int, TableSet] = {}
        for name, trie in plan.tries.items():
            if name in arrays.index and (trie.entries or trie.in_port_table.entries):
                self.tables[arrays.index[name]] = self._read(arrays.index[name], name)
        self._tops: dict[int, CellArrays] = {}
        self._behind: Array | None = None

    @property
    def name(self) -> str:
        """The topic's name."""
        return self.plan.topic.name

    def forest(self, switch: int) -> Forest | None:
        """Return the trees in the component of a switch."""
        number = self._arrays.planner.network.component_of(self._arrays.names[switch])
        return None if number is None else self.plan.forests.get(number)

    def tops(self, switch: int) -> CellArrays:
        """Return the cells that trees own, with each tree's links at a switch; empty if all agree."""
        found = self._tops.get(switch)
        if found is None:
            forest, site, bits = self.forest(switch), self._arrays.sites[switch], self._arrays.bits[switch]
            owners = forest.owners() if forest is not None else {}
            masks = {key: tree.masks.get(site, 0) for key, tree in owners.items()}
            if len(set(masks.values())) < 2:
                masks = {}
            found = self._tops[switch] = CellArrays.of(self.codes, bits, self._short(masks))
        return found

    def links_behind(self, switch: int) -> Array:
        """Return, for each link of a switch, the number of links behind it on paths to subscribers.

        Links to hosts are counted too. If several trees use the link, the result is their mean.
        """
        if self._behind is None:
            self._behind = self._count_links()
        wires = self._arrays.wires
        out = np.ones(len(self._arrays.bits[switch].links))
        numbers = wires.of(switch)
        out[wires.column[numbers]] = self._behind[numbers]
        return out

    def _count_links(self) -> Array:
        arrays = self._arrays
        hosts = np.zeros(len(arrays.names))
        for host in self.plan.subscribers():
            place = arrays.planner.network.place(host)
            if place is not None:
                hosts[arrays.index[place.switch]] += 1
        total, uses = np.zeros(len(arrays.wires)), np.zeros(len(arrays.wires))
        for tree in self.plan.trees():
            for link, count in arrays.behind(tree, hosts).items():
                total[link] += count
                uses[link] += 1
        return np.maximum(total / np.maximum(uses, 1), 1.0)

    def _short(self, masks: Mapping[Key, PortMask]) -> dict[Key, PortMask]:
        """Shorten cells that are longer than all entries; joined cells have the common links."""
        order, depth = self.codes.order, self.codes.depth
        out: dict[Key, PortMask] = {}
        for key, mask in masks.items():
            length = key & LENGTH_MASK
            short = key if length <= depth else order.key(order.dz(key) >> length - depth)
            out[short] = out.get(short, mask) & mask
        return out

    def _read(self, switch: int, name: str) -> TableSet:
        trie, bits = self.plan.tries[name], self._arrays.bits[switch]
        by_port: dict[int, dict[Key, PortMask]] = {}
        for (port, key), (outputs, back) in trie.in_port_table.entries.items():
            by_port.setdefault(port, {})[key] = outputs | back
        inner = {port: CellArrays.of(self.codes, bits, found) for port, found in sorted(by_port.items())}
        return TableSet(CellArrays.of(self.codes, bits, trie.entries), inner)


class NetworkArrays:
    """All topics of a planner, and their common network.

    `budgets` replaces the budgets of the switches that it names. Codes have at least `deepest` bits.
    """

    __slots__ = ("bits", "budgets", "index", "names", "planner", "sites", "topics", "wires")

    def __init__(
        self, planner: Planner, budgets: Mapping[str, int | None] | None = None, deepest: int = 0
    ) -> None:
        self.planner = planner
        self.sites: list[SwitchPorts] = list(planner.network.sites.values())
        self.names = [site.id for site in self.sites]
        self.index = {name: i for i, name in enumerate(self.names)}
        self.bits = [SwitchBits.of(site) for site in self.sites]
        other = budgets or {}
        self.budgets = [other.get(site.id, site.budget) for site in self.sites]
        self.wires = DirectedLinks(planner, self.index, self.bits)
        self.topics = [TopicArrays(self, plan, deepest) for plan in planner.plans]

    def count(self, switch: int) -> int:
        """Count the exact entries of a switch."""
        return sum(len(topic.tables[switch]) for topic in self.topics if switch in topic.tables)

    def over_budget(self) -> list[int]:
        """Return the switches whose exact tables exceed their budgets."""
        return [s for s, budget in enumerate(self.budgets) if budget is not None and self.count(s) > budget]

    def route(self, tree: Tree, source: int) -> Array:
        """Return, for each switch, the link by which events from `source` arrive on a tree, or -1."""
        came = np.full(len(self.names), -1, dtype=np.int64)
        adjacent = self._adjacent(tree)
        waiting = [source]
        while waiting:
            at = waiting.pop()
            for number in adjacent.get(at, ()):
                far = int(self.wires.target[number])
                if far != source and came[far] < 0:
                    came[far] = number
                    waiting.append(far)
        return came

    def next_links(self, tree: Tree, start: int) -> Array:
        """Return, for each switch, the link column of `start` that leads to it on a tree, or -1."""
        came, out = self.route(tree, start), np.full(len(self.names), -1, dtype=np.int64)
        for target in np.flatnonzero(came >= 0).tolist():
            at = target
            while int(self.wires.source[came[at]]) != start:
                at = int(self.wires.source[came[at]])
            out[target] = self.wires.column[came[at]]
        return out

    def behind(self, tree: Tree, hosts: Array) -> dict[int, float]:
        """Count, for each directed link of a tree, itself and the links behind it on paths to hosts."""
        adjacent = self._adjacent(tree)
        root = self.index[tree.root]
        came = self.route(tree, root)
        order = [root]
        for at in order:
            order += [
                int(self.wires.target[n]) for n in adjacent.get(at, ()) if came[self.wires.target[n]] == n
            ]
        below, links = hosts.copy(), hosts.copy()
        for at in reversed(order[1:]):
            over = int(self.wires.source[came[at]])
            below[over] += below[at]
            links[over] += links[at] + (below[at] > 0)
        out: dict[int, float] = {}
        everything, all_hosts = links[root], below[root]
        for at in order[1:]:
            down = int(came[at])
            out[down] = 1 + links[at]
            out[int(self.wires.back[down])] = (
                1 + everything - links[at] - (below[at] > 0) if all_hosts > below[at] else 1.0
            )
        return out

    def _adjacent(self, tree: Tree) -> dict[int, list[int]]:
        """Return, for each switch, the links out of it that a tree uses."""
        adjacent: dict[int, list[int]] = {}
        for number in self._links(tree.links):
            adjacent.setdefault(int(self.wires.source[number]), []).append(number)
        return adjacent

    def _links(self, links: frozenset[Link]) -> Iterator[int]:
        for link in links:
            for end in ((link.a, link.a_port), (link.b, link.b_port)):
                if end in self.wires.by_end:
                    yield self.wires.by_end[end]


def _longest(trie: SwitchTrie) -> int:
    """Return the length in bits of the longest cell with an entry."""
    keys = (
        max(map(LENGTH_MASK.__and__, trie.entries), default=0),
        *(key & LENGTH_MASK for _, key in trie.in_port_table.entries),
    )
    return max(keys)
