"""Requests of OpenFlow 1.3 as bytes. Pure functions over values; no sockets, no framework.

Messages are built here rather than by the framework's objects because a table of thousands of entries is to
go out in a second, and because bytes can be compared.
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
    """Kinds of multipart request."""

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
        """The message as it goes over the wire."""
        return _HEADER.pack(VERSION, self.type, 8 + len(self.body), xid) + self.body


_HEADER = Struct("!BBHI")
_FLOW_STATS = Struct("!BxxxIIxxxxQQ")
_PACKET_OUT = Struct("!IIHxxxxxx")


def barrier() -> OpenFlowMessage:
    """Asks for word that everything before it is done."""
    return OpenFlowMessage(RequestType.BARRIER_REQUEST)


def echo() -> OpenFlowMessage:
    """Asks for a sign of life."""
    return OpenFlowMessage(RequestType.ECHO_REQUEST)


def features() -> OpenFlowMessage:
    """Asks for datapath id, number of tables and capabilities."""
    return OpenFlowMessage(RequestType.FEATURES_REQUEST)


def packet_out(ports: Iterable[int], frame: bytes) -> OpenFlowMessage:
    """Sends `frame` out of every port of `ports`."""
    actions = b"".join(map(output_action, ports))
    return OpenFlowMessage(
        RequestType.PACKET_OUT, _PACKET_OUT.pack(NO_BUFFER, CONTROLLER, len(actions)) + actions + frame
    )


def multipart(kind: Stats, body: bytes = b"") -> OpenFlowMessage:
    """A multipart request in one part."""
    return OpenFlowMessage(RequestType.MULTIPART_REQUEST, pack("!HHxxxx", kind, 0) + body)


def flow_stats(cookie: int, mask: int, match_: bytes | None = None, table: int = TABLE) -> OpenFlowMessage:
    """Asks for the entries whose cookie agrees under `mask` and whose match lies within `match_`."""
    return multipart(Stats.FLOW, _flow_filter(cookie, mask, match_, table))


def aggregate(cookie: int, mask: int, table: int = ALL_TABLES) -> OpenFlowMessage:
    """Asks for the number of entries whose cookie agrees under `mask`."""
    return multipart(Stats.AGGREGATE, _flow_filter(cookie, mask, None, table))


def _flow_filter(cookie: int, mask: int, match_: bytes | None, table: int) -> bytes:
    return _FLOW_STATS.pack(table, ANY, ANY, cookie, mask) + (match_ or match_of(b""))


def port_stats() -> OpenFlowMessage:
    """Asks for the counters of every port."""
    return multipart(Stats.PORT, pack("!Ixxxx", ANY))


def pack_meter(number: int) -> bytes:
    """The body of a question about one meter, or all."""
    return pack("!Ixxxx", number)
