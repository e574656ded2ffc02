"""Cost of indexing attributes: false positives, measured on past events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercast.dimensions.workload import Workload
from tercast.encoding.encoder import encode_dz
from tercast.eventspace.cut_tree import CutTree
from tercast.eventspace.dz import Dz, DzSet, canonical
from tercast.eventspace.event_encoder import event_dz_batch
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.runtime.growable_array import Ints
from tercast.simulation.lookup_tables import column

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Cost:
    """Deliveries to hosts, false positives, and cells of filters in an event space."""

    indexed: tuple[str, ...]
    delivered: int
    unwanted: int
    cells: int
    cuts: int = 0

    @property
    def fpr(self) -> float:
        """The share of deliveries that are false positives, in percent; 0 without deliveries."""
        return 100.0 * self.unwanted / self.delivered if self.delivered else 0.0


class Measure:
    """Costs for one workload; the exact matcher runs only once.

    `depth` is the length of a full-depth dz in bits, `limit` the maximum number of cells of a filter.
    """

    def __init__(self, workload: Workload, depth: int, limit: int) -> None:
        self.workload, self._depth, self._limit = workload, depth, limit
        self._wanted = workload.wanted()
        self._known: dict[tuple[tuple[str, ...], CutTree], tuple[Cost, Ints]] = {}

    def of(self, indexed: Iterable[str]) -> Cost:
        """The cost of indexing these attributes without cuts; Refused for an unknown one."""
        names = frozenset(indexed)
        old = self.workload.topic.with_cuts([])
        kept = [attribute.name for attribute in old.attributes if attribute.name in names]
        return self.of_topic(old.with_indexed(kept if len(kept) == len(names) else sorted(names)))[0]

    def of_topic(self, topic: Topic) -> tuple[Cost, Ints]:
        """The cost of the topic in another event space, and the false positives of each event."""
        space = topic.indexed, topic.cuts
        if space not in self._known:
            self._known[space] = self._measured(topic)
        return self._known[space]

    def _measured(self, topic: Topic) -> tuple[Cost, Ints]:
        by_host: dict[str, list[Dz]] = defaultdict(list)
        cells = 0
        for host, filter_ in self.workload.subscriptions:
            dz = encode_dz(Filter(topic, filter_.tree), self._depth, self._limit)
            by_host[host] += dz
            cells += len(dz)
        points = _points(event_dz_batch(topic, self.workload.events, self._depth), self._depth)
        reached = np.zeros_like(self._wanted)
        for number, host in enumerate(self.workload.hosts):
            reached[:, number] = _inside(canonical(by_host[host]), points, self._depth)
        assert not (self._wanted & ~reached).any(), "an encoding lost an event"
        by_event = np.count_nonzero(reached & ~self._wanted, axis=1)
        cost = Cost(
            topic.indexed, int(np.count_nonzero(reached)), int(by_event.sum()), cells, topic.cuts.count
        )
        return cost, by_event


def _points(events: list[Dz], depth: int) -> npt.NDArray[np.generic]:
    """The dz of events as numbers of `depth` bits."""
    return column([_first(dz, depth) for dz in events], depth)


def _inside(cells: DzSet, points: npt.NDArray[np.generic], depth: int) -> Flags:
    """Whether each point is in one of the cells, which are canonical: disjoint and in order."""
    if not cells:
        return np.zeros(len(points), dtype=np.bool_)
    first = column([_first(dz, depth) for dz in cells], depth)
    last = column([_last(dz, depth) for dz in cells], depth)
    place = np.searchsorted(first, points, side="right") - 1
    found: Flags = (place >= 0) & (points <= last[place])
    return found


def _first(dz: Dz, depth: int) -> int:
    bits = dz.bit_length() - 1
    return (dz ^ (1 << bits)) << (depth - bits)


def _last(dz: Dz, depth: int) -> int:
    bits = dz.bit_length() - 1
    return _first(dz, depth) | ((1 << (depth - bits)) - 1)
