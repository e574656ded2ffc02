"""Smoothing: additional events near past events, because future events are similar."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercast.eventspace.counted_attributes import Int
from tercast.eventspace.event_encoder import indexes_dz_batch
from tercast.eventspace.float_attribute import Float
from tercast.optimizer.traffic.past_traffic import TopicTraffic, Traffic, TrafficColumns, Weights
from tercast.runtime.growable_array import Ints


def smoothed(traffic: Traffic, copies: int, weight: float, spread: tuple[float, float], seed: int) -> Traffic:
    """Add `copies` events near each event; the sum of their weights is `weight` times its own.

    Steps are normally distributed in every indexed attribute that is a number. Their standard deviation is a
    share of the attribute's domain. It is drawn for each copy between the two values of `spread` (uniform on
    a logarithmic scale), because the distance of future events varies over the space. Events outside the
    domain or the advertisement are dropped.
    """
    draw = np.random.default_rng((seed, 2))
    return Traffic(
        {name: _smoothed(part, copies, weight, spread, draw) for name, part in traffic.topics.items()}
    )


def _smoothed(
    part: TopicTraffic, copies: int, weight: float, spread: tuple[float, float], draw: np.random.Generator
) -> TopicTraffic:
    if not len(part) or not copies:
        return part
    near = _near(part, copies, weight, spread, draw)
    return replace(
        part,
        who=np.concatenate((part.who, near.who)),
        columns=tuple(np.concatenate(pair) for pair in zip(part.columns, near.columns, strict=True)),
        dz=part.dz + near.dz,
        weight=np.concatenate((part.weight, near.weight)),
    )


def _near(
    part: TopicTraffic, copies: int, weight: float, spread: tuple[float, float], draw: np.random.Generator
) -> TopicTraffic:
    """Draw `copies` events near each event; drop those outside the domain or the advertisement."""
    numbers = np.repeat(np.arange(len(part)), copies)
    columns, inside = _displaced(part, numbers, spread, draw)
    kept = np.flatnonzero(inside)
    columns = tuple(column[kept] for column in columns)
    near = replace(
        part,
        who=part.who[numbers[kept]],
        columns=columns,
        dz=indexes_dz_batch(part.topic, columns, part.depth) if len(kept) else [],
        weight=part.weight[numbers[kept]] * (weight / copies),
    )
    return near.take(np.flatnonzero(near.inside_advertisements()))


def _displaced(
    part: TopicTraffic, numbers: Ints, spread: tuple[float, float], draw: np.random.Generator
) -> tuple[TrafficColumns, npt.NDArray[np.bool_]]:
    """Return the values of events after a random step, and which are in their domains."""
    deviations = np.exp(draw.uniform(math.log(spread[0]), math.log(spread[1]), len(numbers)))
    columns, inside = [], np.ones(len(numbers), dtype=np.bool_)
    for position, values in zip(part.topic.coded_positions, part.columns, strict=True):
        attribute = part.topic.attributes[position]
        column = values[numbers]
        if isinstance(attribute, Int | Float):
            steps = np.rint(draw.normal(0, 1, len(numbers)) * deviations * attribute.size)
            column, within = _stepped(column, steps, attribute.size)
            inside &= within
        columns.append(column)
    return tuple(columns), inside


def _stepped(
    column: npt.NDArray[Any], steps: Weights, size: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return indexes after a step, and which of them are in the domain."""
    if column.dtype != np.uint64 or size >> 62:
        far = [int(a) + int(b) for a, b in zip(column.tolist(), steps.tolist(), strict=True)]
        within = np.array([0 <= index < size for index in far], dtype=np.bool_)
        wide = np.empty(len(far), dtype=column.dtype)
        wide[:] = [min(max(0, index), size - 1) for index in far]
        return wide, within
    ahead = column.astype(np.int64) + np.clip(steps, -size, size).astype(np.int64)
    inside = (ahead >= 0) & (ahead < size)
    return np.clip(ahead, 0, size - 1).astype(np.uint64), inside
