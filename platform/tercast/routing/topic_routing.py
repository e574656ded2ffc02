"""All that is planned for one topic: a trie at every switch, trees, and what each host wants and brings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.requests.reach import Reach
from tercast.routing.cell_counts import CellCounts
from tercast.routing.cell_keys import Key, Order
from tercast.routing.compiled_spreading import use_compiled_topic
from tercast.routing.forest import Forest
from tercast.routing.live_network import LiveNetwork
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_ports import PortBit, SwitchPorts
from tercast.routing.switch_trie import Peer, SwitchTrie
from tercast.routing.update_queue import UpdateQueue
from tercast.topology.elements import Attachment, Link, sorted_links

if TYPE_CHECKING:
    from tercast.routing.kernels.compiled_topic import CompiledTopic

Spot = tuple[SwitchTrie, PortBit]
Pieces = tuple[tuple[Tree, tuple[Key, ...]], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """The parts of an advertisement in the trees of a forest."""

    forest: Forest
    pieces: Pieces


class TopicRouting:
    """The state of one topic. Changes spread when the queue settles, which is for the caller to ask for."""

    __slots__ = (
        "_ads",
        "_homeless",
        "_is_freed",
        "_keys",
        "_network",
        "_spots",
        "_subs",
        "_unreached",
        "claims",
        "forests",
        "has_left_web",
        "order",
        "queue",
        "topic",
        "tries",
        "web",
    )

    def __init__(self, topic: Topic, order: Order, network: LiveNetwork, queue: UpdateQueue) -> None:
        self.topic = topic
        self.order = order
        self._network = network
        self.queue = queue
        self.tries: dict[str, SwitchTrie] = {}
        self.web: CompiledTopic | None = None
        self.has_left_web = False
        self.forests: dict[int, Forest] = {}
        self.claims: dict[str, Claim] = {}
        self._homeless: dict[str, tuple[Key, ...]] = {}
        self._unreached: CellCounts | None = None
        self._keys: tuple[DzSet, tuple[Key, ...]] = ((), ())
        self._subs: dict[str, CellCounts] = {}
        self._ads: dict[str, CellCounts] = {}
        self._is_freed = False
        self._spots: dict[str, Spot] = {}

    def trie(self, site: SwitchPorts) -> SwitchTrie:
        """The trie of a switch, made at the first call."""
        trie = self.tries.get(site.id)
        if trie is None:
            trie = self.tries[site.id] = SwitchTrie(site, self.topic.code, self.order, self.queue)
            if self.web is not None:
                self.web.add_trie(trie)
        return trie

    def keys(self, cells: DzSet) -> tuple[Key, ...]:
        """The keys of a set; those of the last set are remembered, since several steps of a request ask."""
        last, keys = self._keys
        if last is not cells:
            shifts = self.order.shifts
            keys = tuple([dz << shifts[(bits := dz.bit_length() - 1)] | bits for dz in cells])
            self._keys = cells, keys
        return keys

    def matched(self, cells: DzSet) -> bool:
        """Whether a live advertisement, wherever it is, overlaps the set."""
        keys = self.keys(cells)
        if any(forest.overlaps(keys) for forest in self.forests.values()):
            return True
        return bool(self._homeless) and any(map(self._out_of_reach().overlaps, keys))

    def reach(self, host: str, cells: DzSet) -> Reach | None:
        """Return whether paths lead to the advertisements that overlap a set of a host; None: none overlaps.

        Costs no more than `matched` while the network is in one part.
        """
        keys = self.keys(cells)
        own = self._network.component(host)
        reached = missed = False
        for component, forest in self.forests.items():
            if forest.overlaps(keys):
                reached, missed = reached or component == own, missed or component != own
        if not missed and self._homeless:
            missed = any(map(self._out_of_reach().overlaps, keys))
        if missed:
            return Reach.PARTIAL if reached else Reach.NONE
        return Reach.FULL if reached else None

    def is_split(self) -> bool:
        """Return whether hosts that announce something are apart, or one of them cannot be reached."""
        components = {self._network.component(host) for host in (*self._subs, *self._ads)}
        return bool(self._homeless) or len(components) > 1 or None in components

    def subscribe(self, host: str, cells: DzSet) -> None:
        """A host wants the cells of one subscription (once more, if it wants them already)."""
        use_compiled_topic(self)
        mine = self._subs.get(host)
        if mine is None:
            mine = self._subs[host] = CellCounts(self.order)
        came, went = mine.add_all(self.keys(cells))
        spot = self._spots.get(host) or self._spot(host)
        if came and spot:
            spot[0].want(came, went, spot[1])

    def unsubscribe(self, host: str, cells: DzSet) -> None:
        """One of its subscriptions ends."""
        mine = self._subs[host]
        came, went = mine.remove_all(self.keys(cells))
        spot = self._spots.get(host)
        if went and spot:
            spot[0].want(came, went, spot[1])
        if not mine:
            del self._subs[host]

    def advertise(self, ad: str, host: str, cells: DzSet, max_trees: int) -> None:
        """The advertisement joins the trees that it overlaps and founds one for the rest of its cells.

        Past `max_trees` in the component the rest goes to an existing tree. While its host cannot be reached,
        an advertisement is in no tree.
        """
        use_compiled_topic(self)
        self._let_go()
        place = self._network.place(host)
        if place is None:
            self._homeless[ad] = self.keys(cells)
            self._unreached = None
            return
        forest = self.forest_of(place.switch)
        keys = self.keys(cells)
        owner = forest.owner_of(keys)
        if owner is not None:
            self.claim(ad, host, Claim(forest, ((owner, keys),)))
            return
        owned, rest = forest.claim(cells)
        if rest:
            if len(forest.trees) < max_trees:
                tree = self._network.found(place.switch)
                self.lay_out(tree, tree.links)
                forest.trees[tree.number] = tree
                owned[tree] = rest
            else:
                tree = forest.nearest(rest, place.switch)
                owned[tree] = tuple(sorted((*owned.get(tree, ()), *rest)))
        self.claim(ad, host, Claim(forest, tuple((tree, self.keys(dz)) for tree, dz in owned.items())))

    def _let_go(self) -> None:
        """Let what was withdrawn go before its cells come back in another tree, which has other links."""
        if self._is_freed:
            self._is_freed = False
            self.queue.settle()

    def forest_of(self, switch: str) -> Forest:
        """The forest of the component of a switch that is up, made at the first call."""
        component = self._network.component_of(switch)
        if component is None:
            raise AssertionError(f"no trees at {switch}, which is down")
        forest = self.forests.get(component)
        if forest is None:
            forest = self.forests[component] = Forest(self.order)
        return forest

    def claim(self, ad: str, host: str, claim: Claim) -> None:
        """The advertisement has these parts in these trees."""
        self.claims[ad] = claim
        self._reached(ad)
        mine = self._ads.get(host)
        if mine is None:
            mine = self._ads[host] = CellCounts(self.order)
        spot = self._spot(host)
        for tree, keys in claim.pieces:
            tree.ads.add(ad)
            claim.forest.add(tree, keys)
            came, went = mine.add_all(keys)
            if spot and came:
                spot[0].bring(came, went, spot[1], tree)

    def unclaim(self, ad: str, host: str) -> Claim | None:
        """The advertisement leaves its trees; one that serves no other dissolves. What it had, to reclaim."""
        claim = self.claims.pop(ad, None)
        if claim is None:
            self._reached(ad)
            return None
        self._is_freed = True
        mine = self._ads[host]
        spot = self._spots.get(host)
        for tree, keys in claim.pieces:
            tree.ads.discard(ad)
            claim.forest.remove(tree, keys)
            came, went = mine.remove_all(keys)
            if spot and went:
                spot[0].bring(came, went, spot[1], tree)
            if not tree.ads:
                del claim.forest.trees[tree.number]
                self._network.dissolve(tree)
                if self.web is not None:
                    self.web.forget(tree)
        if not mine:
            del self._ads[host]
        if not claim.forest.trees:
            self.forests = {number: forest for number, forest in self.forests.items() if forest.trees}
        return claim

    def reclaim(self, ad: str, host: str, claim: Claim) -> None:
        """Take `unclaim` back: the same parts in the same trees."""
        component = self._network.component(host)
        if component is not None:
            self.forests[component] = claim.forest
        self.put_back(claim)
        self.claim(ad, host, claim)

    def put_back(self, claim: Claim) -> None:
        """Revive those of its trees that dissolved."""
        for tree, _ in claim.pieces:
            if tree.number not in claim.forest.trees:
                claim.forest.trees[tree.number] = tree
                self._network.revive(tree)
                if self.web is not None:  # it may have come since
                    self.web.lay_out(tree, tree.links)
        claim.forest.trees = dict(sorted(claim.forest.trees.items()))

    def detach(self, host: str) -> None:
        """A host is no longer reached where it was; what it wants and brings stays known."""
        spot = self._spots.pop(host, None)
        if spot is None:
            return
        trie, bit = spot
        trie.want((), tuple(self._subs.get(host, _NO_CELLS).tops), bit)
        trie.bring((), tuple(self._ads.get(host, _NO_CELLS).tops), bit)

    def attach(self, host: str) -> None:
        """A host is reached where the network says now; its trees are those of the component there."""
        place = self._network.place(host)
        if place is None or (host not in self._subs and host not in self._ads):
            return
        trie, bit = self._spots[host] = self._make_spot(host, place)
        trie.want(tuple(self._subs.get(host, _NO_CELLS).tops), (), bit)
        for key in self._ads.get(host, _NO_CELLS).tops:
            trie.bring((key,), (), bit, self.forest_of(place.switch).tree_at(key))

    def relink(self, tree: Tree, links: frozenset[Link]) -> None:
        """Let a tree have other links, and settle: first without those that go, then with those that come.

        In between it may be in two parts, but it never holds a cycle.
        """
        for wanted in (tree.links & links, links):
            before = tree.masks
            self.lay_out(tree, wanted)
            for site in {**before, **tree.masks}:
                was, now = before.get(site, 0), tree.masks.get(site, 0)
                if was != now and site.id in self.tries:
                    self.tries[site.id].change_links(tree, was, now)
            self.queue.settle()

    def subscribers(self) -> Iterator[str]:
        """The hosts that want anything."""
        return iter(self._subs)

    def trees(self) -> Iterator[Tree]:
        """All trees, of all components, oldest first."""
        found = [tree for forest in self.forests.values() for tree in forest.trees.values()]
        return iter(sorted(found, key=lambda tree: tree.number))

    def clear(self) -> None:
        """Forget all but the topic; tables empty."""
        for trie in self.tries.values():
            trie.clear()
        for tree in self.trees():
            self._network.dissolve(tree)
        self.web = None
        self.forests, self.claims = {}, {}
        self._homeless, self._unreached = {}, None
        self._subs, self._ads = {}, {}

    def lay_out(self, tree: Tree, links: frozenset[Link]) -> None:
        """Give a tree its links, and make the tries at both ends of each known to each other."""
        ordered = sorted_links(links)
        self._network.relink(tree, ordered)
        sites = self._network.sites
        for link in ordered:
            near, far = sites[link.a], sites[link.b]
            near_bit, far_bit = near.link_bit(link.a_port), far.link_bit(link.b_port)
            near_trie, far_trie = self.trie(near), self.trie(far)
            end = (link.a, link.a_port)
            near_trie.peers[near_bit] = Peer(far_trie, far_bit, end)
            far_trie.peers[far_bit] = Peer(near_trie, near_bit, end)
        if self.web is not None:
            self.web.lay_out(tree, links)

    def _spot(self, host: str) -> Spot | None:
        """Trie and bit of a host, found at the first call; None while it cannot be reached."""
        spot = self._spots.get(host)
        if spot is None:
            place = self._network.place(host)
            if place is not None:
                spot = self._spots[host] = self._make_spot(host, place)
        return spot

    def _make_spot(self, host: str, place: Attachment) -> Spot:
        site = self._network.sites[place.switch]
        return self.trie(site), site.host_bit(host, place.port)

    def _reached(self, ad: str) -> None:
        """The advertisement is in trees, or gone."""
        if self._homeless.pop(ad, None) is not None:
            self._unreached = None

    def _out_of_reach(self) -> CellCounts:
        """The cells of advertisements whose hosts cannot be reached."""
        if self._unreached is None:
            self._unreached = CellCounts(self.order)
            for keys in self._homeless.values():
                self._unreached.add_all(keys)
        return self._unreached


_NO_CELLS = CellCounts(Order(0))
