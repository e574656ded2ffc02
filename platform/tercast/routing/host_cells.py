"""The subscribed and advertised cells of each host in one topic, and its bits at switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tercast.routing.cell_counts import CellCounts
from tercast.routing.cell_keys import Key, Order
from tercast.routing.live_network import LiveNetwork
from tercast.routing.port_semantics import PortBit
from tercast.routing.spanning_tree import Tree
from tercast.routing.switch_trie import SwitchTrie
from tercast.routing.topic_tries import TopicTries
from tercast.topology.elements import Attachment

Spot = tuple[SwitchTrie, PortBit]
"""The attachment of a host: the trie of its switch, and its bit there."""

Pieces = tuple[tuple[Tree, tuple[Key, ...]], ...]
"""The cells of one advertisement in each of its trees."""

_NO_CELLS = CellCounts(Order(0))


class HostCells:
    """Counted cells by host; the widest ones are added to the trie of the host's switch."""

    __slots__ = ("_ads", "_network", "_order", "_spots", "_subs", "_tries")

    def __init__(self, order: Order, network: LiveNetwork, tries: TopicTries) -> None:
        self._order = order
        self._network = network
        self._tries = tries
        self._subs: dict[str, CellCounts] = {}
        self._ads: dict[str, CellCounts] = {}
        self._spots: dict[str, Spot] = {}

    def subscribers(self) -> Iterator[str]:
        """Iterate over the hosts that subscribe to anything."""
        return iter(self._subs)

    def hosts(self) -> set[str]:
        """Return the hosts that subscribe to or advertise anything."""
        return {*self._subs, *self._ads}

    def add_subscription(self, host: str, keys: tuple[Key, ...]) -> None:
        """Add one subscription of a host to disjoint cells."""
        mine = self._subs.get(host)
        if mine is None:
            mine = self._subs[host] = CellCounts(self._order)
        came, went = mine.add_all(keys)
        spot = self._spots.get(host) or self._spot(host)
        if came and spot:
            spot[0].update_subscriptions(came, went, spot[1])

    def remove_subscription(self, host: str, keys: tuple[Key, ...]) -> None:
        """Remove one of the subscriptions of a host."""
        mine = self._subs[host]
        came, went = mine.remove_all(keys)
        spot = self._spots.get(host)
        if went and spot:
            spot[0].update_subscriptions(came, went, spot[1])
        if not mine:
            del self._subs[host]

    def add_advertisement(self, host: str, pieces: Pieces) -> None:
        """Add an advertisement of a host, with its cells by tree."""
        mine = self._ads.get(host)
        if mine is None:
            mine = self._ads[host] = CellCounts(self._order)
        spot = self._spots.get(host) or self._spot(host)
        for tree, keys in pieces:
            came, went = mine.add_all(keys)
            if spot and came:
                spot[0].update_advertisements(came, went, spot[1], tree)

    def remove_advertisement(self, host: str, pieces: Pieces) -> None:
        """Remove one of the advertisements of a host."""
        mine = self._ads[host]
        spot = self._spots.get(host)
        for tree, keys in pieces:
            came, went = mine.remove_all(keys)
            if spot and went:
                spot[0].update_advertisements(came, went, spot[1], tree)
        if not mine:
            del self._ads[host]

    def detach(self, host: str) -> None:
        """Remove the cells of a host from the trie of its switch; the host keeps its cells."""
        spot = self._spots.pop(host, None)
        if spot is None:
            return
        trie, bit = spot
        trie.update_subscriptions((), tuple(self._subs.get(host, _NO_CELLS).tops), bit)
        trie.update_advertisements((), tuple(self._ads.get(host, _NO_CELLS).tops), bit)

    def attach(self, host: str, tree_at: Callable[[str, Key], Tree]) -> None:
        """Add the cells of a host to the trie of its current switch, if it can be reached.

        Args:
            host: The name of the host, which is not attached.
            tree_at: Returns the tree of an advertised cell in the component of a switch.
        """
        place = self._network.place(host)
        if place is None or (host not in self._subs and host not in self._ads):
            return
        trie, bit = self._spots[host] = self._make_spot(host, place)
        trie.update_subscriptions(tuple(self._subs.get(host, _NO_CELLS).tops), (), bit)
        for key in self._ads.get(host, _NO_CELLS).tops:
            trie.update_advertisements((key,), (), bit, tree_at(place.switch, key))

    def clear(self) -> None:
        """Forget the cells of all hosts."""
        self._subs.clear()
        self._ads.clear()

    def _spot(self, host: str) -> Spot | None:
        """Return the spot of a host, determined at the first call; None while it cannot be reached."""
        place = self._network.place(host)
        if place is None:
            return None
        spot = self._spots[host] = self._make_spot(host, place)
        return spot

    def _make_spot(self, host: str, place: Attachment) -> Spot:
        site = self._network.sites[place.switch]
        return self._tries.trie(site), site.host_bit(host, place.port)


class UnreachedCells:
    """The cells of advertisements whose hosts cannot be reached; they are counted on demand."""

    __slots__ = ("_counts", "_order", "by_ad")

    def __init__(self, order: Order) -> None:
        self._order = order
        self.by_ad: dict[str, tuple[Key, ...]] = {}
        self._counts: CellCounts | None = None

    def __bool__(self) -> bool:
        return bool(self.by_ad)

    def add(self, ad: str, keys: tuple[Key, ...]) -> None:
        """Add the cells of an advertisement."""
        self.by_ad[ad] = keys
        self._counts = None

    def remove(self, ad: str) -> None:
        """Remove the cells of an advertisement, if it has any here."""
        if self.by_ad.pop(ad, None) is not None:
            self._counts = None

    def clear(self) -> None:
        """Remove all cells."""
        self.by_ad.clear()
        self._counts = None

    def overlaps(self, keys: tuple[Key, ...]) -> bool:
        """Return whether any of `keys` overlaps the cells here."""
        if not self.by_ad:
            return False
        if self._counts is None:
            self._counts = CellCounts(self._order)
            for cells in self.by_ad.values():
                self._counts.add_all(cells)
        return any(map(self._counts.overlaps, keys))
