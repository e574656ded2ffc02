"""The plan of one topic: a trie at every switch, trees, and the announcements of each host."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.requests.reach import Reach
from tercast.routing.cell_keys import Key, Order
from tercast.routing.forest import Forest
from tercast.routing.host_cells import HostCells, Pieces, UnreachedCells
from tercast.routing.live_network import LiveNetwork
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import SwitchPorts
from tercast.routing.switch_trie import SwitchTrie, TrieTracker
from tercast.routing.topic_tries import TopicTries
from tercast.routing.update_queue import UpdateQueue
from tercast.topology.elements import Link, sorted_links

if TYPE_CHECKING:  # it needs Numba
    from tercast.routing.kernels.compiled_topic import CompiledTopic


@dataclass(frozen=True, slots=True)
class TreeMembership:
    """The parts of an advertisement in the trees of a forest."""

    forest: Forest
    pieces: Pieces


class TopicRouting:
    """The state of one topic. Changes take effect when the caller lets the queue propagate."""

    __slots__ = (
        "_hosts",
        "_is_freed",
        "_keys",
        "_network",
        "_queue",
        "_tries",
        "_unreached",
        "forests",
        "memberships",
        "order",
        "topic",
    )

    def __init__(
        self, topic: Topic, order: Order, network: LiveNetwork, queue: UpdateQueue, tracker: TrieTracker
    ) -> None:
        self.topic = topic
        self.order = order
        self._network = network
        self._queue = queue
        self._tries = TopicTries(topic.code, order, queue, tracker)
        self._hosts = HostCells(order, network, self._tries)
        self._unreached = UnreachedCells(order)
        self._keys: tuple[DzSet, tuple[Key, ...]] = ((), ())
        self._is_freed = False
        self.forests: dict[int, Forest] = {}
        self.memberships: dict[str, TreeMembership] = {}

    @property
    def tries(self) -> dict[str, SwitchTrie]:
        """The tries by switch."""
        return self._tries.by_switch

    @property
    def compiled(self) -> CompiledTopic | None:
        """The arrays of compiled code, if it stores the tries."""
        return self._tries.compiled

    def trie(self, site: SwitchPorts) -> SwitchTrie:
        """Return the trie of a switch, created at the first call."""
        return self._tries.trie(site)

    def keys(self, cells: DzSet) -> tuple[Key, ...]:
        """Return the keys of a set; those of the last set are cached for later steps of a request."""
        last, keys = self._keys
        if last is not cells:
            shifts = self.order.shifts
            keys = tuple([dz << shifts[(bits := dz.bit_length() - 1)] | bits for dz in cells])
            self._keys = cells, keys
        return keys

    def matched(self, cells: DzSet) -> bool:
        """Return whether a live advertisement overlaps the set, wherever its host is."""
        keys = self.keys(cells)
        return any(forest.overlaps(keys) for forest in self.forests.values()) or self._unreached.overlaps(
            keys
        )

    def reach(self, host: str, cells: DzSet) -> Reach | None:
        """Return whether paths lead to the advertisements that overlap a set of a host, or None.

        None means that no advertisement overlaps. While the network is one component, this costs no more than
        `matched`.
        """
        keys = self.keys(cells)
        own = self._network.component(host)
        reached = missed = False
        for component, forest in self.forests.items():
            if forest.overlaps(keys):
                reached, missed = reached or component == own, missed or component != own
        if missed or (self._unreached.by_ad and self._unreached.overlaps(keys)):
            return Reach.PARTIAL if reached else Reach.NONE
        return Reach.FULL if reached else None

    def is_split(self) -> bool:
        """Return whether announcing hosts are in several components, or one cannot be reached."""
        components = {self._network.component(host) for host in self._hosts.hosts()}
        return bool(self._unreached) or len(components) > 1 or None in components

    def subscribers(self) -> Iterator[str]:
        """Iterate over the hosts that have subscriptions."""
        return self._hosts.subscribers()

    def trees(self) -> Iterator[Tree]:
        """Iterate over the trees of all components, oldest first."""
        found = [tree for forest in self.forests.values() for tree in forest.trees.values()]
        return iter(sorted(found, key=lambda tree: tree.number))

    def subscribe(self, host: str, cells: DzSet) -> None:
        """Add a subscription of a host to a set."""
        if self._tries.compiled is None:
            self._tries.use_compiled(self.trees)
        self._hosts.add_subscription(host, self.keys(cells))

    def unsubscribe(self, host: str, cells: DzSet) -> None:
        """Remove one of the subscriptions of a host."""
        self._hosts.remove_subscription(host, self.keys(cells))

    def advertise(self, ad: str, host: str, cells: DzSet, max_trees: int) -> None:
        """Add an advertisement to the trees that it overlaps, and create a tree for its other cells.

        If the component has `max_trees` trees, the other cells are added to an existing tree. While its host
        cannot be reached, an advertisement is in no tree.
        """
        if self._tries.compiled is None:
            self._tries.use_compiled(self.trees)
        self._propagate_removals()
        place = self._network.place(host)
        if place is None:
            self._unreached.add(ad, self.keys(cells))
            return
        forest = self.forest_of(place.switch)
        keys = self.keys(cells)
        owner = forest.owner_of(keys)
        if owner is not None:
            self.join_trees(ad, host, TreeMembership(forest, ((owner, keys),)))
            return
        owned, rest = forest.divide(cells)
        if rest:
            if len(forest.trees) < max_trees and not self._has_border_tree(forest, place.switch):
                tree = self._network.create_tree(place.switch)
                self.set_links(tree, tree.links)
                forest.trees[tree.number] = tree
                owned[tree] = rest
            else:
                tree = forest.nearest(rest, place.switch)
                owned[tree] = tuple(sorted((*owned.get(tree, ()), *rest)))
        self.join_trees(
            ad, host, TreeMembership(forest, tuple((tree, self.keys(dz)) for tree, dz in owned.items()))
        )

    def _has_border_tree(self, forest: Forest, switch: str) -> bool:
        """Return whether a switch is the stub of a border that has its one tree for the topic."""
        return switch in self._network.topology.borders and any(
            tree.root == switch for tree in forest.trees.values()
        )

    def join_trees(self, ad: str, host: str, membership: TreeMembership) -> None:
        """Add the parts of an advertisement to their trees."""
        self.memberships[ad] = membership
        self._unreached.remove(ad)
        for tree, keys in membership.pieces:
            tree.ads.add(ad)
            membership.forest.add(tree, keys)
        self._hosts.add_advertisement(host, membership.pieces)

    def leave_trees(self, ad: str, host: str) -> TreeMembership | None:
        """Remove an advertisement from its trees; a tree without advertisements dissolves.

        Returns:
            The argument of `rejoin_trees` to undo this; None if the advertisement was in no tree.
        """
        membership = self.memberships.pop(ad, None)
        if membership is None:
            self._unreached.remove(ad)
            return None
        self._is_freed = True
        for tree, keys in membership.pieces:
            tree.ads.discard(ad)
            membership.forest.remove(tree, keys)
        self._hosts.remove_advertisement(host, membership.pieces)
        for tree, _ in membership.pieces:
            if not tree.ads:
                del membership.forest.trees[tree.number]
                self._network.dissolve_tree(tree)
                self._tries.remove_tree(tree)
        if not membership.forest.trees:
            self.forests = {number: forest for number, forest in self.forests.items() if forest.trees}
        return membership

    def rejoin_trees(self, ad: str, host: str, membership: TreeMembership) -> None:
        """Undo `leave_trees`: add the same parts to the same trees."""
        component = self._network.component(host)
        if component is not None:
            self.forests[component] = membership.forest
        self.revive_trees(membership)
        self.join_trees(ad, host, membership)

    def revive_trees(self, membership: TreeMembership) -> None:
        """Revive the dissolved trees of a membership."""
        for tree, _ in membership.pieces:
            if tree.number not in membership.forest.trees:
                membership.forest.trees[tree.number] = tree
                self._network.revive_tree(tree)
                self._tries.restore_tree(tree, tree.links)  # compiled code may store the tries now
        membership.forest.trees = dict(sorted(membership.forest.trees.items()))

    def forest_of(self, switch: str) -> Forest:
        """Return the forest of the component of a switch that is up, created at the first call."""
        component = self._network.component_of(switch)
        if component is None:
            raise AssertionError(f"there are no trees at {switch}, because it is down")
        forest = self.forests.get(component)
        if forest is None:
            forest = self.forests[component] = Forest(self.order)
        return forest

    def detach_host(self, host: str) -> None:
        """Remove the cells of a host from its switch; the host keeps its cells."""
        self._hosts.detach(host)

    def attach_host(self, host: str) -> None:
        """Add the cells of a host at its current switch, with the trees of the component there."""
        self._hosts.attach(host, lambda switch, key: self.forest_of(switch).tree_at(key))

    def set_links(self, tree: Tree, links: frozenset[Link]) -> None:
        """Set the links of a tree, and connect the tries at both ends of each."""
        ordered = sorted_links(links)
        self._network.set_links(tree, ordered)
        self._tries.set_links(tree, ordered, self._network.sites)

    def replace_links(self, tree: Tree, links: frozenset[Link]) -> None:
        """Replace the links of a tree: first propagate removed links, then new ones.

        In between, the tree may have two parts, but it never has a cycle.
        """
        for wanted in (tree.links & links, links):
            before = tree.masks
            self.set_links(tree, wanted)
            self._tries.change_links(tree, before)
            self._queue.propagate()

    def clear(self, last: Collection[str] | None = None) -> None:
        """Remove everything except the topic, and all entries; those of switches `last` are last."""
        self._tries.clear(last)
        for tree in self.trees():
            self._network.dissolve_tree(tree)
        self.forests, self.memberships = {}, {}
        self._unreached.clear()
        self._hosts.clear()

    def _propagate_removals(self) -> None:
        """Propagate withdrawals before another tree, with other links, advertises their cells."""
        if self._is_freed:
            self._is_freed = False
            self._queue.propagate()
