"""Matching of events with subscriptions, in batches, in the Python workers of Spark."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from pyspark import Broadcast
from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from analytics.subscriptions import Span, SubscriptionRow, Subscriptions
from tercast.dimensions.attribute_matches import AttributeMatches
from tercast.errors import Refused
from tercast.eventspace.topic import Topic
from tercast.filters.batch_matcher import Audience
from tercast.filters.filter import Filter

UNKNOWN_TOPIC, BAD_VALUES = "events_of_unknown_topics", "events_with_bad_values"
_KEY = ("topic", "publisher", "seq")
_EVENT = "topic string, publisher string, seq bigint"
_EXPECTED = f"{_EVENT}, at bigint, host string, problem string"
_COUNTED = f"{_EVENT}, at bigint, counts array<double>, problem string"

EventRows = list[dict[str, Any]]
Batches = Iterator[pd.DataFrame]


class SubscribedHosts:
    """Hosts that subscribe to events of a topic at their times, by the exact matcher."""

    def __init__(self, topic: Topic, entries: Sequence[SubscriptionRow]) -> None:
        lanes = dict.fromkeys((entry.host, entry.span) for entry in entries)
        self._lanes = {lane: number for number, lane in enumerate(lanes)}
        filters = [(self._lanes[entry.host, entry.span], entry.filter) for entry in entries]
        self._audience = Audience(topic, filters, len(self._lanes))
        self.hosts = sorted({host for host, _ in self._lanes})

    def hosts_of(self, events: EventRows, times: npt.NDArray[np.int64]) -> list[tuple[int, str]]:
        """Return pairs of an event's index and a host that expects it.

        Args:
            times: Microseconds since 1970.
        """
        flags = self._audience.wanting(events)
        wanted = {host: np.zeros(len(events), dtype=np.bool_) for host in self.hosts}
        for (host, (start, end)), number in self._lanes.items():
            wanted[host] |= flags[:, number] & (times >= start) & (times < end)
        return [(row, host) for host in self.hosts for row in np.flatnonzero(wanted[host]).tolist()]


class Counting:
    """Numbers of subscriptions that match events of a topic in each single attribute."""

    def __init__(self, topic: Topic, entries: Sequence[SubscriptionRow]) -> None:
        self._topic = topic
        spans: dict[Span, list[Filter]] = {}
        for entry in entries:
            spans.setdefault(entry.span, []).append(entry.filter)
        self._spans = [(span, AttributeMatches(topic, filters)) for span, filters in spans.items()]

    def counts(self, events: EventRows, times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return a row per event and a column per attribute: w of PLEROMA, section 5, transposed."""
        out = np.zeros((len(events), len(self._topic.attributes)))
        for (start, end), matches in self._spans:
            live = (times >= start) & (times < end)
            out += np.where(live[:, None], matches.counts(events), 0.0)
        return out


def expected_hosts(published: DataFrame, subscriptions: Broadcast[Subscriptions]) -> DataFrame:
    """Return each event with each host that expects it; null and a `problem` if unknown."""
    return _with_micros(published).mapInPandas(_filled(_matcher(subscriptions)), _EXPECTED)


def match_counts(published: DataFrame, subscriptions: Broadcast[Subscriptions]) -> DataFrame:
    """Return each event with the number of subscriptions that match it, by attribute."""
    return _with_micros(published).mapInPandas(_filled(_counter(subscriptions)), _COUNTED)


def checked_events(
    sample: Sequence[dict[str, Any]], subscriptions: Subscriptions, notes: Counter[str]
) -> dict[str, EventRows]:
    """Return the checked values of sampled events by topic, in the order of their keys.

    Events of unknown topics, and those whose values do not fit, are counted in `notes`.
    """
    found: dict[str, EventRows] = {}
    for row in sorted(sample, key=lambda row: tuple(row[name] for name in _KEY)):
        topic = subscriptions.topics.get(row["topic"])
        values = None if topic is None else _values(topic, row["values"])
        if topic is None or values is None:
            notes[UNKNOWN_TOPIC if topic is None else BAD_VALUES] += 1
        else:
            found.setdefault(topic.name, []).append(values)
    return found


def _with_micros(published: DataFrame) -> DataFrame:
    return published.select(
        "topic", "publisher", "seq", F.unix_micros("published_at").alias("at"), F.col("values")
    )


def _filled(work: Callable[[Batches], Batches]) -> Callable[[Batches], Batches]:
    """Omit frames without rows, because Arrow cannot convert the types of their columns."""

    def filled(batches: Batches) -> Batches:
        return (frame for frame in work(batches) if len(frame))

    return filled


def _matcher(subscriptions: Broadcast[Subscriptions]) -> Callable[[Batches], Batches]:
    def match(batches: Batches) -> Batches:
        known: dict[str, SubscribedHosts] = {}
        for batch in batches:
            for topic, part, events in _by_topic(batch, subscriptions.value):
                if topic is None:
                    yield _problem(part, UNKNOWN_TOPIC, ["host"], ["at"])
                    continue
                good, bad = _parted(part, events)
                yield _problem(bad, BAD_VALUES, ["host"], ["at"])
                if topic.name not in known:
                    known[topic.name] = SubscribedHosts(topic, subscriptions.value.of_topic(topic.name))
                yield _hosts(known[topic.name], good, [event for event in events if event is not None])

    return match


def _hosts(wanting: SubscribedHosts, part: pd.DataFrame, events: EventRows) -> pd.DataFrame:
    pairs = wanting.hosts_of(events, part["at"].to_numpy(np.int64)) if events else []
    out = part.iloc[[row for row, _ in pairs]][[*_KEY, "at"]]
    return out.assign(host=[host for _, host in pairs], problem=None)


def _counter(subscriptions: Broadcast[Subscriptions]) -> Callable[[Batches], Batches]:
    def count(batches: Batches) -> Batches:
        known: dict[str, Counting] = {}
        for batch in batches:
            for topic, part, events in _by_topic(batch, subscriptions.value):
                if topic is None:
                    yield _problem(part, UNKNOWN_TOPIC, ["at", "counts"])
                    continue
                good, bad = _parted(part, events)
                yield _problem(bad, BAD_VALUES, ["at", "counts"])
                if topic.name not in known:
                    known[topic.name] = Counting(topic, subscriptions.value.of_topic(topic.name))
                fit = [event for event in events if event is not None]
                rows = known[topic.name].counts(fit, good["at"].to_numpy(np.int64))
                yield good[[*_KEY, "at"]].assign(counts=list(rows), problem=None)

    return count


def _by_topic(
    batch: pd.DataFrame, subscriptions: Subscriptions
) -> Iterator[tuple[Topic | None, pd.DataFrame, list[dict[str, Any] | None]]]:
    """Yield the rows of each topic with their checked values; None for values that do not fit."""
    for name, part in batch.groupby("topic", sort=False):
        topic = subscriptions.topics.get(str(name))
        yield topic, part, [] if topic is None else [_values(topic, text) for text in part["values"]]


def _values(topic: Topic, text: Any) -> dict[str, Any] | None:
    try:
        return topic.check_json(json.loads(text))
    except (Refused, ValueError, TypeError, RecursionError):
        return None


def _parted(part: pd.DataFrame, events: Sequence[dict[str, Any] | None]) -> tuple[pd.DataFrame, pd.DataFrame]:
    good = np.array([event is not None for event in events], dtype=np.bool_)
    return part[good], part[~good]


def _problem(
    part: pd.DataFrame, problem: str, empty: Sequence[str], kept: Sequence[str] = ()
) -> pd.DataFrame:
    return part[[*_KEY, *kept]].assign(**dict.fromkeys(empty), problem=problem)
