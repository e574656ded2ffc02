"""Past events for aggregation: the events of each topic with their advertisements.

Sampling takes every n-th event of each publisher (Bhowmik et al., section 5.2, `sfr`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.errors import Refused, shown
from tercast.eventspace.dz import Dz, DzSet, covers
from tercast.eventspace.topic import Topic
from tercast.requests.registry import Registration
from tercast.runtime.growable_array import Ints
from tercast.runtime.strict_json import wrong_type

TrafficColumns = tuple[npt.NDArray[Any], ...]
Weights = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TopicTraffic:
    """Events of one topic: `ads[who[i]]` published event i with `dz[i]` and `weight[i]`.

    `columns` are the indexes of the indexed attributes' values. `counts` are the events of each advertisement
    before any sampling, or in proportion to them (see `Traffic.weighed`).
    """

    topic: Topic
    depth: int
    ads: tuple[Registration, ...]
    who: Ints
    columns: TrafficColumns
    dz: list[Dz]
    weight: Weights
    counts: Weights

    def __len__(self) -> int:
        return len(self.dz)

    def inside_advertisements(self) -> npt.NDArray[np.bool_]:
        """Return which events are inside the dz of their advertisements."""
        out = np.zeros(len(self), dtype=np.bool_)
        for number, ad in enumerate(self.ads):
            mine = np.flatnonzero(self.who == number)
            out[mine] = ad.dz == (1,) or [_holds(ad.dz, self.dz[i]) for i in mine.tolist()]
        return out

    def take(self, chosen: Ints, scale: float = 1.0) -> TopicTraffic:
        """Return the chosen events only, with their weights multiplied by `scale`."""
        return TopicTraffic(
            self.topic,
            self.depth,
            self.ads,
            self.who[chosen],
            tuple(column[chosen] for column in self.columns),
            [self.dz[i] for i in chosen.tolist()],
            self.weight[chosen] * scale,
            self.counts,
        )


@dataclass(frozen=True, slots=True)
class Traffic:
    """Past events by topic."""

    topics: Mapping[str, TopicTraffic] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.topics.values()))

    @property
    def weight(self) -> float:
        """The total weight of the events."""
        return float(sum(part.weight.sum() for part in self.topics.values()))

    def sampled(self, share: float) -> Traffic:
        """Return every 1/share-th event of each publisher, with increased weights."""
        check_sampling(share)
        if share == 1:
            return self
        return Traffic({name: _sampled(part, share) for name, part in self.topics.items()})

    def weighed(self, loads: Mapping[str, float]) -> Traffic:
        """Return the same events, with `counts` of named advertisements in proportion to `loads`.

        The total for these advertisements does not change, so that they remain comparable with the others.
        """
        named = [
            (count, loads[ad.id])
            for part in self.topics.values()
            for ad, count in zip(part.ads, part.counts.tolist(), strict=True)
            if ad.id in loads
        ]
        events, whole = (math.fsum(column) for column in zip(*named, strict=True)) if named else (0.0, 0.0)
        if not whole:
            return self
        scale = events / whole
        return Traffic({name: _weighed(part, loads, scale) for name, part in self.topics.items()})

    def split(self, share: float, seed: int) -> tuple[Traffic, Traffic]:
        """Divide the events at random; the second part has about `share` of all events."""
        draw = np.random.default_rng((seed, 1))
        return self.parted({name: draw.random(len(part)) < share for name, part in self.topics.items()})

    def parted(self, held: Mapping[str, npt.NDArray[np.bool_]]) -> tuple[Traffic, Traffic]:
        """Divide the events; the second part has the marked ones, for each topic in their order."""
        return (
            Traffic({name: part.take(np.flatnonzero(~held[name])) for name, part in self.topics.items()}),
            Traffic({name: part.take(np.flatnonzero(held[name])) for name, part in self.topics.items()}),
        )


def check_sampling(share: object) -> float:
    """Check that a sampling factor is above 0 and at most 1; raise Refused otherwise."""
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise wrong_type(share, ("sampling",), "a number")
    if not 0 < share <= 1:
        detail = f"the sampling factor {shown(share)} is out of range; use more than 0 and at most 1"
        raise Refused(("sampling",), "out_of_range", detail, share)
    return float(share)


def _weighed(part: TopicTraffic, loads: Mapping[str, float], scale: float) -> TopicTraffic:
    pairs = zip(part.ads, part.counts.tolist(), strict=True)
    counts = [loads[ad.id] * scale if ad.id in loads else count for ad, count in pairs]
    return replace(part, counts=np.array(counts, dtype=np.float64))


def _sampled(part: TopicTraffic, share: float) -> TopicTraffic:
    """Return every 1/share-th event of each publisher, with the first one."""
    order = np.argsort(part.who, kind="stable")
    first = np.searchsorted(part.who[order], np.arange(len(part.ads)))
    turn = np.empty(len(part), dtype=np.int64)
    turn[order] = np.arange(len(part)) - first[part.who[order]]
    chosen = np.flatnonzero((turn == 0) | (np.floor(turn * share) > np.floor((turn - 1) * share)))
    return part.take(chosen, len(part) / max(1, len(chosen)))


def _holds(space: DzSet, dz: Dz) -> bool:
    """Whether a canonical set has a member that covers `dz`, by binary search."""
    low, high = 0, len(space)
    text = bin(dz)
    while low < high:
        middle = (low + high) // 2
        if bin(space[middle]) <= text:
            low = middle + 1
        else:
            high = middle
    return low > 0 and covers(space[low - 1], dz)
