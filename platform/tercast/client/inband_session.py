"""In-band mode of the commands: announce and withdraw without the REST API."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from tercast.client.host_key import HostKey
from tercast.client.inband import Signaller
from tercast.client.inband_lease import InBandLeaseSource
from tercast.client.lease import PublisherLease
from tercast.client.metadata_sources import AnnouncedFilter, MetadataSource
from tercast.client.transports import Transport
from tercast.errors import Refused, TercastError, shown
from tercast.eventspace.topic import Topic
from tercast.signalling.messages import ControlReply, MessageType
from tercast.wire.errors import NoAnswer, NotTaken, TransportError

AT_THE_END = 10.0
"""Seconds that a withdrawal at the end may take."""

SessionOpener = Callable[[MetadataSource], tuple[Transport, str]]


@dataclass(frozen=True, slots=True)
class Registered:
    """Announced filters with the platform's names, and their topics with the platform's codes."""

    named: list[AnnouncedFilter]
    topics: dict[str, Topic]
    signaller: Signaller | None = None

    def lease(self, announced: AnnouncedFilter, source: MetadataSource) -> PublisherLease | None:
        """The lease of an advertisement's publisher: in band if it was announced in band."""
        if self.signaller is None:
            return source.lease(announced.name)
        return PublisherLease(InBandLeaseSource(self.signaller, self.topics[announced.topic]), announced.name)


@contextmanager
def registered(
    args: Namespace,
    source: MetadataSource,
    opener: SessionOpener,
    type_: MessageType,
    wanted: Sequence[AnnouncedFilter],
) -> Iterator[Registered]:
    """Announce filters while the block runs.

    `opener` opens a transport to the signalling port. Without `--in-band`, filters and topics are unchanged,
    and no request is sent. At the end of the block, all announcements are withdrawn. Failed withdrawals are
    reported on standard error.
    """
    topics = {name: source.topic(name) for name in dict.fromkeys(entry.topic for entry in wanted)}
    if not args.in_band:
        yield Registered(list(wanted), topics)
        return
    transport, ip = opener(source)
    with closing(transport):
        signaller = Signaller(transport, ip, HostKey(args.key_file) if args.key_file else None)
        names: list[str] = []
        try:
            named = []
            for entry in wanted:
                answer = _announce(signaller, type_, entry, args.patience)
                names.append(answer.name)
                topics[entry.topic] = coded(topics[entry.topic], answer)
                named.append(replace(entry, name=answer.name))
            yield Registered(named, topics, signaller)
        finally:
            _withdraw(signaller, dict.fromkeys(names))


def coded(topic: Topic, answer: ControlReply) -> Topic:
    """Return the topic with the code that the platform uses."""
    if answer.code is None or answer.code == topic.code:
        return topic
    return Topic.from_json({**topic.to_json(), "code": answer.code}, ("topic",))


def _announce(
    signaller: Signaller, type_: MessageType, entry: AnnouncedFilter, patience: float
) -> ControlReply:
    ask = signaller.advertise if type_ is MessageType.ADVERTISE else signaller.subscribe
    try:
        return ask(entry.topic, entry.filter, patience)
    except ValueError as error:
        detail = f"{shown(entry.filter)} does not fit in a message: {error}"
        raise Refused(("filter",), "too_large", detail, entry.filter) from None
    except NotTaken as error:
        raise TercastError(f"{type_.name.lower()} {entry.topic}, {shown(entry.filter)}: {error}") from None


def _withdraw(signaller: Signaller, names: dict[str, None]) -> None:
    for name in names:
        try:
            signaller.withdraw(name, AT_THE_END)
        except (NoAnswer, NotTaken, TransportError) as error:
            print(f"{name} was not withdrawn: {error}", file=sys.stderr)
        except KeyboardInterrupt:
            print(f"{', '.join(names)} were not withdrawn: interrupted", file=sys.stderr)
            return
