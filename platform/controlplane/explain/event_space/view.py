"""Projection of an event space: announcements, dz cells and recent events as boxes, points."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from controlplane.explain.event_space.axes import Axis
from controlplane.explain.event_space.cut_lines import cut_lines
from controlplane.registry.encoding import core_topic, current_dz
from controlplane.registry.models import Advertisement, Subscription
from controlplane.registry.models import Topic as TopicRow
from controlplane.requestlog.models import State
from controlplane.telemetry.models import EventSample
from tercast.errors import Refused
from tercast.eventspace import dz
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cell_bounds import cell_intervals
from tercast.eventspace.intervals import IntervalEnd, IntervalSet
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

MAX_BOXES = 32
"""Maximum number of boxes of one filter in the answer."""

MAX_CELLS = 4000
"""Maximum number of distinct dz cells of each kind: the largest."""

Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _ProjectedAnnouncement:
    """Announcement in the projection. Without a filter its cells represent it."""

    row: Any
    filter: Filter | None
    cells: tuple[dz.Dz, ...]


def picture(row: TopicRow, x: str, y: str | None, limit: int) -> dict[str, Any]:
    """Return the projection onto `x` and `y` with the newest `limit` objects of each kind.

    `y` is None for a topic with one attribute.
    """
    topic = core_topic(row)
    kinds = {"advertisements": (Advertisement, "publisher"), "subscriptions": (Subscription, "subscriber")}
    shown = {name: _shown(topic, row, model, owner, limit) for name, (model, owner) in kinds.items()}
    samples, events = _events(topic, row, limit)
    every = [one for found in shown.values() for one in found]
    axes = [_axis(topic, name, every, events) for name in (x, y) if name is not None]
    fields: dict[str, Any] = {
        "topic": row.name,
        "x": axes[0].to_json(),
        "y": axes[1].to_json() if y else None,
    }
    for name, (model, owner) in kinds.items():
        total = _live(model, row).count()
        items = [_announced(one, owner, axes, topic) for one in shown[name]]
        fields[name] = {"total": total, "truncated": total > len(items), "items": items}
        fields[f"{name.removesuffix('s')}_cells"] = _cells(topic, axes, shown[name])
    fields["cuts"] = cut_lines(topic, axes)
    total = EventSample.objects.filter(topic=row).count()
    items = [_event(sample, values, axes) for sample, values in zip(samples, events, strict=True)]
    fields["events"] = {"total": total, "truncated": total > len(items), "items": items}
    return fields


def _shown(topic: Topic, row: TopicRow, model: Any, owner: str, limit: int) -> list[_ProjectedAnnouncement]:
    rows = _live(model, row).select_related(f"{owner}__host", "topic__reindexing")
    return [_read(topic, one) for one in rows.order_by("-id")[:limit]]


def _live(model: Any, row: TopicRow) -> Any:
    return model._default_manager.filter(topic=row).exclude(state__in=(State.WITHDRAWN, State.FAILED))


def _read(topic: Topic, row: Any) -> _ProjectedAnnouncement:
    cells = tuple(dz.parse(cell) for cell in current_dz(row))
    return _ProjectedAnnouncement(row, None if row.by_dz else Filter.parse(row.filter, topic), cells)


def _events(topic: Topic, row: TopicRow, limit: int) -> tuple[list[EventSample], list[dict[str, Any]]]:
    """Return the newest samples that are valid in the topic, and their values."""
    samples, events = [], []
    for sample in EventSample.objects.filter(topic=row).order_by("-id")[:limit]:
        try:
            events.append(topic.check_json(sample.values))
        except Refused:
            continue
        samples.append(sample)
    return samples, events


def _axis(
    topic: Topic, name: str, shown: Iterable[_ProjectedAnnouncement], events: Iterable[dict[str, Any]]
) -> Axis:
    attribute = topic.attribute(name)
    if attribute.kind != "string":
        return Axis.of(attribute, ())
    position = topic.positions[name]
    cuts: set[IntervalEnd] = {cut.place for cut in topic.cuts.cuts() if cut.attribute == position}
    for one in shown:
        for term in one.filter.terms if one.filter else ():
            cuts.update(cut for interval in dict(term).get(position, ()) for cut in interval)
    for values in events:
        cuts |= {attribute.before(values[name]), attribute.after(values[name])}
    return Axis.of(attribute, cuts)


def _announced(one: _ProjectedAnnouncement, owner: str, axes: Sequence[Axis], topic: Topic) -> dict[str, Any]:
    if one.filter is None:
        boxes = iter(dict.fromkeys(_cell_box(topic, axes, cell) for cell in one.cells))
    else:
        boxes = _filter_boxes(one.filter, axes)
    first = list(islice(boxes, MAX_BOXES + 1))
    who = getattr(one.row, owner)
    return {
        "id": one.row.pk,
        "name": one.row.planner_id,
        "owner": who.name,
        "host": who.host.name,
        "filter": None if one.filter is None else one.row.filter,
        "boxes": first[:MAX_BOXES],
        "truncated": len(first) > MAX_BOXES,
    }


def _filter_boxes(filter_: Filter, axes: Sequence[Axis]) -> Iterator[Rectangle]:
    """Yield the boxes of each term in the two attributes. Other attributes are ignored."""
    positions = filter_.topic.positions
    seen: set[Rectangle] = set()
    for term in filter_.terms:
        held = dict(term)
        sides = [_intervals_of(axis.attribute, held.get(positions[axis.attribute.name])) for axis in axes]
        for pairs in product(*sides):
            box = _box([(axis.at(low), axis.at(high)) for axis, (low, high) in zip(axes, pairs, strict=True)])
            if box not in seen:
                seen.add(box)
                yield box


def _intervals_of(attribute: Attribute, held: IntervalSet | None) -> IntervalSet:
    return (attribute.domain,) if held is None else held


def _box(sides: Sequence[tuple[float, float]]) -> Rectangle:
    """Return left, right, bottom and top; from 0 to 1 without a second axis."""
    return (*sides[0], *(sides[1] if len(sides) > 1 else (0.0, 1.0)))


def _cell_box(topic: Topic, axes: Sequence[Axis], cell: dz.Dz) -> Rectangle:
    intervals = cell_intervals(topic, cell)
    found = [(axis, intervals.get(axis.attribute.name, axis.attribute.domain)) for axis in axes]
    return _box([(axis.at(low), axis.at(high)) for axis, (low, high) in found])


def _cells(topic: Topic, axes: Sequence[Axis], shown: Iterable[_ProjectedAnnouncement]) -> dict[str, Any]:
    """Return the boxes of the largest distinct cells, with the number of cells in each box."""
    distinct = {cell for one in shown for cell in one.cells}
    boxes = Counter(_cell_box(topic, axes, cell) for cell in sorted(distinct)[:MAX_CELLS])
    items = [{"box": box, "cells": n} for box, n in boxes.items()]
    return {"total": len(distinct), "truncated": len(distinct) > MAX_CELLS, "items": items}


def _event(sample: EventSample, values: dict[str, Any], axes: Sequence[Axis]) -> dict[str, Any]:
    x, y = (*(axis.point(values[axis.attribute.name]) for axis in axes), 0.5)[:2]
    at = sample.reported_at
    return {"id": sample.pk, "advertisement": f"a{sample.advertisement_id}", "at": at, "x": x, "y": y}
