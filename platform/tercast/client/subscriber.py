"""Subscriber of a host: receive events, match them exactly, deliver once, count the rest."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from tercast.client.arrivals import Arrived, Counters, Delivery, receiver
from tercast.client.duplicates import SeenEvents
from tercast.client.event_origins import EventOrigins, RejectedEvent, RejectionReason
from tercast.client.origin_check import RECHECK_S, OriginCheck
from tercast.client.sequence import now_us
from tercast.client.transports import Transport
from tercast.errors import Refused
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.runtime.wording import unknown_name
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_codec import EventCodec, codec_of, read_event, read_head
from tercast.wire.packets import ip_text

if TYPE_CHECKING:
    from tercast.client.telemetry import HostTelemetry

__all__ = ["Counters", "Delivery", "Subscriber"]


class Subscriber:
    """Receiver of the events of some topics for some subscriptions.

    `subscriptions` has a filter for each id. A filter is text if there is one topic, else a parsed `Filter`,
    which has its topic. Each topic is known under its code and under its other code (with the last bit
    inverted), so that a change of encoding needs no message to subscribers. `telemetry` records each event
    that arrives and can be read. One thread receives at a time. Other threads may subscribe and withdraw.

    With `origins`, only events from the host of their advertisement are accepted. Others are counted and
    passed to `on_rejected`. An event of an unknown advertisement waits until `origins` has asked for it;
    `receive` then returns it. Without `origins`, events with the same publisher and number from different
    addresses are different events, so that no host can suppress the events of another.
    """

    def __init__(
        self,
        subscriptions: Mapping[str, str | Filter],
        topics: Topic | Iterable[Topic],
        transport: Transport,
        *,
        seen: SeenEvents | None = None,
        telemetry: HostTelemetry | None = None,
        clock: Callable[[], int] = now_us,
        origins: EventOrigins | None = None,
        on_rejected: Callable[[RejectedEvent], None] | None = None,
    ) -> None:
        self._transport, self._clock, self._telemetry = transport, clock, telemetry
        self._receive = receiver(transport, origins is not None)
        self.counters = Counters()
        self._admission = OriginCheck(origins, self.counters, self._reject)
        self._origins, self._on_rejected = origins, on_rejected
        self.rejections: Counter[tuple[str, RejectionReason]] = Counter()
        self._seen = seen if seen is not None else SeenEvents()
        self._topics: dict[str, Topic] = {}
        self._codecs: dict[tuple[int, int], EventCodec] = {}
        self._changing = threading.Lock()
        self._filters: dict[str, Filter] = {}
        self._by_topic: dict[str, tuple[tuple[str, Filter], ...]] = {}
        self.last_malformed: WireError | None = None
        for topic in (topics,) if isinstance(topics, Topic) else topics:
            self.know(topic)
        for name, wanted in subscriptions.items():
            self.subscribe(name, wanted)

    @property
    def subscriptions(self) -> dict[str, Filter]:
        """The current filters by id."""
        return dict(self._filters)

    def know(self, topic: Topic) -> None:
        """Accept events of a new topic, or of a known one with another code or list of attributes.

        Events of the topic's old list of attributes count as unknown from then on.

        Raises:
            Refused: A filter of the topic does not fit the new attributes. Nothing is changed.
        """
        codec = EventCodec(topic)
        with self._changing:
            renewed = {
                name: Filter.parse(str(old), topic)
                for name, old in self._filters.items()
                if old.topic.name == topic.name
            }
            kept = {key: old for key, old in self._codecs.items() if self._same_events(old, codec)}
            self._topics = {**self._topics, topic.name: topic}
            self._codecs = kept | {(code, codec.fingerprint): codec for code in (topic.code, topic.code ^ 1)}
            self._filters = {**self._filters, **renewed}
            self._index()

    def subscribe(self, name: str, wanted: str | Filter, topic: str | None = None) -> None:
        """Add a subscription with the id `name`; an existing id gets the new filter.

        `topic` names the topic of a filter in text; it may be omitted if there is only one topic.

        Raises:
            Refused: The filter is invalid, or the topic is unknown.
        """
        parsed = wanted if isinstance(wanted, Filter) else Filter.parse(wanted, self._topic(topic))
        if parsed.topic.name not in self._topics:
            raise self._unknown_topic(parsed.topic.name)
        with self._changing:
            self._filters = {**self._filters, name: parsed}
            self._index()

    def unsubscribe(self, name: str) -> None:
        """Remove the subscription `name`; Refused if there is none."""
        with self._changing:
            if name not in self._filters:
                raise Refused(
                    ("subscriptions", name),
                    "unknown_subscription",
                    unknown_name("subscription", name, self._filters),
                    name,
                )
            self._filters = {key: kept for key, kept in self._filters.items() if key != name}
            self._index()

    def receive(self, timeout: float | None = None) -> Delivery | None:
        """Return the next event that a subscription matches, once per event.

        Duplicates are skipped. None after `timeout` seconds (None: wait without limit, 0: do not wait).
        """
        return self._next(timeout, lambda delivery: delivery.wanted and not delivery.doubled)

    def receive_any(self, timeout: float | None = None) -> Delivery | None:
        """Return the next readable event, also false positives and duplicates, with flags."""
        return self._next(timeout, lambda delivery: True)

    def take(self, payload: bytes, source: bytes | None = None) -> Delivery | None:
        """Count and check a payload that was received by other means.

        Args:
            payload: The datagram's content.
            source: The packed IP address of the sender; required if the subscriber has `origins`.

        Returns:
            The delivery. None if the payload is not an event of these topics, if it is rejected, and if it
            must wait for the platform's answer; `receive_any` returns it then.
        """
        self.counters.received += 1
        try:
            head = read_head(payload)
            arrived = Arrived(payload, source, self._clock(), head, codec_of(head, self._find))
            good = self._admission.admits(arrived) and not self._is_replayed(arrived)
            return self._judge(arrived) if good else None
        except WireError as error:
            self._unreadable(error)
            return None

    def _released(self) -> Delivery | None:
        """Check the held events with an answer, up to the first one that can be read."""
        while (arrived := self._admission.released()) is not None:
            try:
                if not self._is_replayed(arrived):
                    return self._judge(arrived)
            except WireError as error:
                self._unreadable(error)
        return None

    def _is_replayed(self, arrived: Arrived) -> bool:
        """Whether a sealed event is too old to be distinguished from a copy; if so, reject it."""
        if self._origins is None or arrived.head.key_number is None:
            return False
        key = (arrived.codec.topic.name, arrived.head.publisher, arrived.source)
        replayed = self._seen.is_forgotten(key, arrived.head.seq)
        if replayed:
            self._admission.reject(arrived, RejectionReason.REPLAYED)
        return replayed

    def _unreadable(self, error: WireError) -> None:
        if isinstance(error, UnknownSchema):
            self.counters.unknown += 1
        else:
            self.counters.malformed += 1
        self.last_malformed = error

    def _reject(self, arrived: Arrived, reason: RejectionReason) -> None:
        topic = arrived.codec.topic.name
        self.rejections[topic, reason] += 1
        if self._telemetry is not None:
            self._telemetry.rejected(topic, reason)
        if self._on_rejected is not None:
            source = "" if arrived.source is None else ip_text(arrived.source)
            self._on_rejected(RejectedEvent(topic, arrived.head.publisher, source, reason))

    def _next(self, timeout: float | None, good: Callable[[Delivery], bool]) -> Delivery | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            while (delivery := self._released()) is not None:
                if good(delivery):
                    return delivery
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            found = self._receive(self._patience(left))
            if found is None:
                if self._admission.waiting and left != 0:
                    continue
                return None
            delivery = self.take(*found)
            if delivery is not None and good(delivery):
                return delivery
            if timeout and left == 0:
                return None  # even if more payloads are waiting

    def _patience(self, left: float | None) -> float | None:
        """Seconds to wait for the next datagram: few while events wait for an answer."""
        if not self._admission.waiting:
            return left
        return RECHECK_S if left is None else min(left, RECHECK_S)

    def _judge(self, arrived: Arrived) -> Delivery:
        event = read_event(arrived.payload, arrived.head, arrived.codec)
        candidates = self._by_topic.get(event.topic, ())
        matching = tuple([name for name, wanted in candidates if wanted.matches(event.values)])
        doubled = self._seen.seen((event.topic, event.publisher, arrived.source), event.seq)
        if doubled:
            self.counters.doubled += 1
        elif matching:
            self.counters.wanted += 1
        else:
            self.counters.unwanted += 1
        delivery = Delivery(event, arrived.at, matching, doubled)
        if self._telemetry is not None:
            self._telemetry.delivered(delivery)
        return delivery

    def _find(self, code: int, schema: int) -> EventCodec | None:
        return self._codecs.get((code, schema))

    @staticmethod
    def _same_events(old: EventCodec, new: EventCodec) -> bool:
        return old.topic.name != new.topic.name or old.fingerprint == new.fingerprint

    def _index(self) -> None:
        by_topic: dict[str, tuple[tuple[str, Filter], ...]] = {}
        for name, wanted in self._filters.items():
            by_topic[wanted.topic.name] = (*by_topic.get(wanted.topic.name, ()), (name, wanted))
        self._by_topic = by_topic

    def _topic(self, name: str | None) -> Topic:
        if name is None and len(self._topics) == 1:
            return next(iter(self._topics.values()))
        if name is None:
            detail = "the filter's topic is missing; name one of the known topics"
            raise Refused(("topic",), "missing_topic", detail)
        if name not in self._topics:
            raise self._unknown_topic(name)
        return self._topics[name]

    def _unknown_topic(self, name: str) -> Refused:
        return Refused(("topic",), "unknown_topic", unknown_name("topic", name, self._topics), name)
