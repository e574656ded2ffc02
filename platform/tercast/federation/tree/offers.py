"""Offers: what a partition says about its path to the root of the tree of partitions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

NAME_BYTES = 16
"""Length of the name of a node in a message."""

MAX_PATH = 50
"""Largest number of nodes on a path; more names do not fit in a message with the longest name of a border."""


@dataclass(frozen=True, slots=True, order=True)
class BridgeId:
    """A node of the tree: an administrative priority, lowest first, and a unique name."""

    priority: int
    uuid: str


@dataclass(frozen=True, slots=True)
class Offer:
    """A path to a root: its total cost, and the names of its nodes from the root to the sender.

    The path replaces the hop count of the Rapid Spanning Tree Protocol (IEEE 802.1D-2004, clause 17): a node
    ignores an offer whose path contains it, so that nothing counts to infinity.
    """

    root: BridgeId
    cost: float
    path: tuple[str, ...]

    @classmethod
    def of_root(cls, node: BridgeId) -> Offer:
        """Return the offer of a node that is the root."""
        return cls(node, 0, (node.uuid,))

    @property
    def sender(self) -> str:
        """The name of the node that makes the offer."""
        return self.path[-1]

    def through(self, node: BridgeId, cost: float) -> Offer:
        """Return the offer of a node that reaches the sender over a border of this cost."""
        return Offer(self.root, self.cost + cost, (*self.path, node.uuid))

    def rank(self, border: str, cost: float = 0) -> tuple[BridgeId, float, str, str]:
        """Return the rank of this offer at a border of the sender, after a link of this cost."""
        return self.root, self.cost + cost, self.sender, border


def short_name(name: str, most: int = NAME_BYTES) -> str:
    """Return a name of at most `most` bytes, so that `MAX_PATH` names fit in one message."""
    return name if len(name.encode()) <= most else _hashed(name, most)


def part_name(node: str, switch: str) -> str:
    """Return the name of a part that is not the first, computed from its first switch."""
    return _hashed(f"{node}\0{switch}", NAME_BYTES)


def _hashed(name: str, most: int) -> str:
    """Return a name that differs from all names that people give, because these are printable."""
    return "\x7f" + hashlib.sha256(name.encode()).hexdigest()[: most - 1]
