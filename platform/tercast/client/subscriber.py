"""The subscribing side of a host: receive, check exactly, deliver once, count the rest."""

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
from tercast.errors import Refused, shown
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.wire.errors import UnknownSchema, WireError
from tercast.wire.event_codec import EventCodec, codec_of, read_event, read_head
from tercast.wire.packets import ip_text

if TYPE_CHECKING:
    from tercast.client.telemetry import HostTelemetry

__all__ = ["Counters", "Delivery", "Subscriber"]


class Subscriber:
    """Receives the events of some topics for some subscriptions.

    `subscriptions` gives each id its filter: as text where there is one topic, else as a parsed `Filter`,
    which knows its topic. Each topic is known under its code and under its other one (the code with the last
    bit turned), so that a change of encoding needs no word to subscribers. `telemetry` is told of each event
    that arrives and can be read. One thread receives at a time;
    subscribing and withdrawing may happen in others.

    With `origins`, an event is accepted from the host of its advertisement alone; other ones are counted, and
    handed to `on_rejected`. An event of an advertisement that is not known yet waits until `origins` has
    asked for it; `receive` returns it then. Without `origins`, events of one name from different addresses
    are different events, so that nobody suppresses another host's.
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
        """The filters by id, as they are now."""
        return dict(self._filters)

    def know(self, topic: Topic) -> None:
        """Understand the events of `topic` too, or of a known one under another code or list of attributes.

        Events of its old list of attributes are unknown from then on. Refused, and nothing changed, when a
        filter of that topic does not fit the new one.
        """
        codec = EventCodec(topic)
        with self._changing:
            anew = {
                name: Filter.parse(str(old), topic)
                for name, old in self._filters.items()
                if old.topic.name == topic.name
            }
            kept = {key: old for key, old in self._codecs.items() if self._same_events(old, codec)}
            self._topics = {**self._topics, topic.name: topic}
            self._codecs = kept | {(code, codec.fingerprint): codec for code in (topic.code, topic.code ^ 1)}
            self._filters = {**self._filters, **anew}
            self._index()

    def subscribe(self, name: str, wanted: str | Filter, topic: str | None = None) -> None:
        """Want what the filter matches, under the id `name`; an id that is there gets the new filter.

        `topic` names the one that a filter in text is about; it may be left out where there is only one.
        Refused for a bad filter or an unknown topic.
        """
        parsed = wanted if isinstance(wanted, Filter) else Filter.parse(wanted, self._topic(topic))
        if parsed.topic.name not in self._topics:
            raise self._unknown_topic(parsed.topic.name)
        with self._changing:
            self._filters = {**self._filters, name: parsed}
            self._index()

    def unsubscribe(self, name: str) -> None:
        """Forget the subscription `name`; Refused when there is none."""
        with self._changing:
            if name not in self._filters:
                raise Refused(("subscriptions", name), "unknown_subscription", "there is no such one", name)
            self._filters = {key: kept for key, kept in self._filters.items() if key != name}
            self._index()

    def receive(self, timeout: float | None = None) -> Delivery | None:
        """The next wanted event, once however many subscriptions match and however many copies come.

        None when none came within `timeout` seconds (None: wait for ever, 0: take what is there).
        """
        return self._next(timeout, lambda delivery: delivery.wanted and not delivery.doubled)

    def receive_any(self, timeout: float | None = None) -> Delivery | None:
        """The next event that can be read, unwanted ones and doubles too, with their flags."""
        return self._next(timeout, lambda delivery: True)

    def take(self, payload: bytes, source: bytes | None = None) -> Delivery | None:
        """Count and judge one payload that came some other way.

        Args:
            payload: The datagram's content.
            source: The packed IP address that it came from; needed where the subscriber has `origins`.

        Returns:
            None when it is no event of these topics, when it is rejected, and when it has to wait for the
            platform's answer: `receive_any` returns it then.
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
        """Judge events that waited and have their answer, up to the first that can be read."""
        while (arrived := self._admission.released()) is not None:
            try:
                if not self._is_replayed(arrived):
                    return self._judge(arrived)
            except WireError as error:
                self._unreadable(error)
        return None

    def _is_replayed(self, arrived: Arrived) -> bool:
        """Whether a sealed event is too old to be told from a copy; it is rejected then."""
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
                return None  # however many others still wait

    def _patience(self, left: float | None) -> float | None:
        """How long to wait for the next datagram: not for long while events wait for an answer."""
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
            raise Refused(("topic",), "missing_topic", "name the topic of the filter; there are several")
        if name not in self._topics:
            raise self._unknown_topic(name)
        return self._topics[name]

    def _unknown_topic(self, name: str) -> Refused:
        known = ", ".join(self._topics) or "none"
        return Refused(("topic",), "unknown_topic", f"{shown(name)} is not known here; known: {known}", name)
