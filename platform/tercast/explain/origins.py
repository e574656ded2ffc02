"""Where an entry comes from: the subscriptions that it stands for, and whether it says more than they do.

An output of an entry is as it should be where the subscriptions beyond it meet advertisements on this side of
it, within a tree; an entry is *exact* when that holds of all outputs for all events that meet it, else it is
*aggregated*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tercast.dz import Dz, DzSet, canonical, difference, intersection, overlaps
from tercast.explain.event import Event
from tercast.explain.lookup import TopicTable
from tercast.explain.situation import Announced, Situation, TreeLike
from tercast.explain.tree_ways import TreeWays
from tercast.explain.way import Hop
from tercast.forwarding import Step

EXACT, AGGREGATED, UNPLANNED = "exact", "aggregated", "unplanned"


@dataclass(frozen=True, slots=True)
class Behind:
    """Whom an output leads to that wants this event: exactly (`matching`), or by its dz set alone."""

    matching: tuple[str, ...]
    truncated: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the entry of one hop comes from; `behind` goes with the outputs of the hop.

    `kind` is "exact", "aggregated", or "unplanned" where the plan has no such entry (any more).
    """

    kind: str
    subscriptions: tuple[str, ...]
    behind: tuple[Behind, ...]


class Origins:
    """Finds the origin of entries that one event meets."""

    def __init__(self, situation: Situation, event: Event) -> None:
        self._situation = situation
        self._event = event
        topic = situation.topics[event.topic]
        component = situation.component(event.host)
        self._trees = [
            (tree, TreeWays(tree))
            for tree in situation.trees
            if tree.topic == event.topic and situation.world.components.get(tree.root) == component
        ]
        self._wishes = [wish for wish in situation.wishes if wish.topic == event.topic and wish.is_planned]
        self._matching = {wish.id for wish in self._wishes if wish.matches(topic, event.values, event.full)}
        self._holding = {wish.id for wish in self._wishes if wish.holds(event.full)}
        self._ads = [ad for ad in situation.advertisements.values() if ad.topic == event.topic]

    @property
    def tree(self) -> TreeLike | None:
        """The tree that carries the event."""
        found = self._own_tree()
        return None if found is None else found[0]

    @property
    def ways(self) -> TreeWays | None:
        """The links of that tree."""
        found = self._own_tree()
        return None if found is None else found[1]

    def of(self, hop: Hop) -> Origin | None:
        """The origin of the entry that was met at a hop; None where none was."""
        if hop.entry is None:
            return None
        behind = tuple(self._behind(hop, step) for step in hop.steps)
        situation = self._situation
        code = situation.topics[self._event.topic].code
        table = TopicTable(situation.planned(hop.switch), situation.address, code)
        planned = table.find(hop.entry)
        if planned is None or planned.actions != hop.entry.actions:
            return Origin(UNPLANNED, (), behind)
        region = table.region(planned, hop.in_port)
        stands_for: dict[str, None] = {}
        exact = True
        for step in hop.steps:
            names, fits = self._stands_for(hop, step, region)
            stands_for.update(dict.fromkeys(names))
            exact = exact and fits
        return Origin(EXACT if exact else AGGREGATED, tuple(stands_for), behind)

    def _own_tree(self) -> tuple[TreeLike, TreeWays] | None:
        for tree, ways in self._trees:
            if any(overlaps(cell, self._event.full) for cell in tree.dz):
                return tree, ways
        return None

    def _behind(self, hop: Hop, step: Step) -> Behind:
        ways = self.ways
        wishes = [] if ways is None else self._beyond(hop, step, ways)
        matching = tuple(wish.id for wish in wishes if wish.id in self._matching)
        held = (wish.id for wish in wishes if wish.id in self._holding)
        return Behind(matching, tuple(name for name in held if name not in self._matching))

    def _stands_for(self, hop: Hop, step: Step, region: DzSet) -> tuple[list[str], bool]:
        """The subscriptions that an output of an entry serves, and whether it serves nothing else."""
        names: list[str] = []
        served: list[Dz] = []
        for tree, ways in self._trees:
            here = intersection(region, canonical(tree.dz))
            if here:
                wishes = self._beyond(hop, step, ways)
                reached = intersection(here, self._advertised(hop, step, ways, here))
                names += [wish.id for wish in wishes if intersection(_within(wish, reached), reached)]
                wanted = canonical(cell for wish in wishes for cell in _within(wish, reached))
                served += intersection(reached, wanted)
        return names, not difference(region, canonical(served))

    def _beyond(self, hop: Hop, step: Step, ways: TreeWays) -> Sequence[Announced]:
        """The subscriptions of those whom an output leads to."""
        world = self._situation.world
        if step.far is None:
            hosts = set(world.hosts(step.hosts))
            return [wish for wish in self._wishes if wish.host in hosts]
        beyond = ways.beyond(hop.switch, step.port)
        return [wish for wish in self._wishes if self._situation.switch_of(wish.host) in beyond]

    def _advertised(self, hop: Hop, step: Step, ways: TreeWays, region: DzSet) -> DzSet:
        """What is advertised on this side of an output, of a region."""
        beyond = () if step.far is None else ways.beyond(hop.switch, step.port)
        sides = ((ad, self._situation.switch_of(ad.host)) for ad in self._ads)
        return canonical(
            cell
            for ad, switch in sides
            if switch is not None and switch not in beyond
            for cell in _within(ad, region)
        )


def _within(announced: Announced, region: DzSet) -> DzSet:
    """The cells of an announcement that meet a region, in order."""
    return canonical(cell for cell in announced.dz if _meets(cell, region))


def _meets(cell: Dz, region: Iterable[Dz]) -> bool:
    return any(overlaps(cell, other) for other in region)
