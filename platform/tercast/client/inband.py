"""Requests to the platform over the data network: control messages and answers.

docs/signalling.md describes the protocol.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable

from tercast.client.host_key import HostKey
from tercast.client.transports import Transport
from tercast.eventspace.address_plan import SIGNALLING
from tercast.eventspace.dz import DzSet
from tercast.signalling import codec
from tercast.signalling.codec import ReceivedAnswer
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    AddressBody,
    CellsBody,
    ControlBody,
    ControlMessage,
    ControlReply,
    FilterText,
    MessageType,
    NamedBody,
    ReplyStatus,
    TopicRef,
)
from tercast.signalling.seal import REPLAYED, Seal, last_counter
from tercast.wire.errors import NoAnswer, NotTaken
from tercast.wire.packets import pack_ip

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds until a message is sent again: first wait, twice as long each time, and limit."""

PATIENCE = 30.0
"""Default seconds to wait for an answer."""

MOST_SKIPS = 5
"""Maximum number of times that one message skips counters that the platform refuses as used."""


class Signaller:
    """Client of one host for control messages; `transport` uses the signalling port.

    With a key, every message is sealed, and only answers with a seal of this key are accepted. Not
    thread-safe.
    """

    def __init__(self, transport: Transport, ip: str, key: HostKey | None = None) -> None:
        self._transport = transport
        self._ip = ip
        self._target = SIGNALLING["ipv6" if ":" in ip else "ipv4"]
        self._key = key

    def advertise(self, topic: TopicRef, what: str | DzSet, patience: float = PATIENCE) -> ControlReply:
        """Advertise a filter (text) or a dz set; return after the switches have confirmed it.

        The answer has the name of the advertisement, which events contain, and the topic's code.

        Raises:
            NotTaken: The platform refused the advertisement, or it failed.
            NoAnswer: No answer arrived within `patience` seconds.
        """
        return self.exchange(MessageType.ADVERTISE, _body(topic, what), patience)

    def subscribe(self, topic: TopicRef, what: str | DzSet, patience: float = PATIENCE) -> ControlReply:
        """Subscribe to a filter (text) or a dz set; otherwise as `advertise`."""
        return self.exchange(MessageType.SUBSCRIBE, _body(topic, what), patience)

    def withdraw(self, name: str, patience: float = PATIENCE) -> ControlReply:
        """Withdraw an advertisement (`a12`) or a subscription (`q3`) of this host."""
        kind = MessageType.UNADVERTISE if name.startswith("a") else MessageType.UNSUBSCRIBE
        return self.exchange(kind, NamedBody(name), patience)

    def announce_address(self, patience: float = PATIENCE) -> ControlReply:
        """Announce this host's address; the answer has its name."""
        return self.exchange(MessageType.ADDRESS, AddressBody(pack_ip(self._ip)), patience)

    def exchange(
        self, type_: MessageType, body: ControlBody, patience: float = PATIENCE, confirm: bool = True
    ) -> ControlReply:
        """Send a message until its answer arrives: the final one if `confirm`, otherwise the first.

        Raises:
            ValueError: The body does not fit in a message.
            NotTaken: The platform refused the request, or it failed.
            NoAnswer: No answer arrived within `patience` seconds.
        """
        message = ControlMessage(type_, secrets.randbits(64), body, confirm)
        return _Exchange(message, self._send, self._transport.receive, self._key).run(patience)

    def _send(self, data: bytes) -> None:
        self._transport.send(self._target, data)


def _body(topic: TopicRef, what: str | DzSet) -> ControlBody:
    return FilterText(topic, what) if isinstance(what, str) else CellsBody(topic, what)


class _Exchange:
    """Exchange of one message: it is sent again with growing waits, each time with a new seal."""

    def __init__(
        self,
        message: ControlMessage,
        send: Callable[[bytes], None],
        receive: Callable[[float | None], bytes | None],
        key: HostKey | None,
    ) -> None:
        self._message, self._send, self._receive, self._key = message, send, receive, key
        self._seals: dict[int, Seal] = {}
        self._accepted = False
        self._doubtful = ""
        self._skips = 0

    def run(self, patience: float) -> ControlReply:
        """Send until the answer arrives; return it."""
        deadline = time.monotonic() + patience
        wait = FIRST_WAIT
        while time.monotonic() < deadline:
            self._send_once()
            answer = self._await(min(deadline, time.monotonic() + wait))
            if answer is not None:
                if self._skip(answer):
                    continue
                if answer.status in (ReplyStatus.REFUSED, ReplyStatus.FAILED):
                    raise NotTaken(answer.reason, answer.detail)
                return answer
            wait = min(2 * wait, LONGEST_WAIT)
        raise NoAnswer(self._silence(patience))

    def _skip(self, answer: ControlReply) -> bool:
        """Whether to send again immediately, above the counters that the platform refuses as used.

        The platform's counters are ahead of the host's clock after a restore of the platform, or if another
        process of the host was faster.
        """
        last = last_counter(answer.detail) if answer.reason == REPLAYED else None
        if self._key is None or last is None or self._skips == MOST_SKIPS:
            return False
        self._skips += 1
        self._key.skip(last)
        return True

    def _send_once(self) -> None:
        seal = self._key.seal() if self._key else None
        if seal is not None:
            self._seals[seal.counter] = seal
        self._send(codec.encode_message(self._message, seal))

    def _await(self, until: float) -> ControlReply | None:
        while (left := until - time.monotonic()) > 0:
            data = self._receive(left)
            answer = self._own(data) if data is not None else None
            if answer is None or answer.status is ReplyStatus.BUSY:
                continue
            if answer.status is ReplyStatus.ACCEPTED and self._message.confirm:
                self._accepted = True
                continue
            return answer
        return None

    def _own(self, data: bytes) -> ControlReply | None:
        """The answer in `data`; None if it belongs to another message or is malformed."""
        try:
            received = codec.decode_answer(data)
        except MalformedMessage:
            return None
        if received.answer.request_id != self._message.request_id:
            return None
        if not self._is_good(received):
            self._doubtful = received.answer.detail or received.answer.status.name.lower()
            return None
        return received.answer

    def _is_good(self, received: ReceivedAnswer) -> bool:
        if self._key is None:
            return True
        sealed = received.sealed
        return sealed is not None and sealed.counter in self._seals and sealed.fits(self._key.key)

    def _silence(self, patience: float) -> str:
        if self._accepted:
            return f"accepted, but the switches have not confirmed it within {patience:g} s; try again"
        if self._doubtful:
            return (
                f"the answers have no seal that matches this key, so they are ignored ({self._doubtful}); "
                "check the key"
            )
        return (
            f"no answer within {patience:g} s; check that this port belongs to a Tercast switch "
            "and that controller and worker are running"
        )
