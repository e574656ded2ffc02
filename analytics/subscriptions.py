"""The file of subscriptions for jobs that compare events with filters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from analytics.times import micros, parse_time
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.runtime.strict_json import expect_keys, expect_list, expect_text

FOREVER = 1 << 62
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SubscriptionRow:
    """A subscription of a host and its time span (microseconds since 1970, end exclusive)."""

    id: str
    host: str
    filter: Filter
    span: Span


@dataclass(frozen=True, slots=True)
class Subscriptions:
    """Topics by name, and all subscriptions to them."""

    topics: dict[str, Topic]
    entries: tuple[SubscriptionRow, ...]

    def of_topic(self, name: str) -> list[SubscriptionRow]:
        """Return the subscriptions to a topic."""
        return [entry for entry in self.entries if entry.filter.topic.name == name]


def read_subscriptions(obj: object) -> Subscriptions:
    """Read a JSON document `{"topics": [...], "subscriptions": [...]}`.

    Raises:
        RefusedMany: All errors, each with its path.
    """
    fields = expect_keys(obj, (), ("topics", "subscriptions"), ())
    errors: list[Refused] = []
    topics: dict[str, Topic] = {}
    for i, item in enumerate(expect_list(fields["topics"], ("topics",))):
        topic = _catch(errors, partial(Topic.from_json, item, ("topics", i)))
        if topic is not None and topic.name in topics:
            detail = f"the topic {shown(topic.name)} occurs twice; list it once"
            errors.append(Refused(("topics", i, "name"), "duplicate", detail, topic.name))
        elif topic is not None:
            topics[topic.name] = topic
    entries = [
        _catch(errors, partial(_read_entry, item, topics, ("subscriptions", i)))
        for i, item in enumerate(expect_list(fields["subscriptions"], ("subscriptions",)))
    ]
    if errors:
        raise RefusedMany(errors)
    return Subscriptions(topics, tuple(entry for entry in entries if entry is not None))


def _catch(errors: list[Refused], read: Any) -> Any:
    try:
        return read()
    except Refused as refused:
        errors.append(refused)
    except RefusedMany as many:
        errors += many.errors
    return None


def _read_entry(obj: object, topics: dict[str, Topic], path: Path) -> SubscriptionRow:
    fields = expect_keys(obj, path, ("id", "host", "topic", "filter"), ("from", "until"))
    name = expect_text(fields["topic"], (*path, "topic"))
    if name not in topics:
        detail = f"unknown topic {shown(name)}; use a topic of this file"
        raise Refused((*path, "topic"), "unknown_topic", detail, name)
    start = _read_time(fields.get("from"), (*path, "from"), -FOREVER)
    end = _read_time(fields.get("until"), (*path, "until"), FOREVER)
    if start >= end:
        raise Refused((*path, "until"), "out_of_order", "until must be later than from")
    return SubscriptionRow(
        expect_text(fields["id"], (*path, "id")),
        expect_text(fields["host"], (*path, "host")),
        Filter.parse(fields["filter"], topics[name], (*path, "filter")),
        (start, end),
    )


def _read_time(value: object, path: Path, default: int) -> int:
    if value is None:
        return default
    try:
        return micros(parse_time(expect_text(value, path)))
    except ValueError as error:
        raise Refused(path, "no_time", str(error), value) from None
