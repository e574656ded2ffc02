"""Subscriptions that the outputs of an entry serve, given the advertisements on this side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tercast.eventspace.dz import Dz, DzSet, canonical, difference, intersection, overlaps
from tercast.explain.network_state import AnnouncementState, NetworkState, TreeLike
from tercast.explain.tree_paths import TreeWays
from tercast.verification.forwarding import ForwardingStep


class ComponentSubscriptions:
    """The trees, subscriptions and advertisements of a topic in one component of the network."""

    def __init__(self, situation: NetworkState, topic: str, component: int | None) -> None:
        self._situation = situation
        self.trees: list[tuple[TreeLike, TreeWays]] = [
            (tree, TreeWays(tree))
            for tree in situation.trees
            if tree.topic == topic and situation.world.components.get(tree.root) == component
        ]
        self.wishes = [wish for wish in situation.wishes if wish.topic == topic and wish.is_planned]
        self._ads = [ad for ad in situation.advertisements.values() if ad.topic == topic]

    def by_entry(
        self, switch: str, steps: Iterable[ForwardingStep], region: DzSet
    ) -> tuple[tuple[str, ...], bool]:
        """The subscriptions that an entry with these outputs serves, and whether it is exact."""
        found: dict[str, None] = {}
        exact = True
        for step in steps:
            names, fits = self._by_output(switch, step, region)
            found.update(dict.fromkeys(names))
            exact = exact and fits
        return tuple(found), exact

    def beyond(self, switch: str, step: ForwardingStep, ways: TreeWays) -> Sequence[AnnouncementState]:
        """The subscriptions of the hosts to which an output leads."""
        world = self._situation.world
        if step.far is None:
            hosts = set(world.hosts(step.hosts))
            return [wish for wish in self.wishes if wish.host in hosts]
        beyond = ways.beyond(switch, step.port)
        return [wish for wish in self.wishes if self._situation.switch_of(wish.host) in beyond]

    def _by_output(self, switch: str, step: ForwardingStep, region: DzSet) -> tuple[list[str], bool]:
        names: list[str] = []
        served: list[Dz] = []
        for tree, ways in self.trees:
            here = intersection(region, canonical(tree.dz))
            if here:
                wishes = self.beyond(switch, step, ways)
                reached = intersection(here, self._advertised(switch, step, ways, here))
                names += [wish.id for wish in wishes if intersection(_within(wish, reached), reached)]
                wanted = canonical(cell for wish in wishes for cell in _within(wish, reached))
                served += intersection(reached, wanted)
        return names, not difference(region, canonical(served))

    def _advertised(self, switch: str, step: ForwardingStep, ways: TreeWays, region: DzSet) -> DzSet:
        """The part of a region that is advertised on this side of an output."""
        beyond = () if step.far is None else ways.beyond(switch, step.port)
        sides = ((ad, self._situation.switch_of(ad.host)) for ad in self._ads)
        return canonical(
            cell for ad, at in sides if at is not None and at not in beyond for cell in _within(ad, region)
        )


def _within(announced: AnnouncementState, region: DzSet) -> DzSet:
    """The cells of an announcement that overlap a region, in order."""
    return canonical(cell for cell in announced.dz if any(overlaps(cell, other) for other in region))
