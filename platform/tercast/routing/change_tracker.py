"""Switches and tables with changes that were not taken yet."""

from __future__ import annotations

from typing import Generic, Protocol, TypeVar

from tercast.routing.switch_ports import SwitchPorts


class Trackable(Protocol):
    """The tables of one topic at one switch."""

    is_tracked: bool


TrackedTrie = TypeVar("TrackedTrie", bound=Trackable)


class ChangeTracker(Generic[TrackedTrie]):
    """The switches that changed in this request, and the tries that changed since the last diff.

    `tries` are in the order of their first changes.
    """

    __slots__ = ("_marked", "tries")

    def __init__(self) -> None:
        self._marked: list[tuple[SwitchPorts, int]] = []
        self.tries: list[TrackedTrie] = []

    def mark_changed(self, site: SwitchPorts) -> None:
        """Record how many entries a switch has, before its first change in a request."""
        site.marked = True
        self._marked.append((site, site.count))

    def take_marked(self) -> list[tuple[SwitchPorts, int]]:
        """Return the switches that changed since the last call, with former numbers of entries."""
        marked = self._marked
        if not marked:
            return marked
        for site, _ in marked:
            site.marked = False
        self._marked = []
        return marked

    def track(self, trie: TrackedTrie) -> None:
        """Record that the tables of a topic at a switch change next."""
        if not trie.is_tracked:
            trie.is_tracked = True
            self.tries.append(trie)

    def take_tries(self) -> list[TrackedTrie]:
        """Return the tries that changed since the last call; none is tracked from now on."""
        tries, self.tries = self.tries, []
        for trie in tries:
            trie.is_tracked = False
        return tries
