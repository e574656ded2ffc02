"""Which switches the events of a request cross: those between its host and the others, in its trees."""

from collections import defaultdict
from collections.abc import Iterable

from tercast.dz import set_overlaps
from tercast.planner import Planner, TreeView
from tercast.registry import ADVERTISEMENT, Registration


class Ways:
    """The ways in a planner's trees, as they are now."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._trees: dict[str, list[TreeView]] = defaultdict(list)
        for tree in planner.trees():
            self._trees[tree.topic].append(tree)

    def of(self, one: Registration) -> frozenset[str]:
        """The switches between the host of `one` and the hosts that it exchanges events with."""
        start = self._switch(one.host)
        if start is None:
            return frozenset()
        ends = {self._switch(other.host) for other in self._others(one)} - {None}
        found = {start}
        for tree in self._trees[one.topic]:
            if set_overlaps(tree.dz, one.dz):
                found |= _between(tree, start, ends)
        return frozenset(found)

    def _others(self, one: Registration) -> Iterable[Registration]:
        registry = self._planner.registry
        ad = one.kind == ADVERTISEMENT
        others = registry.subscriptions(one.topic) if ad else registry.advertisements(one.topic)
        return (other for other in others if set_overlaps(other.dz, one.dz))

    def _switch(self, host: str) -> str | None:
        place = self._planner.topology.live_attachment(host)
        return None if place is None else place.switch


def _between(tree: TreeView, start: str, ends: Iterable[str | None]) -> set[str]:
    """The switches on the paths of `tree` from `start` to each of `ends` that it reaches."""
    near = defaultdict(list)
    for a, _, b, _ in tree.edges:
        near[a].append(b)
        near[b].append(a)
    came: dict[str, str] = {start: start}
    order = [start]
    for switch in order:
        for other in near[switch]:
            if other not in came:
                came[other] = switch
                order.append(other)
    found = {start}
    for end in ends:
        switch = end if end in came else start
        while switch is not None and switch not in found:
            found.add(switch)
            switch = came[switch]
    return found
