"""Switches that the events of an announcement cross, on tree paths from its host to others.

The result is updated by the changes of each batch, so an announcement is not compared with all others.
`follow` returns the announcements and cells whose events may cross fewer switches than before.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from controlplane.planning.unconfirmed import EventRegion, TopicCell, order
from tercast.eventspace.dz import DzSet, difference
from tercast.planner.planner import Planner, TreeView
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.routing.cell_counts import CellCounts

_OTHER = {ADVERTISEMENT: SUBSCRIPTION, SUBSCRIPTION: ADVERTISEMENT}


@dataclass(slots=True)
class ShortenedPaths:
    """Paths that a batch made shorter: announcements by name, and cells by the affected kind.

    `everything` means that the network or an encoding has changed.
    """

    names: set[str] = field(default_factory=set)
    places: dict[str, list[TopicCell]] = field(default_factory=lambda: {ADVERTISEMENT: [], SUBSCRIPTION: []})
    everything: bool = False


class DeliveryPaths:
    """Paths in a planner's trees, as of the last call of `follow`."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._known: dict[str, Registration] = {}
        self._by_host: dict[tuple[str, str], dict[str, CellCounts]] = defaultdict(dict)
        for one in planner.registry.live.values():
            self._enter(one)
        self._network = self._network_now()
        self._trees = _views(planner)
        self._paths: dict[tuple[str, int], _Paths] = {}

    def of(self, one: Registration) -> frozenset[str]:
        """Return the switches between the host of `one` and the hosts it exchanges events with."""
        start = self._switch(one.host)
        if start is None:
            return frozenset()
        keys = [order().key(dz) for dz in one.dz]
        hosts = self._by_host[one.topic, _OTHER[one.kind]]
        ends = {self._switch(host) for host, cells in hosts.items() if any(map(cells.overlaps, keys))}
        found = {start}
        for name, tree in self._trees.items():
            if tree.topic == one.topic:
                paths = self._paths.get(name)
                if paths is None:
                    paths = self._paths[name] = _Paths(tree)
                if paths.overlaps(keys):
                    found |= paths.between(start, ends - {None, start})
        return frozenset(found)

    def follow(self, names: Collection[str] | None) -> ShortenedPaths:
        """Update the paths after a batch of these announcements, or of anything else (None)."""
        shrunk = ShortenedPaths()
        live = self._planner.registry.live
        network = self._network if names is not None else self._network_now()
        shrunk.everything, self._network = network != self._network, network
        for name in names if names is not None else {*self._known, *live}:
            old, new = self._known.get(name), live.get(name)
            if old is new:
                continue
            if old is not None:
                self._leave(old)
                shrunk.names.add(name)
                shrunk.places[_OTHER[old.kind]] += self._places(old.topic, old.dz)
            if new is not None:
                self._enter(new)
        self._follow_trees(shrunk)
        return shrunk

    def _follow_trees(self, shrunk: ShortenedPaths) -> None:
        before, now = self._trees, _views(self._planner)
        for name, old in before.items():
            new = now.get(name)
            if old == new:
                continue
            self._paths.pop(name, None)
            lost = _lost(old, new)
            for kind in shrunk.places:
                shrunk.places[kind] += self._places(old.topic, lost)
        self._trees = now

    def _places(self, topic: str, dz: DzSet) -> list[TopicCell]:
        found = self._planner.topics.get(topic)  # a removed topic has no announcements
        return [] if found is None else list(EventRegion(found.code, dz).places())

    def _network_now(self) -> tuple[dict[str, str | None], dict[str, int]]:
        """Return the switch of each host, and the code of each topic."""
        hosts = {name: self._switch(name) for name in self._planner.topology.hosts}
        return hosts, {name: topic.code for name, topic in self._planner.topics.items()}

    def _enter(self, one: Registration) -> None:
        self._known[one.id] = one
        hosts = self._by_host[one.topic, one.kind]
        cells = hosts.get(one.host)
        if cells is None:
            cells = hosts[one.host] = CellCounts(order())
        cells.add_all(order().key(dz) for dz in one.dz)

    def _leave(self, one: Registration) -> None:
        del self._known[one.id]
        hosts = self._by_host[one.topic, one.kind]
        hosts[one.host].remove_all(order().key(dz) for dz in one.dz)
        if not hosts[one.host]:
            del hosts[one.host]

    def _switch(self, host: str) -> str | None:
        place = self._planner.topology.live_attachment(host)
        return None if place is None else place.switch


class _Paths:
    """Paths of one tree."""

    def __init__(self, tree: TreeView) -> None:
        self._owned = CellCounts(order())
        self._owned.add_all(map(order().key, tree.dz))
        self._near: dict[str, list[str]] = defaultdict(list)
        for a, _, b, _ in tree.edges:
            self._near[a].append(b)
            self._near[b].append(a)
        self._came: dict[str, dict[str, str]] = {}

    def overlaps(self, keys: Iterable[int]) -> bool:
        """Whether the tree owns a part of any of these cells."""
        return any(map(self._owned.overlaps, keys))

    def between(self, start: str, ends: Iterable[str | None]) -> set[str]:
        """Return the switches on the paths from `start` to each of `ends` that the tree reaches."""
        came = self._came.get(start)
        if came is None:
            came = self._came[start] = self._from(start)
        found = {start}
        for switch in ends:
            while switch in came and switch not in found:
                found.add(switch)
                switch = came[switch]
        return found

    def _from(self, start: str) -> dict[str, str]:
        """Return, by reached switch, the switch before it."""
        came, queue = {start: start}, [start]
        for switch in queue:
            for other in self._near.get(switch, ()):
                if other not in came:
                    came[other] = switch
                    queue.append(other)
        return came


def _views(planner: Planner) -> dict[tuple[str, int], TreeView]:
    """Return the trees by name and number: while a topic leaves a code, two trees share a name."""
    views: dict[tuple[str, int], TreeView] = {}
    for tree in planner.trees():
        number = 0
        while (tree.id, number) in views:
            number += 1
        views[tree.id, number] = tree
    return views


def _lost(old: TreeView, new: TreeView | None) -> DzSet:
    """Return the cells of `old` whose events may cross fewer switches than before."""
    if new is None or new.topic != old.topic or not set(old.edges) <= set(new.edges):
        return old.dz
    return difference(old.dz, new.dz)
