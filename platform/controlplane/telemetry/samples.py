"""Samples of past events: taken from publishers, kept within bounds, and given to who plans by them."""

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
"""The newest samples of a topic, which stay."""

Sample = dict[str, Any]
"""As in a file of traffic: `{"publisher": id of an advertisement, "values": {...}}`."""


def draft(body: Body) -> list[EventSample]:
    """The samples of a body; raises `Problem` with all errors, each with the item's index."""
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
    """Samples that `known` advertisements may have sent, and how many others there are, by what is wrong."""
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
    """Says of events whether their publishers may have sent them."""

    known: dict[str, Advertisement]
    topics: dict[int, Topic] = field(default_factory=dict)
    filters: dict[int, Filter] = field(default_factory=dict)

    def sample(self, publisher: str, values: Sample) -> EventSample:
        """The event to be stored; Refused (or RefusedMany) by what is wrong with it."""
        row = self.known.get(publisher)
        if row is None:
            detail = f"There is no live advertisement {shown(publisher)}; its id is like a7."
            raise Refused(("publisher",), "unknown_publisher", detail, publisher)
        topic, wanted = self._terms(row)
        checked = checked_event(topic, values)
        if not wanted.matches(checked):
            detail = f"The event lies outside advertisement {publisher}: {row.filter or 'true'}."
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
    """The event's values in their normal form; Refused also for texts that no event has room for."""
    checked = topic.check_json(values, ("values",))
    sizes = {name: len(text.encode()) for name, text in checked.items() if isinstance(text, str)}
    if sum(sizes.values()) > MAX_PAYLOAD:
        name = max(sizes, key=sizes.__getitem__)
        whole = f"The texts of the event have {sum(sizes.values())} bytes"
        detail = f"{whole}; an event has at most {MAX_PAYLOAD}. Shorten it."
        raise Refused(("values", name), "too_large", detail, checked[name])
    return checked


def advertisements(names: Iterable[str]) -> dict[str, Advertisement]:
    """Live advertisements by the planner's ids."""
    ids = {int(name[1:]) for name in names if _is_id(name)}
    rows = Advertisement.objects.filter(LIVE).select_related("topic")
    return {row.planner_id: row for part in chunks(sorted(ids)) for row in rows.filter(pk__in=part)}


def _is_id(name: str) -> bool:
    digits = name[1:]
    return name[:1] == "a" and digits.isascii() and digits.isdecimal() and len(digits) < 19


def keep(rows: list[EventSample]) -> None:
    """Store samples; the oldest of their topics go where there are too many."""
    with transaction.atomic():
        EventSample.objects.bulk_create(rows, batch_size=2000)
        for topic in {row.topic_id for row in rows}:
            newest = EventSample.objects.filter(topic=topic).order_by("-id")
            last = newest.values_list("id", flat=True)[KEPT - 1 : KEPT].first()
            if last is not None:
                EventSample.objects.filter(topic=topic, id__lt=last).delete()


def counts() -> list[dict[str, Any]]:
    """What is kept of each topic, and by whom."""
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
    """The id of the newest sample; 0 when there is none."""
    return int(EventSample.objects.aggregate(newest=Max("id"))["newest"] or 0)


def edge(window: int) -> int:
    """The id before that of the oldest of the newest `window` samples."""
    row = EventSample.objects.order_by("-id").values_list("id", flat=True)[window : window + 1].first()
    return row or 0


def traffic(
    publishers: Iterable[str], newest: int | None = None, topics: Iterable[str] | None = None
) -> list[Sample]:
    """The kept events of these publishers, as `numbered` has them, without their ids."""
    return [event for _, event in numbered(publishers, newest, topics=topics)]


def numbered(
    publishers: Iterable[str],
    newest: int | None = None,
    *,
    after: int = 0,
    until: int | None = None,
    topics: Iterable[str] | None = None,
) -> list[tuple[int, Sample]]:
    """The kept events of these publishers (ids of advertisements) with their ids, oldest first.

    `newest` is the most of each topic; only samples with ids above `after`, and not above `until`, count.
    With `topics` only samples of the topics with these names are read.
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
