"""Transports of events to and from a host: a fabric port, or a UDP socket of the system."""

from __future__ import annotations

import contextlib
import errno
import select
import socket
import struct
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from tercast.runtime.wording import quantity
from tercast.wire import packets
from tercast.wire.errors import TransportClosed, TransportError
from tercast.wire.framing import FrameStream, wait_ready
from tercast.wire.packets import EVENT_PORT, HOP_LIMIT, Ignored

_RECEIVE_BUFFER = 4 << 20
_LARGEST_DATAGRAM = 0xFFFF
_NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL}


class Transport(Protocol):
    """Network interface that a publisher and a subscriber use."""

    def send(self, dst_ip: str, payload: bytes) -> None:
        """Send one datagram to `dst_ip`; TransportError if it cannot be sent."""

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next payload for this host; None after `timeout` seconds (None: no limit)."""

    def fileno(self) -> int:
        """The descriptor that becomes readable when data arrives."""

    def close(self) -> None:
        """Close the connection; a later call raises TransportClosed."""


@runtime_checkable
class SourcedTransport(Transport, Protocol):
    """A transport that reports the source address of datagrams; source protection needs it."""

    def receive_from(self, timeout: float | None = None) -> tuple[bytes, bytes] | None:
        """Return the next payload and the packed IP address of its sender; otherwise as `receive`."""


class _Closing:
    """Base class of transports that a `with` block closes."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        raise NotImplementedError


class FabricPort(_Closing):
    """A host at a fabric port: Ethernet frames over the port's Unix socket, without root.

    `ignored` counts the frames without a payload for this host, by reason. There is no neighbour discovery:
    the port sends to multicast addresses only, which events and control messages use.
    """

    def __init__(self, path: str | Path | FrameStream, ip: str, mac: str, port: int = EVENT_PORT) -> None:
        try:
            self._ip, self._mac = packets.pack_ip(ip), packets.pack_mac(mac)
        except ValueError as error:
            raise TransportError(str(error)) from None
        self._port = port
        self.ignored: Counter[Ignored] = Counter()
        self._stream = path if isinstance(path, FrameStream) else FrameStream.connect(path)

    def send(self, dst_ip: str, payload: bytes) -> None:
        """Send one datagram to the multicast address `dst_ip`; block while the switch is slow."""
        try:
            target = packets.pack_ip(dst_ip)
            mac = packets.group_mac(target)
        except ValueError as error:
            raise TransportError(f"cannot send to {dst_ip!r} from a fabric port: {error}") from None
        if len(target) != len(self._ip):
            raise TransportError(f"cannot send to {dst_ip}: this host's address is of the other IP family")
        ports = (self._port, self._port)
        self._stream.send(packets.udp_frame((self._mac, mac), self._ip, target, payload, ports))

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next payload for this host's address and port; None after `timeout` seconds."""
        found = self.receive_from(timeout)
        return None if found is None else found[0]

    def receive_from(self, timeout: float | None = None) -> tuple[bytes, bytes] | None:
        """Return the next payload and the packed IP address of its sender; otherwise as `receive`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            frame = self._stream.receive(left)
            if frame is None:
                return None
            found = packets.event_payload(frame, self._ip, self._port)
            if not isinstance(found, Ignored):
                return found, packets.source_address(frame)
            self.ignored[found] += 1
            if timeout and left == 0:
                return None  # even if more frames are waiting

    def fileno(self) -> int:
        """The descriptor to wait on; first call `receive(0)` until it returns None."""
        return self._stream.fileno()

    def close(self) -> None:
        """Disconnect from the port."""
        self._stream.close()


class UdpSocket(_Closing):
    """A host's UDP socket, IPv6 or IPv4, bound to its address.

    It receives datagrams to `ip` and `port`: the last switch rewrites the destination of an event to this
    unicast address. It sends to `port` of any address. `interface` names the interface for multicast. IPv6
    needs it if the routing table has no route. If `listen` is false, the source port is a free one, so that
    publishers and the subscriber of a host do not conflict.
    """

    def __init__(
        self, ip: str, interface: str | None = None, port: int = EVENT_PORT, *, listen: bool = True
    ) -> None:
        self._port, self._closed = port, False
        try:
            self._version = 6 if len(packets.pack_ip(ip)) == 16 else 4
        except ValueError as error:
            raise TransportError(str(error)) from None
        self._socket = socket.socket(
            socket.AF_INET6 if self._version == 6 else socket.AF_INET, socket.SOCK_DGRAM
        )
        try:
            self._set_up(ip, socket.if_nametoindex(interface) if interface else 0, port if listen else 0)
        except (OSError, OverflowError) as error:
            self._socket.close()
            where = f"{ip}%{interface}" if interface else ip
            raise TransportError(f"cannot open UDP port {port} at {where}: {_reason(error)}") from None
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)

    def send(self, dst_ip: str, payload: bytes) -> None:
        """Send one datagram to `dst_ip`, a unicast or multicast address."""
        try:
            self._socket.sendto(payload, (dst_ip, self._port))
        except (OSError, ValueError) as error:
            raise self._failure(f"cannot send {quantity(len(payload), 'byte')} to {dst_ip}", error) from None

    def receive(self, timeout: float | None = None) -> bytes | None:
        """Return the next datagram's payload; None after `timeout` seconds."""
        found = self.receive_from(timeout)
        return None if found is None else found[0]

    def receive_from(self, timeout: float | None = None) -> tuple[bytes, bytes] | None:
        """Return the next payload and the packed IP address of its sender; otherwise as `receive`."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if not wait_ready(self._readable, deadline):
                return None
            try:
                payload, source = self._socket.recvfrom(_LARGEST_DATAGRAM, socket.MSG_DONTWAIT)
            except (BlockingIOError, InterruptedError):
                continue  # a datagram with a wrong checksum is detected only when it is read
            except OSError as error:
                raise self._failure("cannot receive", error) from None
            if self._closed:
                raise TransportClosed("the socket is closed")
            return payload, packets.pack_ip(source[0].partition("%")[0])

    def fileno(self) -> int:
        """The descriptor to wait on."""
        return self._socket.fileno()

    def address(self) -> tuple[str, int]:
        """The address and port to which the socket is bound."""
        bound = self._socket.getsockname()
        return str(bound[0]), int(bound[1])

    def close(self) -> None:
        """Close the socket; a thread that waits in `receive` gets TransportClosed."""
        self._closed = True
        with contextlib.suppress(OSError):  # fails with "not connected", but wakes waiting threads
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _set_up(self, ip: str, index: int, port: int) -> None:
        own = self._socket
        own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        if self._version == 6:
            own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, HOP_LIMIT)
            if index:
                own.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            link_local = packets.pack_ip(ip)[:2] == b"\xfe\x80"
            own.bind((ip, port, 0, index if link_local else 0))
        else:
            own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, HOP_LIMIT)
            way_out = struct.pack("=4s4si", bytes(4), packets.pack_ip(ip), index)
            own.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, way_out)
            own.bind((ip, port))

    def _failure(self, what: str, error: Exception) -> TransportError:
        if self._closed:
            return TransportClosed("the socket is closed")
        hint = "" if self._version == 4 else "; name the interface for multicast, as in IP%IFACE"
        unreachable = isinstance(error, OSError) and error.errno in _NO_WAY
        return TransportError(f"{what}: {_reason(error)}{hint if unreachable else ''}")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
