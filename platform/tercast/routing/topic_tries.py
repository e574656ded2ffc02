"""The tries of one topic at all switches, in layers or in the arrays of compiled code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from tercast.routing.cell_keys import Order
from tercast.routing.port_semantics import PortMask
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import SwitchPorts
from tercast.routing.switch_trie import SwitchTrie, TrieTracker
from tercast.routing.update_queue import UpdateQueue
from tercast.runtime import jit
from tercast.topology.elements import Link

if TYPE_CHECKING:  # it needs Numba
    from tercast.routing.kernels.compiled_topic import CompiledTopic


class TopicTries:
    """The tries by switch. `compiled` has their layers, if compiled code stores them."""

    __slots__ = ("_code", "_order", "_queue", "_stays_plain", "_tracker", "by_switch", "compiled")

    def __init__(self, code: int, order: Order, queue: UpdateQueue, tracker: TrieTracker) -> None:
        self._code = code
        self._order = order
        self._queue = queue
        self._tracker = tracker
        self._stays_plain = False
        self.by_switch: dict[str, SwitchTrie] = {}
        self.compiled: CompiledTopic | None = None

    def trie(self, site: SwitchPorts) -> SwitchTrie:
        """Return the trie of a switch, created at the first call."""
        trie = self.by_switch.get(site.id)
        if trie is None:
            trie = SwitchTrie(site, self._code, self._order, self._queue, self._tracker)
            self.by_switch[site.id] = trie
            if self.compiled is not None:
                self.compiled.add_trie(trie)
        return trie

    def use_compiled(self, trees: Callable[[], Iterable[Tree]]) -> None:
        """Move the tries and `trees` to compiled code, if it is in use and can store them."""
        if not jit.uses_twins() or not self._queue.is_empty or self._stays_plain:
            return
        twin = jit.load_twin("tercast.routing.kernels.compiled_topic")
        if twin is None:
            return
        found, tries = list(trees()), self.by_switch.values()
        if twin.CompiledTopic.can_hold(tries, found):
            self.compiled = twin.CompiledTopic(self._order, self._queue, tries, found, self._stay_plain)
        else:
            self._stays_plain = True

    def set_links(self, tree: Tree, links: Iterable[Link], sites: Mapping[str, SwitchPorts]) -> None:
        """Connect the tries at both ends of each link of a tree, in the given order."""
        ordered = list(links)
        for link in ordered:
            near, far = sites[link.a], sites[link.b]
            near_bit, far_bit = near.link_bit(link.a_port), far.link_bit(link.b_port)
            near_trie, far_trie = self.trie(near), self.trie(far)
            end = (link.a, link.a_port)
            near_trie.connect(near_bit, far_trie, far_bit, end)
            far_trie.connect(far_bit, near_trie, near_bit, end)
        self.restore_tree(tree, ordered)

    def restore_tree(self, tree: Tree, links: Iterable[Link]) -> None:
        """Let compiled code, if it is used, read the masks and links of a tree."""
        if self.compiled is not None:
            self.compiled.lay_out(tree, links)

    def remove_tree(self, tree: Tree) -> None:
        """Let compiled code, if it is used, remove a dissolved tree."""
        if self.compiled is not None:
            self.compiled.remove_tree(tree)

    def change_links(self, tree: Tree, before: Mapping[SwitchPorts, PortMask]) -> None:
        """Change the link ports of a tree from the masks `before` to its current ones."""
        for site in {**before, **tree.masks}:
            was, now = before.get(site, 0), tree.masks.get(site, 0)
            if was != now and site.id in self.by_switch:
                self.by_switch[site.id].change_links(tree, was, now)

    def clear(self, last: Collection[str] | None = None) -> None:
        """Remove all entries; with `last`, in the order of names, and those switches at the end."""
        switches = list(self.by_switch)
        if last is not None:
            switches.sort(key=lambda name: (name in last, name))
        for switch in switches:
            self.by_switch[switch].clear()
        self.compiled = None

    def _stay_plain(self) -> None:
        self.compiled = None
        self._stays_plain = True
