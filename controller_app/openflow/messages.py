"""Requests of OpenFlow 1.3 as bytes: pure functions, without sockets or framework.

The framework's objects are not used: they are too slow to send thousands of entries per second, and bytes can
be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from struct import Struct, pack
from typing import NamedTuple

from controller_app.openflow.flow_entry import TABLE
from controller_app.openflow.instructions import CONTROLLER, output_action
from controller_app.openflow.oxm import match_of

VERSION = 0x04
ANY = 0xFFFFFFFF
NO_BUFFER = 0xFFFFFFFF
ALL_TABLES = 0xFF


class RequestType(IntEnum):
    """Message types that the controller sends."""

    ECHO_REQUEST = 2
    EXPERIMENTER = 4
    FEATURES_REQUEST = 5
    PACKET_OUT = 13
    FLOW_MOD = 14
    MULTIPART_REQUEST = 18
    BARRIER_REQUEST = 20
    METER_MOD = 29


class Stats(IntEnum):
    """Types of multipart requests."""

    DESC = 0
    FLOW = 1
    AGGREGATE = 2
    PORT = 4
    GROUP_FEATURES = 8
    METER_CONFIG = 10
    METER_FEATURES = 11
    TABLE_FEATURES = 12
    PORT_DESC = 13


class OpenFlowMessage(NamedTuple):
    """A request without its transaction id."""

    type: RequestType
    body: bytes = b""

    def frame(self, xid: int) -> bytes:
        """Return the message as sent to the switch."""
        return _HEADER.pack(VERSION, self.type, 8 + len(self.body), xid) + self.body


_HEADER = Struct("!BBHI")
_FLOW_STATS = Struct("!BxxxIIxxxxQQ")
_PACKET_OUT = Struct("!IIHxxxxxx")


def barrier() -> OpenFlowMessage:
    """Return a request whose reply confirms that the switch has processed all earlier messages."""
    return OpenFlowMessage(RequestType.BARRIER_REQUEST)


def echo() -> OpenFlowMessage:
    """Return a request for an echo, which shows that the switch still answers."""
    return OpenFlowMessage(RequestType.ECHO_REQUEST)


def features() -> OpenFlowMessage:
    """Return a request for datapath id, number of tables and capabilities."""
    return OpenFlowMessage(RequestType.FEATURES_REQUEST)


def packet_out(ports: Iterable[int], frame: bytes) -> OpenFlowMessage:
    """Return the message that sends `frame` out of every port of `ports`."""
    actions = b"".join(map(output_action, ports))
    return OpenFlowMessage(
        RequestType.PACKET_OUT, _PACKET_OUT.pack(NO_BUFFER, CONTROLLER, len(actions)) + actions + frame
    )


def multipart(kind: Stats, body: bytes = b"") -> OpenFlowMessage:
    """Return a multipart request with a single part."""
    return OpenFlowMessage(RequestType.MULTIPART_REQUEST, pack("!HHxxxx", kind, 0) + body)


def flow_stats(cookie: int, mask: int, match_: bytes | None = None, table: int = TABLE) -> OpenFlowMessage:
    """Return a request for the entries with the cookie under `mask` and a match within `match_`."""
    return multipart(Stats.FLOW, _flow_filter(cookie, mask, match_, table))


def aggregate(cookie: int, mask: int, table: int = ALL_TABLES) -> OpenFlowMessage:
    """Return a request for the number of entries with the cookie under `mask`."""
    return multipart(Stats.AGGREGATE, _flow_filter(cookie, mask, None, table))


def _flow_filter(cookie: int, mask: int, match_: bytes | None, table: int) -> bytes:
    return _FLOW_STATS.pack(table, ANY, ANY, cookie, mask) + (match_ or match_of(b""))


def port_stats() -> OpenFlowMessage:
    """Return a request for the counters of every port."""
    return multipart(Stats.PORT, pack("!Ixxxx", ANY))


def pack_meter(number: int) -> bytes:
    """Return the body of a request for one meter, or for all."""
    return pack("!Ixxxx", number)
