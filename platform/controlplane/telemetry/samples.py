"""Samples of past events: their check, their storage within limits, and their reading."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Min

from controlplane.common.chunks import chunks
from controlplane.registry.announcements import LIVE
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement
from controlplane.rest.request_body import Body
from controlplane.telemetry.models import EventSample
from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.wire.event_codec import MAX_PAYLOAD

KEPT = 50_000
"""Number of the newest samples of a topic that are kept."""

Sample = dict[str, Any]
"""Event in the form of a traffic file: `{"publisher": advertisement id, "values": {...}}`."""


def draft(body: Body) -> list[EventSample]:
    """Check the items of a request body and return their samples, not yet stored.

    Raises:
        Problem: An item is invalid. It contains all errors, each with the index of its item.
    """
    known = advertisements(item["publisher"] for item in body.items if "publisher" in item)
    checker = _Checker(known)
    rows = []
    for index, item in enumerate(body.items):
        if "publisher" in item and "values" in item:
            try:
                rows.append(checker.sample(item["publisher"], item["values"]))
            except (Refused, RefusedMany) as refused:
                body.errors.refused(index, (), refused)
    body.errors.check()
    return rows


def fitting(
    items: Sequence[Sample], known: dict[str, Advertisement]
) -> tuple[list[EventSample], Counter[str]]:
    """Return the valid samples, and the number of the others by error code.

    Args:
        items: the samples to check.
        known: live advertisements by their ids.
    """
    checker = _Checker(known)
    rows, refused = [], Counter[str]()
    for item in items:
        try:
            rows.append(checker.sample(item["publisher"], item["values"]))
        except Refused as error:
            refused[error.code] += 1
        except RefusedMany as errors:
            refused[errors.errors[0].code] += 1
    return rows, refused


@dataclass(slots=True)
class _Checker:
    """Checker of samples against their topics and the filters of their advertisements."""

    known: dict[str, Advertisement]
    topics: dict[int, Topic] = field(default_factory=dict)
    filters: dict[int, Filter] = field(default_factory=dict)

    def sample(self, publisher: str, values: Sample) -> EventSample:
        """Return the sample of an event, not yet stored.

        Raises:
            Refused: The advertisement is unknown, the event does not match it, or a value is invalid.
            RefusedMany: Several values are invalid.
        """
        row = self.known.get(publisher)
        if row is None:
            detail = (
                f"There is no active advertisement {shown(publisher)}. Send the id of one, for example a7."
            )
            raise Refused(("publisher",), "unknown_publisher", detail, publisher)
        topic, wanted = self._terms(row)
        checked = checked_event(topic, values)
        if not wanted.matches(checked):
            detail = (
                f"The event does not match the filter of advertisement {publisher}: {row.filter or 'true'}."
            )
            raise Refused(("values",), "outside_advertisement", detail, values)
        return EventSample(topic=row.topic, advertisement=row, values=topic.values_json(checked))

    def _terms(self, row: Advertisement) -> tuple[Topic, Filter]:
        if row.topic_id not in self.topics:
            self.topics[row.topic_id] = core_topic(row.topic)
        topic = self.topics[row.topic_id]
        if row.pk not in self.filters:
            self.filters[row.pk] = Filter.parse(row.filter, topic)
        return topic, self.filters[row.pk]


def checked_event(topic: Topic, values: Any) -> dict[str, Any]:
    """Return the values of an event in their normal form.

    Raises:
        Refused: A value is invalid, or the texts are too long for an event.
        RefusedMany: Several values are invalid.
    """
    checked = topic.check_json(values, ("values",))
    sizes = {name: len(text.encode()) for name, text in checked.items() if isinstance(text, str)}
    if sum(sizes.values()) > MAX_PAYLOAD:
        name = max(sizes, key=sizes.__getitem__)
        whole = f"The texts of the event have {sum(sizes.values())} bytes"
        detail = f"{whole}; the limit is {MAX_PAYLOAD} bytes. Shorten the longest text."
        raise Refused(("values", name), "too_large", detail, checked[name])
    return checked


def advertisements(names: Iterable[str]) -> dict[str, Advertisement]:
    """Return the live advertisements among `names`, by their ids in plans (like a7)."""
    ids = {int(name[1:]) for name in names if _is_id(name)}
    rows = Advertisement.objects.filter(LIVE).select_related("topic")
    return {row.planner_id: row for part in chunks(sorted(ids)) for row in rows.filter(pk__in=part)}


def _is_id(name: str) -> bool:
    digits = name[1:]
    return name[:1] == "a" and digits.isascii() and digits.isdecimal() and len(digits) < 19


def store_samples(rows: list[EventSample]) -> None:
    """Store samples, and delete all but the newest `KEPT` samples of their topics."""
    with transaction.atomic():
        EventSample.objects.bulk_create(rows, batch_size=2000)
        for topic in {row.topic_id for row in rows}:
            newest = EventSample.objects.filter(topic=topic).order_by("-id")
            last = newest.values_list("id", flat=True)[KEPT - 1 : KEPT].first()
            if last is not None:
                EventSample.objects.filter(topic=topic, id__lt=last).delete()


def counts() -> list[dict[str, Any]]:
    """Count the samples of each topic and advertisement, with the times of each topic."""
    rows = EventSample.objects.order_by()
    topics = {
        row["topic"]: row
        for row in rows.values("topic", "topic__name").annotate(
            n=Count("id"), oldest=Min("reported_at"), newest=Max("reported_at")
        )
    }
    publishers: dict[int, list[dict[str, Any]]] = {topic: [] for topic in topics}
    found = rows.values_list("topic", "advertisement").annotate(n=Count("id"))
    for topic, advertisement, n in found.order_by("advertisement"):
        publishers[topic].append({"publisher": f"a{advertisement}", "events": n})
    return [
        {
            "topic": row["topic__name"],
            "events": row["n"],
            "oldest": row["oldest"],
            "newest": row["newest"],
            "publishers": publishers[topic],
        }
        for topic, row in sorted(topics.items())
    ]


def newest() -> int:
    """Return the id of the newest sample; 0 if there is none."""
    return int(EventSample.objects.aggregate(newest=Max("id"))["newest"] or 0)


def edge(window: int) -> int:
    """Return the id of the newest sample before the last `window` samples; 0 if none."""
    row = EventSample.objects.order_by("-id").values_list("id", flat=True)[window : window + 1].first()
    return row or 0


def traffic(
    publishers: Iterable[str], newest: int | None = None, topics: Iterable[str] | None = None
) -> list[Sample]:
    """Return the samples of advertisements in the order of `numbered`, without their ids."""
    return [event for _, event in numbered(publishers, newest, topics=topics)]


def numbered(
    publishers: Iterable[str],
    newest: int | None = None,
    *,
    after: int = 0,
    until: int | None = None,
    topics: Iterable[str] | None = None,
) -> list[tuple[int, Sample]]:
    """Return samples with their ids, topic by topic, the oldest sample of a topic first.

    Args:
        publishers: the ids of the advertisements, for example a7.
        newest: read only this number of newest samples of each topic, before the choice by advertisement.
        after: read only samples with greater ids.
        until: read only samples with ids up to this one.
        topics: read only the topics with these names.
    """
    among = EventSample.objects.filter(id__gt=after)
    if until is not None:
        among = among.filter(id__lte=until)
    wanted = set(publishers)
    found: list[tuple[int, Sample]] = []
    sampled = EventSample.objects.order_by("topic").values_list("topic", flat=True).distinct()
    for topic in sampled if topics is None else sampled.filter(topic__name__in=list(topics)):
        rows = among.filter(topic=topic).order_by("-id").values_list("id", "advertisement", "values")
        events = [
            (number, {"publisher": f"a{pk}", "values": values})
            for number, pk, values in (rows if newest is None else rows[:newest])
            if f"a{pk}" in wanted
        ]
        found += reversed(events)
    return found
