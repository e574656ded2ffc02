"""The `listen` command: print the events that reach a host."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager

from tercast.client.event_origins import REASON_TEXTS, EventOrigins, LearnedOrigins, RejectedEvent
from tercast.client.inband_session import SessionOpener, registered
from tercast.client.metadata_sources import AnnouncedFilter, MetadataSource
from tercast.client.subscriber import Delivery, Subscriber
from tercast.client.telemetry import HostTelemetry, closing_telemetry
from tercast.client.transports import FabricPort, Transport
from tercast.errors import Path, Refused, TercastError
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.runtime.strict_json import integer_json
from tercast.runtime.wording import quantity
from tercast.signalling.messages import MessageType
from tercast.wire.packets import Ignored

_ALWAYS = {
    "received": "received",
    "wanted": "expected",
    "unwanted": "false positives",
    "doubled": "duplicates",
    "delivered": "delivered",
}
_IF_ANY = {"malformed": "malformed", "unknown": "unknown topics", "held": "held"}
"""Words of the counters in the last line, in its order: those of all runs, and those above 0."""

_IGNORED = {
    Ignored.NOT_UDP: "not UDP",
    Ignored.OTHER_ADDRESS: "other destination address",
    Ignored.OTHER_PORT: "other port",
    Ignored.TRUNCATED: "truncated",
    Ignored.BAD_CHECKSUM: "wrong checksum",
}

_QUIET_S = 10.0
"""Minimum seconds between two lines about rejected events."""


def listen(
    args: Namespace,
    source: MetadataSource,
    opener: SessionOpener,
    asker: SessionOpener,
    telemetry: Callable[[], HostTelemetry | None] = lambda: None,
) -> None:
    """Print deliveries until the count, the time limit or an interrupt; then print the counters.

    `asker` opens a transport for control messages, which the in-band mode needs.
    """
    wanted = _wanted(args, source)
    for entry, place in zip(wanted, _places(args, wanted), strict=True):
        Filter.parse(entry.filter, source.topic(entry.topic), place)
    transport, ip = opener(source)
    with (
        closing(transport),
        closing_telemetry(telemetry()) as recorder,
        registered(args, source, asker, MessageType.SUBSCRIBE, wanted) as found,
        ExitStack() as stack,
    ):
        topics = found.topics
        filters = {entry.name: Filter.parse(entry.filter, topics[entry.topic]) for entry in found.named}
        origins = stack.enter_context(_origins(args, source, ip, topics))
        subscriber = Subscriber(
            filters,
            topics.values(),
            transport,
            telemetry=recorder,
            origins=origins,
            on_rejected=_Rejections().show,
        )
        note = _unchecked_note(args, origins, ip)
        print(
            f"listening at {ip} for {', '.join(filters)}{note}; press Ctrl-C to stop",
            file=sys.stderr,
            flush=True,
        )
        _print_until_end(args, subscriber, transport, topics)


@contextmanager
def _origins(
    args: Namespace, source: MetadataSource, ip: str, topics: Iterable[str]
) -> Iterator[EventOrigins | None]:
    """The origins for the check of events; None if events are not checked."""
    origins = None if _unchecked(args) else source.origins(topics, ip)
    try:
        yield origins
    finally:
        if isinstance(origins, LearnedOrigins):
            origins.close()


def _unchecked(args: Namespace) -> str:
    """The reason why the source addresses of events are not checked; empty if they are."""
    if args.any_source:
        return "--any-source"
    return "in band, they are known only with --api" if args.in_band and args.api is None else ""


def _unchecked_note(args: Namespace, origins: EventOrigins | None, ip: str) -> str:
    """The part of the first line that reports that source addresses are not checked, and why."""
    if origins is not None:
        return ""
    why = _unchecked(args) or f"{ip} is not a host of the scenario"
    return f", without a check of source addresses ({why})"


class _Rejections:
    """Reports of rejected events on standard error, at most one line in ten seconds."""

    def __init__(self) -> None:
        self._events, self._due = 0, float("-inf")

    def show(self, rejected: RejectedEvent) -> None:
        """Count an event, and print a line if one is due."""
        self._events += 1
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _QUIET_S
        publisher = _printable(rejected.publisher)
        print(
            f"rejected {quantity(self._events, 'event')}; the last has publisher {publisher}, topic "
            f"{rejected.topic} and source address {rejected.source} ({REASON_TEXTS[rejected.reason]})",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def _readerless() -> Iterator[None]:
    """Ignore a closed standard output within the block."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_until_end(
    args: Namespace, subscriber: Subscriber, transport: Transport, topics: dict[str, Topic]
) -> None:
    """Print the deliveries until the end or an interrupt, and then the counters."""
    show = _json_line if args.json else _line
    with _readerless():
        try:
            _print_deliveries(args, subscriber, lambda delivery: show(delivery, topics))
        except KeyboardInterrupt:
            pass  # the usual end
        finally:
            print(_counters(subscriber, transport, args.json), flush=True)


def _print_deliveries(args: Namespace, subscriber: Subscriber, show: Callable[[Delivery], str]) -> None:
    receive = subscriber.receive_any if args.all else subscriber.receive
    deadline = None if args.seconds is None else time.monotonic() + args.seconds
    shown = 0
    while args.count is None or shown < args.count:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        delivery = receive(left)
        if delivery is None:
            return
        sys.stdout.write(show(delivery) + "\n")  # in one call, so that an interrupt does not split the line
        sys.stdout.flush()
        shown += 1


def _places(args: Namespace, wanted: Sequence[AnnouncedFilter]) -> list[Path]:
    """The place of each filter, for messages."""
    if args.filter is None:
        return [("subscriptions", entry.name) for entry in wanted]
    return [("filter",)] if len(wanted) == 1 else [("filter", index) for index in range(len(wanted))]


def _wanted(args: Namespace, source: MetadataSource) -> list[AnnouncedFilter]:
    """The filters of the options, or else the host's subscriptions."""
    if args.filter is not None:
        if args.topic is None:
            raise Refused(("topic",), "missing_topic", "--filter needs a topic; add --topic")
        return [AnnouncedFilter(f"f{n}", args.topic, text) for n, text in enumerate(args.filter, 1)]
    if args.in_band:
        raise Refused(
            ("filter",), "missing_filter", "--in-band needs a subscription; add --topic and --filter"
        )
    if args.host is None:
        raise TercastError(
            "nothing to listen for; add --host (for its subscriptions), or --topic and --filter"
        )
    wanted = source.subscriptions(args.host)
    wanted = [entry for entry in wanted if args.topic in (None, entry.topic)]
    if not wanted:
        raise TercastError(f"host {args.host!r} has no subscription; subscribe first, or add --filter")
    return wanted


def _line(delivery: Delivery, topics: dict[str, Topic]) -> str:
    event = delivery.event
    values = json.dumps(topics[event.topic].values_json(event.values), ensure_ascii=False)
    flags = ("" if delivery.wanted else " false positive") + (" duplicate" if delivery.doubled else "")
    names = ", ".join(delivery.subscriptions)
    text = f"{event.topic} {event.publisher} {event.seq} {delivery.delay * 1000:.3f} ms{flags} {values}"
    return _printable(f"{text} for {names}" if names else text)


def _printable(text: str) -> str:
    """Escape the characters of `text` that could control a terminal."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _json_line(delivery: Delivery, topics: dict[str, Topic]) -> str:
    event = delivery.event
    return json.dumps(
        {
            "topic": event.topic,
            "publisher": event.publisher,
            "seq": integer_json(event.seq),
            "sent_at": integer_json(event.sent_at),
            "received_at": integer_json(delivery.received_at),
            "delay_us": integer_json(delivery.received_at - event.sent_at),
            "values": topics[event.topic].values_json(event.values),
            "subscriptions": delivery.subscriptions,
            "wanted": delivery.wanted,
            "doubled": delivery.doubled,
        }
    )


def _counters(subscriber: Subscriber, transport: Transport, as_json: bool) -> str:
    ignored = dict(transport.ignored) if isinstance(transport, FabricPort) else {}
    if not as_json:
        return _counters_text(subscriber, ignored)
    rejections = [
        {"topic": topic, "reason": reason, "events": count}
        for (topic, reason), count in sorted(subscriber.rejections.items())
    ]
    frames = {why.value: count for why, count in ignored.items()}
    return json.dumps(
        {"counters": subscriber.counters.to_json(), "ignored_frames": frames, "rejections": rejections}
    )


def _counters_text(subscriber: Subscriber, ignored: Mapping[Ignored, int]) -> str:
    counters = subscriber.counters.to_json()
    texts = [f"{word} {counters[name]}" for name, word in _ALWAYS.items()]
    texts += [f"{word} {counters[name]}" for name, word in _IF_ANY.items() if counters[name]]
    reasons = [
        f"topic {topic}, {REASON_TEXTS[reason]}: {count}"
        for (topic, reason), count in sorted(subscriber.rejections.items())
    ]
    if reasons:
        texts.append(f"rejected {counters['rejected']} ({'; '.join(reasons)})")
    text = ", ".join(texts)
    frames = ", ".join(f"{count} ({_IGNORED[why]})" for why, count in ignored.items())
    return text + (f"; ignored frames: {frames}" if frames else "")
