"""The subscribing side of a host: receive, check exactly, deliver once, count the rest."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from tercast.client.doubles import SeenEvents
from tercast.client.errors import UnknownSchema, WireError
from tercast.client.sequence import now_us
from tercast.client.transports import Transport
from tercast.client.wire import Event, EventCodec, decode
from tercast.errors import Refused, shown
from tercast.eventspace import Topic
from tercast.filters import Filter

if TYPE_CHECKING:
    from tercast.client.telemetry import HostTelemetry


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event as it reached the host, at `received_at` microseconds since 1970.

    `subscriptions` are those that match, in the order of subscribing. `doubled`: the event was here before.
    """

    event: Event
    received_at: int
    subscriptions: tuple[str, ...]
    doubled: bool

    @property
    def wanted(self) -> bool:
        """Whether some subscription matches the event exactly."""
        return bool(self.subscriptions)

    @property
    def delay(self) -> float:
        """Seconds between sending and receiving, by the two hosts' clocks."""
        return (self.received_at - self.event.sent_at) / 1e6


@dataclass(slots=True)
class Counters:
    """What became of the payloads received, each of which is in exactly one of the others but `delivered`."""

    received: int = 0
    malformed: int = 0
    """No event of the wire format."""
    unknown: int = 0
    """An event of a topic, or of an attribute list, that this subscriber does not know."""
    doubled: int = 0
    """A further copy of an event, wanted or not."""
    unwanted: int = 0
    """The first copy of an event that no subscription matches."""
    wanted: int = 0
    """The first copy of an event that some subscription matches."""

    @property
    def delivered(self) -> int:
        """Events that the network brought: wanted and unwanted."""
        return self.wanted + self.unwanted

    def to_json(self) -> dict[str, int]:
        """The counters by name."""
        return {**asdict(self), "delivered": self.delivered}


class Subscriber:
    """Receives the events of some topics for some subscriptions.

    `subscriptions` gives each id its filter: as text where there is one topic, else as a parsed `Filter`,
    which knows its topic. Each topic is known under its code and under its other one (the code with the last
    bit turned), so that a change of encoding needs no word to subscribers. `telemetry` is told of each event
    that arrives and can be read. One thread receives at a time;
    subscribing and withdrawing may happen in others.
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
    ) -> None:
        self._transport, self._clock, self._telemetry = transport, clock, telemetry
        self._seen = seen if seen is not None else SeenEvents()
        self._topics: dict[str, Topic] = {}
        self._codecs: dict[tuple[int, int], EventCodec] = {}
        self._changing = threading.Lock()
        self._filters: dict[str, Filter] = {}
        self._by_topic: dict[str, tuple[tuple[str, Filter], ...]] = {}
        self.counters = Counters()
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

    def take(self, payload: bytes) -> Delivery | None:
        """Count and judge one payload that came some other way; None when it is no event of these topics."""
        arrived = self._clock()
        counters = self.counters
        counters.received += 1
        try:
            event = decode(payload, self._find)
        except UnknownSchema as error:
            counters.unknown += 1
            self.last_malformed = error
            return None
        except WireError as error:
            counters.malformed += 1
            self.last_malformed = error
            return None
        return self._judge(event, arrived)

    def _next(self, timeout: float | None, good: Callable[[Delivery], bool]) -> Delivery | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            payload = self._transport.receive(left)
            if payload is None:
                return None
            delivery = self.take(payload)
            if delivery is not None and good(delivery):
                return delivery
            if timeout and left == 0:
                return None  # however many others still wait

    def _judge(self, event: Event, arrived: int) -> Delivery:
        candidates = self._by_topic.get(event.topic, ())
        matching = tuple([name for name, wanted in candidates if wanted.matches(event.values)])
        doubled = self._seen.seen((event.topic, event.publisher), event.seq)
        if doubled:
            self.counters.doubled += 1
        elif matching:
            self.counters.wanted += 1
        else:
            self.counters.unwanted += 1
        delivery = Delivery(event, arrived, matching, doubled)
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
