"""Updates between neighbouring switches: exports of a switch, and pending updates."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from tercast.routing.cell_keys import Key
from tercast.routing.port_semantics import PortBit, PortMask
from tercast.routing.spanning_tree import Tree
from tercast.topology.topology import Port


class UpdateTarget(Protocol):
    """Processes the updates of one topic at one switch."""

    def add_subscriber(self, key: Key, bit: PortBit) -> None:
        """Let `bit` subscribe to `key`."""

    def remove_subscriber(self, key: Key, bit: PortBit) -> None:
        """Let `bit` no longer subscribe to `key`."""

    def add_advertiser(self, key: Key, bit: PortBit, tree: Tree) -> None:
        """Let `bit` advertise `key` in `tree`."""

    def remove_advertiser(self, key: Key, bit: PortBit) -> None:
        """Let `bit` no longer advertise `key`."""


class UpdateBatch(Protocol):
    """Updates that compiled code collects and processes together."""

    def run(self) -> None:
        """Process the collected updates and all their consequences."""


QueuedUpdate = tuple[UpdateTarget, Key, PortBit]


class UpdateQueue:
    """Pending updates: additions are processed before removals, and opposite updates cancel.

    If removals came first, they would remove entries that the additions restore.
    """

    __slots__ = ("_added_ads", "_added_subs", "_batches", "_removed_ads", "_removed_subs")

    def __init__(self) -> None:
        self._added_subs: dict[QueuedUpdate, None] = {}
        self._added_ads: dict[QueuedUpdate, Tree] = {}
        self._removed_subs: dict[QueuedUpdate, None] = {}
        self._removed_ads: dict[QueuedUpdate, None] = {}
        self._batches: list[UpdateBatch] = []

    @property
    def is_empty(self) -> bool:
        """Whether no update is pending."""
        return not (
            self._added_subs or self._added_ads or self._removed_subs or self._removed_ads or self._batches
        )

    def add_batch(self, batch: UpdateBatch) -> None:
        """Add updates that compiled code has collected."""
        self._batches.append(batch)

    def add_subscriber(self, target: UpdateTarget, key: Key, bit: PortBit) -> None:
        """Let `bit` of `target` subscribe to `key`."""
        update = (target, key, bit)
        if update in self._removed_subs:
            del self._removed_subs[update]
        else:
            self._added_subs[update] = None

    def remove_subscriber(self, target: UpdateTarget, key: Key, bit: PortBit) -> None:
        """Let `bit` of `target` no longer subscribe to `key`."""
        update = (target, key, bit)
        if update in self._added_subs:
            del self._added_subs[update]
        else:
            self._removed_subs[update] = None

    def add_advertiser(self, target: UpdateTarget, key: Key, bit: PortBit, tree: Tree) -> None:
        """Let `bit` of `target` advertise `key` in `tree`."""
        update = (target, key, bit)
        if update in self._removed_ads:
            del self._removed_ads[update]
        else:
            self._added_ads[update] = tree

    def remove_advertiser(self, target: UpdateTarget, key: Key, bit: PortBit) -> None:
        """Let `bit` of `target` no longer advertise `key`."""
        update = (target, key, bit)
        if update in self._added_ads:
            del self._added_ads[update]
        else:
            self._removed_ads[update] = None

    def propagate(self) -> None:
        """Process all pending updates and their consequences, until none is left."""
        while self._batches:
            self._batches.pop().run()
        added_subs, added_ads = self._added_subs, self._added_ads
        removed_subs, removed_ads = self._removed_subs, self._removed_ads
        while True:
            if added_subs:
                (target, key, bit), _ = added_subs.popitem()
                target.add_subscriber(key, bit)
            elif added_ads:
                (target, key, bit), tree = added_ads.popitem()
                target.add_advertiser(key, bit, tree)
            elif removed_subs:
                (target, key, bit), _ = removed_subs.popitem()
                target.remove_subscriber(key, bit)
            elif removed_ads:
                (target, key, bit), _ = removed_ads.popitem()
                target.remove_advertiser(key, bit)
            else:
                return


class Peer(NamedTuple):
    """The other end of a link port: switch, target of updates, bit, and end `a` of the link."""

    switch: str
    target: UpdateTarget
    bit: PortBit
    link: Port


class NeighbourExports:
    """The peers of a switch by the bits of its link ports; exports become updates in the queue."""

    __slots__ = ("_queue", "peers")

    def __init__(self, queue: UpdateQueue) -> None:
        self._queue = queue
        self.peers: dict[PortBit, Peer] = {}

    def export_subscriptions(self, key: Key, was: PortMask, now: PortMask, tree: Tree | None) -> None:
        """Export a subscription to `key` over the link ports `now` instead of `was`."""
        changed = was ^ now
        while changed:
            bit = changed & -changed
            changed ^= bit
            _, target, peer_bit, link = self.peers[bit]
            if now & bit:
                self._queue.add_subscriber(target, key, peer_bit)
            else:
                self._queue.remove_subscriber(target, key, peer_bit)
            if tree is not None:
                tree.count_crossing(link, 1 if now & bit else -1)

    def export_advertisements(self, key: Key, was: PortMask, now: PortMask, tree: Tree) -> None:
        """Export an advertisement of `key` over the link ports `now` instead of `was`."""
        changed = was ^ now
        while changed:
            bit = changed & -changed
            changed ^= bit
            _, target, peer_bit, _ = self.peers[bit]
            if now & bit:
                self._queue.add_advertiser(target, key, peer_bit, tree)
            else:
                self._queue.remove_advertiser(target, key, peer_bit)
