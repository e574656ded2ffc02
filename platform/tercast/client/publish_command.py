"""The `publish` command: send events from the command line or a file."""

from __future__ import annotations

import re
import signal
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from itertools import islice, repeat
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

from tercast.client.inband_session import SessionOpener, registered
from tercast.client.metadata_sources import AnnouncedFilter, MetadataSource, parse_json
from tercast.client.publisher import Publisher
from tercast.client.sequence import Sequence
from tercast.client.telemetry import HostTelemetry, closing_telemetry
from tercast.client.transports import Transport
from tercast.errors import Refused, TercastError, shown
from tercast.eventspace.topic import Attribute, Topic
from tercast.filters.filter import Filter
from tercast.runtime.strict_json import expect_keys, expect_text, integer_of_text
from tercast.runtime.wording import quantity
from tercast.signalling.messages import MessageType
from tercast.wire.errors import LeaseLapsed

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LONGEST_SLEEP_S = 3600.0
_LAPSED_SLEEP_S = 0.2

EventValues = Mapping[str, object]


def publish(
    args: Namespace,
    source: MetadataSource,
    opener: SessionOpener,
    asker: SessionOpener,
    telemetry: Callable[[], HostTelemetry | None] = lambda: None,
) -> None:
    """Send the events at the given rate and print their number.

    A file is checked completely before the first event is sent.

    `asker` opens a transport for control messages, which the in-band mode needs.
    """
    wanted = _announced(args, source)
    Filter.parse(wanted.filter, source.topic(wanted.topic), ("advertisement",))
    transport, ip = opener(source)
    with (
        closing(_Diverted(transport, args.to) if args.to else transport) as way,
        Sequence(args.state) as numbers,
        closing_telemetry(telemetry()) as recorder,
        registered(args, source, asker, MessageType.ADVERTISE, [wanted]) as found,
        found.lease(found.named[0], source) or nullcontext() as lease,
    ):
        (announced,) = found.named
        topic, own = found.topics[announced.topic], None if args.in_band else announced.name
        parsed = Filter.parse(announced.filter, topic, ("advertisement",))
        family = "ipv6" if ":" in ip else "ipv4"
        plan, depth = source.address(family), source.depth()
        if lease is not None:
            topic = lease.begin(topic)
        publisher = Publisher(
            topic, parsed, way, plan, announced.name, depth, sequence=numbers, telemetry=recorder, lease=lease
        )
        if lease is not None:
            lease.keep(publisher)
        if args.file not in (None, "-"):
            for place, values in _events(args, topic, own):
                _placed(publisher.check, place, values)
        sent = _send(args, publisher, _events(args, topic, own))
        print(f"published {quantity(sent, 'event')} of {announced.name} from {ip}", flush=True)


def _announced(args: Namespace, source: MetadataSource) -> AnnouncedFilter:
    """The advertisement of the events; in band, its name is not known yet."""
    if args.in_band:
        if args.topic is None:
            raise Refused(("topic",), "missing_topic", "--in-band needs a topic to advertise; add --topic")
        return AnnouncedFilter("in-band", args.topic, args.filter or "")
    if args.advertisement is None:
        detail = "no advertisement is given; add --advertisement, or --in-band with --topic and --filter"
        raise Refused(("advertisement",), "missing_advertisement", detail)
    announced = source.advertisement(args.advertisement)
    if args.topic not in (None, announced.topic):
        detail = (
            f"advertisement {announced.name} has topic {shown(announced.topic)}, not {shown(args.topic)}; "
            "correct --topic, or omit it"
        )
        raise Refused(("topic",), "other_topic", detail, args.topic)
    return announced


class _Diverted:
    """Transport that sends every event to one address."""

    def __init__(self, transport: Transport, target: str) -> None:
        self._transport, self._target = transport, target
        self.receive, self.fileno, self.close = transport.receive, transport.fileno, transport.close

    def send(self, dst_ip: str, payload: bytes) -> None:
        """Send to the fixed address."""
        self._transport.send(self._target, payload)


def _send(args: Namespace, publisher: Publisher, events: Iterable[tuple[str, EventValues]]) -> int:
    sent = 0
    warnings: list[str] = []
    due = time.monotonic()
    with _Interrupts() as interrupts:
        for place, values in events:
            while (left := due - time.monotonic()) > 0:
                time.sleep(min(left, _LONGEST_SLEEP_S))
            while True:
                with interrupts.held():
                    out = _is_sent(publisher, place, values, warnings)
                    sent += out
                if out:
                    break
                time.sleep(_LAPSED_SLEEP_S)
                due = time.monotonic()
            due += 1 / args.rate
    return sent


def _is_sent(publisher: Publisher, place: str, values: EventValues, warnings: list[str]) -> bool:
    """Send an event; False if the publisher's lease has expired, which is reported once."""
    try:
        _placed(publisher.publish, place, values)
    except LeaseLapsed as lapsed:
        if not warnings:
            warnings.append(str(lapsed))
            print(f"waiting: {lapsed}", file=sys.stderr, flush=True)
        return False
    warnings.clear()
    return True


class _Interrupts:
    """Handler of Ctrl-C and SIGTERM that ends the block quietly.

    While `held`, the first interrupt waits for the end of the held part; a second one acts immediately.
    """

    def __init__(self) -> None:
        self._held = self._asked = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._interrupt)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        return kind is KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Delay the first interrupt within the block, so that every sent event is counted."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._asked:
            raise KeyboardInterrupt

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if not self._held or self._asked:
            raise KeyboardInterrupt
        self._asked = True


def _placed(call: Callable[[EventValues], object], place: str, values: EventValues) -> None:
    """Call `call(values)`; an error starts with the line in the file."""
    try:
        call(values)
    except Refused as refused:
        raise TercastError(f"{place}{refused}") from None


def _events(args: Namespace, topic: Topic, name: str | None) -> Iterator[tuple[str, EventValues]]:
    """Yield the events with their places in the file, at most `--count` of them."""
    if args.value is not None:
        values = _parse_values([item for items in args.value for item in items], topic)
        yield from repeat(("", values), min(args.count or 1, sys.maxsize))
    else:
        yield from islice(_file_events(args.file, topic, name), args.count and min(args.count, sys.maxsize))


def _file_events(path: str, topic: Topic, name: str | None) -> Iterator[tuple[str, EventValues]]:
    try:
        with sys.stdin if path == "-" else Path(path).open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    place = f"{path}:{number}: "
                    values = _parse_line(line, topic, name, place)
                    if values is not None:
                        yield place, values
    except (OSError, UnicodeDecodeError) as error:
        raise TercastError(f"cannot read {path!r}: {getattr(error, 'strerror', None) or error}") from None


def _parse_line(line: str, topic: Topic, name: str | None, place: str) -> EventValues | None:
    """The values in a line; None if they do not belong to the advertisement `name`."""
    try:
        fields = expect_keys(parse_json(line), (), ("publisher", "values"))
        if expect_text(fields["publisher"], ("publisher",)) != name and name is not None:
            return None
        return topic.check_json(fields["values"], ("values",))
    except (Refused, ValueError) as error:
        raise TercastError(f"{place}{error}") from None


def _parse_values(items: Iterable[str], topic: Topic) -> EventValues:
    """The values of `name=value` texts, parsed by the type of their attributes."""
    values: dict[str, object] = {}
    for item in items:
        name, separator, text = item.partition("=")
        if not separator:
            raise Refused(
                ("value",),
                "bad_value",
                f"{shown(item)} has no =; write the name of the attribute, = and its value, for example "
                "price=10",
                item,
            )
        if name in values:
            raise Refused(
                (name,), "duplicate", "the command line gives this attribute two values; give only one", text
            )
        position = topic.positions.get(name)
        values[name] = text if position is None else parse_value(topic.attributes[position], text)
    return topic.check(values)


def parse_value(attribute: Attribute, text: str) -> object:
    """Parse `text` as a value of `attribute`, without a check of its domain."""
    match attribute.kind:
        case "int":
            return integer_of_text(text, (attribute.name,))
        case "float":
            if not _NUMBER.fullmatch(text):
                raise attribute.wrong(text, "a number", (attribute.name,))
            return float(text)
        case "bool":
            return {"true": True, "false": False}.get(text, text)
        case _:
            return text
