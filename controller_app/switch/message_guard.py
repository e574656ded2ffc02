"""Limits on the messages of a peer, checked by their headers before the library reads them."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error, pack
from time import monotonic
from typing import Any, Protocol

from controller_app.openflow.messages import VERSION
from controller_app.ryu_api import OF10, deadline, sleep
from controller_app.switch.datapath_proof import Certificate
from controller_app.switch.limits import MOST_PORTS

CHUNK = 1 << 16
"""Bytes that one call reads from a socket: the size of the largest message."""

SLICE = 0.005
"""Seconds after which a connection that always has data lets the other greenlets run."""

HANDSHAKE_MESSAGES = 1000
HANDSHAKE_BYTES = 1 << 18
"""Highest number of bytes in a handshake, without the description of the ports."""

PORT_BYTES = 64
HELLO_BYTES, HELLO_ELEMENTS = 1024, 16
ECHO_BYTES = 1024
ERROR_BYTES = 80
"""Bytes of an error that are read: its header, and 64 bytes of the quoted request."""

PACKET_BYTES, MATCH_BYTES = 16384, 1024

HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, EXPERIMENTER, FEATURES = 0, 1, 2, 3, 4, 6
PACKET_IN, PORT_STATUS, MULTIPART, BARRIER = 10, 12, 19, 21
READ = {
    OF10: {HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, FEATURES},
    VERSION: {
        *(HELLO, ERROR, ECHO_REQUEST, ECHO_REPLY, EXPERIMENTER, FEATURES),
        *(PACKET_IN, PORT_STATUS, MULTIPART, BARRIER),
    },
}
"""Message types that the controller reads, by version; it skips all others."""

BUNDLE_CONTROL = pack("!II", 0x4F4E4600, 2300)
"""First bytes of a reply about a bundle; no other experimenter message is read."""

_PORT_DESC = 13
_HEADER = Struct("!BBHI")
_PAIR = Struct("!HH")
_MATCH_AT, _PARTS_AT = 24, 8


class Overrun(ConnectionError):  # noqa: N818 - named by meaning
    """A peer exceeded a limit, and its connection ends; the text is the reason."""


class ReadPolicy(Protocol):
    """Decides whether multipart answers and packet-ins are read."""

    def judge(self, xid: int, kind: int, size: int, more: bool) -> bool:
        """Return whether a part of an answer is read.

        Raises:
            Overrun: The answer exceeds a limit.
        """
        ...

    def admits(self, packet_in: bytes) -> bool:
        """Return whether a packet-in is read."""
        ...


@dataclass(slots=True)
class Handshake:
    """The check during a handshake: it accepts only the description of ports."""

    most_ports: int = MOST_PORTS
    ports: int = 0

    def judge(self, xid: int, kind: int, size: int, more: bool) -> bool:
        """Count the ports that are described.

        Raises:
            Overrun: There are too many ports.
        """
        if kind != _PORT_DESC:
            return False
        self.ports += (size - 16) // PORT_BYTES
        if self.ports > self.most_ports:
            raise Overrun(f"it describes more than {self.most_ports} ports (--max-ports)")
        return True

    def admits(self, packet_in: bytes) -> bool:
        """Return False: packets are not read before the end of the handshake."""
        return False


class Guard:
    """A socket for the library, whose `recv` returns one message that is within the limits.

    It skips messages that the controller never reads, and counts them in `skipped`. A message beyond a limit
    ends the connection; `broken` is the reason.

    Args:
        channel: The socket, with or without TLS.
        seconds: Time limit for the arrival of a message, and for the sending of one.
        most_ports: Highest number of ports of a switch.
        crowd: Returns the number of connections in their handshakes.
    """

    def __init__(
        self, channel: Any, seconds: float, most_ports: int = MOST_PORTS, crowd: Callable[[], int] = lambda: 1
    ) -> None:
        self.judge: ReadPolicy = Handshake(most_ports)
        self.most_ports = most_ports
        self.broken: str | None = None
        self.skipped = 0
        self.ticket = 0
        self.certificate: Certificate | None = None
        self._channel = channel
        self._seconds = seconds
        self._crowd = crowd
        self._in_handshake = True
        self._is_closing = False
        self._messages = self._bytes = 0
        self._buffer = bytearray()
        self._begun_at: float | None = None
        self._slice_at = self._given_at = monotonic()

    def handshake_done(self, judge: ReadPolicy) -> None:
        """End the limits of the handshake; from now on, `judge` decides which messages are read."""
        self._in_handshake = False
        self.judge = judge

    def recv(self, size: int) -> bytes:
        """Return the next message within the limits, for any `size`; empty at the end.

        Raises:
            Overrun: The peer exceeded a limit.
            TimeoutError: Nothing arrived for a while.
        """
        self._pause()
        try:
            while True:
                frame = self._next_frame()
                if not frame:
                    return b""
                if (allowed := self._allowed(frame)) is not None:
                    self._given_at = monotonic()
                    return allowed
                self.skipped += 1
                if self._is_closing:
                    return b""
        except Overrun as overrun:
            self.end(str(overrun))
            raise

    def sendall(self, data: bytes) -> None:
        """Send all of `data`; a peer that does not read it in time is disconnected."""
        try:
            with deadline(self._seconds, Overrun(f"it did not read a message within {self._seconds:g} s")):
                self._channel.sendall(data)
        except Overrun as overrun:
            self.end(str(overrun))
            raise

    def end(self, reason: str) -> None:
        """End the connection because of an action of the peer; only the first reason is stored."""
        self.broken = self.broken or reason
        self.cut()

    def cut(self) -> None:
        """End the connection in both directions, which wakes its reader."""
        self.shutdown(socket.SHUT_RDWR)

    def shutdown(self, how: int) -> None:
        """Shut the socket down, as the method of a socket does; from now on no message is skipped."""
        self._is_closing = True
        try:
            self._channel.shutdown(how)
        except OSError:
            return  # the connection has already ended

    def __getattr__(self, name: str) -> Any:
        return getattr(self._channel, name)

    def _pause(self) -> None:
        """Let other greenlets run; in a handshake, for longer with more handshakes."""
        took = monotonic() - self._given_at
        if self._in_handshake and took > 0.001:
            sleep(min(took, SLICE) * self._crowd())
            self._slice_at = monotonic()

    def _next_frame(self) -> bytes:
        """Return the next message unchanged; empty at the end of the connection."""
        while len(self._buffer) < (length := self._length()):
            if not (data := self._read()):
                return b""
            self._buffer += data
        frame = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._begun_at = monotonic() if self._buffer else None
        return frame

    def _length(self) -> int:
        """Return the length of the first message in the buffer; raises Overrun for a bad header."""
        if len(self._buffer) < _HEADER.size:
            return _HEADER.size
        version, kind, length, _ = _HEADER.unpack_from(self._buffer)
        if length < _HEADER.size:
            raise Overrun("it sent a message that is not OpenFlow 1.3: it is shorter than a header")
        if kind > ERROR and version not in READ:
            raise Overrun("it sent a message that is not OpenFlow 1.3")
        if kind == HELLO and length > HELLO_BYTES:
            raise Overrun(f"its hello has {length} bytes; the limit is {HELLO_BYTES}")
        return int(length)

    def _read(self) -> bytes:
        """Read from the socket; raises Overrun if the message takes too long."""
        now = monotonic()
        if now - self._slice_at > SLICE:
            sleep(0)
            self._slice_at = now
        if self._buffer:
            self._begun_at = self._begun_at or now
            if now - self._begun_at > self._seconds:
                raise Overrun(f"it needed more than {self._seconds:g} s for one message")
        return bytes(self._channel.recv(CHUNK))

    def _allowed(self, frame: bytes) -> bytes | None:
        """Return the part of a message that is read, or None for a message that is skipped.

        Raises:
            Overrun: The message exceeds a limit.
        """
        version, kind, length, xid = _HEADER.unpack_from(frame)
        if version in READ and kind not in READ[version]:
            return None
        if kind == PACKET_IN and not (_is_fair_packet(frame) and self.judge.admits(frame)):
            return None
        if kind == EXPERIMENTER and frame[8:16] != BUNDLE_CONTROL:
            return None
        if kind == MULTIPART and not self._is_awaited(frame, length, xid):
            return None
        if self._in_handshake:
            self._count(kind, length)
        if kind == HELLO:
            _check_hello(frame)
        if kind == ECHO_REQUEST and length > ECHO_BYTES:
            raise Overrun(f"its echo request has {length} bytes; the limit is {ECHO_BYTES}")
        if kind == ERROR and length > ERROR_BYTES:
            return _HEADER.pack(version, kind, ERROR_BYTES, xid) + frame[_HEADER.size : ERROR_BYTES]
        return frame

    def _is_awaited(self, frame: bytes, length: int, xid: int) -> bool:
        try:
            kind, flags = _PAIR.unpack_from(frame, _PARTS_AT)
        except error:
            raise Overrun("it sent a message that is not OpenFlow 1.3: a part is too short") from None
        return self.judge.judge(xid, kind, length, bool(flags & 1))

    def _count(self, kind: int, length: int) -> None:
        self._messages += 1
        self._bytes += length if kind != MULTIPART else 0
        if self._messages > HANDSHAKE_MESSAGES:
            raise Overrun(f"it sent more than {HANDSHAKE_MESSAGES} messages in its handshake")
        if self._bytes > HANDSHAKE_BYTES:
            raise Overrun(f"it sent more than {HANDSHAKE_BYTES} bytes in its handshake")


def _is_fair_packet(frame: bytes) -> bool:
    """Whether a packet-in is within the size that switches need."""
    if not _MATCH_AT + _PAIR.size <= len(frame) <= PACKET_BYTES:
        return False
    _, match_length = _PAIR.unpack_from(frame, _MATCH_AT)
    return int(match_length) <= MATCH_BYTES


def _check_hello(frame: bytes) -> None:
    """Check the elements of a hello; the library would never end with an element of length 0.

    Raises:
        Overrun: There are too many elements, or a malformed one.
    """
    offset = _HEADER.size
    for _ in range(HELLO_ELEMENTS):
        if offset + _PAIR.size > len(frame):
            return
        _, length = _PAIR.unpack_from(frame, offset)
        if length < _PAIR.size or offset + length > len(frame):
            raise Overrun("it sent a message that is not OpenFlow 1.3: a malformed hello")
        offset += length
    if offset < len(frame):
        raise Overrun(f"its hello has more than {HELLO_ELEMENTS} elements")
