"""Past events, as aggregation uses them: of each topic, what was published and by which advertisement.

An event that names no live advertisement, or lies outside it, is refused. Sampling takes every n-th event of
each publisher (Bhowmik et al., section 5.2, `sfr`). Smoothing adds events near those that were seen, since
tomorrow's are near them and not the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.attribute import Int
from tercast.eventspace.dz import Dz, DzSet, covers
from tercast.eventspace.event_encoder import event_indexes, indexes_dz_batch
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.runtime.strict_json import expect_keys, expect_text, wrong_type

if TYPE_CHECKING:
    from tercast.planner.planner import Planner

Columns = tuple[npt.NDArray[Any], ...]
Numbers = npt.NDArray[np.int64]
Weights = npt.NDArray[np.float64]

SPREAD = 0.02
"""How far smoothing goes: the standard deviation of its steps, as a share of an attribute's domain."""


@dataclass(frozen=True, slots=True)
class TopicTraffic:
    """Events of one topic: `ads[who[i]]` published event i, with dz `dz[i]`, which stands for `weight[i]`.

    `columns` are the indexes of the indexed attributes' values. `counts` are the events of each advertisement
    before any sampling, or in proportion to them (see `Traffic.weighed`).
    """

    topic: Topic
    depth: int
    ads: tuple[Registration, ...]
    who: Numbers
    columns: Columns
    dz: list[Dz]
    weight: Weights
    counts: Weights

    def __len__(self) -> int:
        return len(self.dz)

    def take(self, chosen: Numbers, scale: float = 1.0) -> TopicTraffic:
        """The chosen events only, each for `scale` times what it stood for."""
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
        """How many events it stands for."""
        return float(sum(part.weight.sum() for part in self.topics.values()))

    def sampled(self, share: float) -> Traffic:
        """Every 1/share-th event of each publisher, each for as many."""
        check_sampling(share)
        if share == 1:
            return self
        return Traffic({name: _sampled(part, share) for name, part in self.topics.items()})

    def weighed(self, loads: Mapping[str, float]) -> Traffic:
        """The same events; of the advertisements that `loads` names, `counts` go by these loads instead.

        Together the named ones keep their number of events, so that they compare with those not named.
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
        """Two parts drawn at random: the second has about `share` of all events."""
        draw = np.random.default_rng((seed, 1))
        return self.parted({name: draw.random(len(part)) < share for name, part in self.topics.items()})

    def parted(self, held: Mapping[str, npt.NDArray[np.bool_]]) -> tuple[Traffic, Traffic]:
        """Two parts: the second are the events that are marked, for each topic in their order."""
        return (
            Traffic({name: part.take(np.flatnonzero(~held[name])) for name, part in self.topics.items()}),
            Traffic({name: part.take(np.flatnonzero(held[name])) for name, part in self.topics.items()}),
        )


def check_sampling(share: object) -> float:
    """A sampling factor, above 0 and 1 at most; Refused by name."""
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise wrong_type(share, ("sampling",), "a number")
    if not 0 < share <= 1:
        detail = f"{shown(share)} is no sampling factor: above 0, 1 at most"
        raise Refused(("sampling",), "out_of_range", detail, share)
    return float(share)


class TrafficReader:
    """Takes in events, given as JSON, of the publishers of a planner."""

    def __init__(self, planner: Planner) -> None:
        self._live = planner.registry.live
        self._topics = planner.topics
        self._depth = planner.depth
        self._filters: dict[str, Filter | None] = {}
        self._who: dict[str, list[str]] = {}
        self._values: dict[str, list[Mapping[str, Any]]] = {}

    def take(self, event: object) -> None:
        """Take in one; Refused when its publisher is unknown or may not send it."""
        fields = expect_keys(event, (), ("publisher", "values"))
        name = expect_text(fields["publisher"], ("publisher",))
        ad = self._live.get(name)
        if ad is None or ad.kind != ADVERTISEMENT:
            raise Refused(("publisher",), "unknown_publisher", f"no live advertisement {shown(name)}", name)
        topic = self._topics[ad.topic]
        values = topic.check_json(fields["values"], ("values",))
        filter_ = self._filter(ad, topic)
        if filter_ is not None and not filter_.matches(values):
            detail = f"the event lies outside advertisement {shown(name)}: {ad.filter or 'true'}"
            raise Refused(("values",), "outside_advertisement", detail)
        self._who.setdefault(ad.topic, []).append(name)
        self._values.setdefault(ad.topic, []).append(values)

    def traffic(self) -> Traffic:
        """All that was taken in; Refused when an event lies outside the dz of its advertisement."""
        return Traffic({name: self._read(name) for name in self._topics if name in self._who})

    def _filter(self, ad: Registration, topic: Topic) -> Filter | None:
        if ad.filter is None:
            return None
        found = self._filters.get(ad.id)
        if found is None:
            found = self._filters[ad.id] = Filter.parse(ad.filter, topic, ("filter",))
        return found

    def _read(self, name: str) -> TopicTraffic:
        topic, who = self._topics[name], self._who[name]
        index = {ad: i for i, ad in enumerate(dict.fromkeys(who))}
        ads = tuple(self._live[ad] for ad in index)
        columns = tuple(event_indexes(topic, self._values[name]))
        cells = indexes_dz_batch(topic, columns, self._depth)
        numbers = np.array([index[ad] for ad in who], dtype=np.int64)
        _check_inside(ads, who, cells)
        counts = np.bincount(numbers, minlength=len(ads)).astype(np.float64)
        return TopicTraffic(topic, self._depth, ads, numbers, columns, cells, np.ones(len(who)), counts)


def read_traffic(planner: Planner, events: Iterable[object]) -> Traffic:
    """The traffic of events given as JSON; Refused with the number of the first that cannot be."""
    reader = TrafficReader(planner)
    for i, event in enumerate(events):
        try:
            reader.take(event)
        except Refused as refused:
            raise refused.under(i) from None
        except RefusedMany as many:
            raise many.errors[0].under(i) from None
    return reader.traffic()


def smoothed(traffic: Traffic, copies: int, weight: float, spread: tuple[float, float], seed: int) -> Traffic:
    """The traffic with `copies` more of each event near it, of `weight` times its own altogether.

    Steps are normal, in every indexed attribute that is a number. Their standard deviation is a share of its
    domain that is drawn anew for each copy, between the two of `spread` (even on a logarithmic scale), since
    how near tomorrow's events are differs from spot to spot. What leaves the domain or the advertisement is
    dropped.
    """
    draw = np.random.default_rng((seed, 2))
    return Traffic(
        {name: _smoothed(part, copies, weight, spread, draw) for name, part in traffic.topics.items()}
    )


def _weighed(part: TopicTraffic, loads: Mapping[str, float], scale: float) -> TopicTraffic:
    pairs = zip(part.ads, part.counts.tolist(), strict=True)
    counts = [loads[ad.id] * scale if ad.id in loads else count for ad, count in pairs]
    return replace(part, counts=np.array(counts, dtype=np.float64))


def _sampled(part: TopicTraffic, share: float) -> TopicTraffic:
    """Every 1/share-th event of each publisher; the first is among them."""
    order = np.argsort(part.who, kind="stable")
    first = np.searchsorted(part.who[order], np.arange(len(part.ads)))
    turn = np.empty(len(part), dtype=np.int64)
    turn[order] = np.arange(len(part)) - first[part.who[order]]
    chosen = np.flatnonzero((turn == 0) | (np.floor(turn * share) > np.floor((turn - 1) * share)))
    return part.take(chosen, len(part) / max(1, len(chosen)))


def _smoothed(
    part: TopicTraffic, copies: int, weight: float, spread: tuple[float, float], draw: np.random.Generator
) -> TopicTraffic:
    if not len(part) or not copies:
        return part
    numbers = np.repeat(np.arange(len(part)), copies)
    wide_of = np.exp(draw.uniform(math.log(spread[0]), math.log(spread[1]), len(numbers)))
    moved, inside = [], np.ones(len(numbers), dtype=np.bool_)
    for position, column in zip(part.topic.indexed_positions, part.columns, strict=True):
        attribute = part.topic.attributes[position]
        wide = column[numbers]
        if isinstance(attribute, Int | Float):
            steps = np.rint(draw.normal(0, 1, len(numbers)) * wide_of * attribute.size)
            wide, within = _stepped(wide, steps, attribute.size)
            inside &= within
        moved.append(wide)
    kept = np.flatnonzero(inside)
    columns = tuple(column[kept] for column in moved)
    cells = indexes_dz_batch(part.topic, columns, part.depth) if len(kept) else []
    who = part.who[numbers[kept]]
    allowed = np.flatnonzero(_inside(part.ads, who, cells))
    near = TopicTraffic(
        part.topic,
        part.depth,
        part.ads,
        who,
        columns,
        cells,
        part.weight[numbers[kept]] * (weight / copies),
        part.counts,
    ).take(allowed)
    return TopicTraffic(
        part.topic,
        part.depth,
        part.ads,
        np.concatenate((part.who, near.who)),
        tuple(np.concatenate(pair) for pair in zip(part.columns, near.columns, strict=True)),
        part.dz + near.dz,
        np.concatenate((part.weight, near.weight)),
        part.counts,
    )


def _stepped(
    column: npt.NDArray[Any], steps: Weights, size: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Indexes a step on, and which of them are still of the domain."""
    if column.dtype != np.uint64 or size >> 62:
        far = [int(a) + int(b) for a, b in zip(column.tolist(), steps.tolist(), strict=True)]
        within = np.array([0 <= index < size for index in far], dtype=np.bool_)
        wide = np.empty(len(far), dtype=column.dtype)
        wide[:] = [min(max(0, index), size - 1) for index in far]
        return wide, within
    ahead = column.astype(np.int64) + np.clip(steps, -size, size).astype(np.int64)
    inside = (ahead >= 0) & (ahead < size)
    return np.clip(ahead, 0, size - 1).astype(np.uint64), inside


def _inside(ads: Sequence[Registration], who: Numbers, cells: Sequence[Dz]) -> npt.NDArray[np.bool_]:
    """Which events lie in the dz of their advertisements."""
    out = np.zeros(len(cells), dtype=np.bool_)
    for number, ad in enumerate(ads):
        mine = np.flatnonzero(who == number)
        if ad.dz == (1,):
            out[mine] = True
        else:
            out[mine] = [_holds(ad.dz, cells[i]) for i in mine.tolist()]
    return out


def _holds(space: DzSet, dz: Dz) -> bool:
    """Whether a canonical set has a member that covers `dz`, by halving it."""
    low, high = 0, len(space)
    text = bin(dz)
    while low < high:
        middle = (low + high) // 2
        if bin(space[middle]) <= text:
            low = middle + 1
        else:
            high = middle
    return low > 0 and covers(space[low - 1], dz)


def _check_inside(ads: Sequence[Registration], who: Sequence[str], cells: Sequence[Dz]) -> None:
    numbers = {ad.id: i for i, ad in enumerate(ads)}
    inside = _inside(ads, np.array([numbers[name] for name in who], dtype=np.int64), cells)
    if not inside.all():
        i = int(np.flatnonzero(~inside)[0])
        detail = f"the event lies outside the dz of advertisement {shown(who[i])}"
        raise Refused((i, "values"), "outside_advertisement", detail)
