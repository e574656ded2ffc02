"""OpenFlow 1.3 requests as bytes. Pure functions over values; no sockets, no framework.

Messages are built here rather than by the framework's objects because a table of thousands of entries is to
go out in a second, and because bytes can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from functools import cache, lru_cache
from struct import Struct, pack
from typing import NamedTuple

from controller_app.openflow.flow_entry import (
    RANGES,
    SIGNALS,
    Action,
    FlowEntry,
    Key,
    OutputAction,
    Prefix,
    SetDestination,
)

VERSION = 0x04
TABLE = 0
ANY = 0xFFFFFFFF
NO_BUFFER = 0xFFFFFFFF
ALL_TABLES = 0xFF
IN_PORT = 0xFFFFFFF8
CONTROLLER = 0xFFFFFFFD
WHOLE_PACKET = 0xFFFF
LLDP_TYPE = 0x88CC
LLDP_MAC = bytes.fromhex("0180c200000e")
ETH_TYPE = {"ipv6": 0x86DD, "ipv4": 0x0800}

OWNER = 0x7EC0A57E << 32
OWNER_MASK = 0xFFFFFFFF << 32
WHOLE_COOKIE = (1 << 64) - 1
DELETION_MASK = OWNER_MASK | 0xFFFF
"""Owner and kind, but not all ones: Open vSwitch then finds the entry by its match. Under a mask of ones it
walks all entries of that cookie instead, which makes removing n entries take n squared steps."""

DROP_PRIORITY = 1
SPOOF_PRIORITY, SOURCE_PRIORITY = 61000, 62000
"""Of the source check: an event of an unknown source at a host port, and one of a known source."""

PUNT_PRIORITY = 64000
LLDP_PRIORITY, LLDP_PORT_PRIORITY = 65000, 65001
"""Of the punt of discovery frames at any port, and of the one at a port that goes through its meter."""


class EntryKind(IntEnum):
    """What an own entry is for; the lower bits of its cookie."""

    CONTENT = 1
    DROP = 2
    PUNT = 3
    LLDP = 4
    SOURCE = 5
    LLDP_PORT = 6

    @property
    def cookie(self) -> int:
        """The cookie of such entries."""
        return OWNER | self


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


class FlowModCommand(IntEnum):
    """Flow-mod commands."""

    ADD = 0
    DELETE = 3
    DELETE_STRICT = 4


class OxmField(IntEnum):
    """Match fields of the basic OpenFlow class."""

    IN_PORT = 0
    ETH_DST = 3
    ETH_SRC = 4
    ETH_TYPE = 5
    IPV4_SRC = 11
    IPV4_DST = 12
    IPV6_SRC = 26
    IPV6_DST = 27


class OpenFlowMessage(NamedTuple):
    """A request without its transaction id."""

    type: RequestType
    body: bytes = b""

    def frame(self, xid: int) -> bytes:
        """The message as it goes over the wire."""
        return _HEADER.pack(VERSION, self.type, 8 + len(self.body), xid) + self.body


_HEADER = Struct("!BBHI")
_FLOW_MOD = Struct("!QQBBHHHIIIHxx")
_FLOW_STATS = Struct("!BxxxIIxxxxQQ")
_OUTPUT = Struct("!HHIHxxxxxx")
_PACKET_OUT = Struct("!IIHxxxxxx")
_ACTIONS_HEADER = Struct("!HHxxxx")
_METER = Struct("!HHI")
_OXM_BASIC, _SET_FIELD, _APPLY_ACTIONS, _METERED = 0x8000, 25, 4, 6

_REGISTER = 0x0001 << 16 | 4
"""Header of Open vSwitch's register 0, which is 0 when a packet enters a switch (over a patch port too)."""

_UNMARKED = _REGISTER.to_bytes(4, "big") + bytes(4)
_MARK = pack("!HHIIxxxx", _SET_FIELD, 16, _REGISTER, 1)
_RESUBMIT = pack("!HHIHHBxxx", 0xFFFF, 16, 0x2320, 14, IN_PORT & 0xFFFF, TABLE)
"""Open vSwitch's extension action: look the packet up once more, in the same table."""


def add(entry: FlowEntry) -> OpenFlowMessage:
    """Install a content entry, or replace the one with the same match and priority in one step."""
    return OpenFlowMessage(RequestType.FLOW_MOD, add_body(entry))


def add_body(entry: FlowEntry) -> bytes:
    """What follows the header in the message that installs an entry."""
    (prefix, in_port, priority), actions = entry
    if in_port is not None:
        return _content(FlowModCommand.ADD, priority) + match(entry.key) + apply(actions)
    address, length = prefix
    front, behind = _around_address(len(address), length, priority)
    return front + address + behind + apply(actions)


@lru_cache(maxsize=4096)
def _around_address(size: int, length: int, priority: int) -> tuple[bytes, bytes]:
    """What additions for any in_port, of one prefix length and priority, have in common."""
    head, _, tail = _around(size, length, False)
    return _content(FlowModCommand.ADD, priority) + head, tail


def remove(key: Key) -> OpenFlowMessage:
    """Delete exactly the content entry of that key, and only if it is an own one."""
    return OpenFlowMessage(
        RequestType.FLOW_MOD, _content(FlowModCommand.DELETE_STRICT, key.priority) + match(key)
    )


def remove_match(
    table: int, priority: int, match_: bytes, kind: EntryKind = EntryKind.CONTENT
) -> OpenFlowMessage:
    """Delete exactly the entry of that match and kind, in any table, and only if it is an own one."""
    head = _FLOW_MOD.pack(
        kind.cookie,
        DELETION_MASK,
        table,
        FlowModCommand.DELETE_STRICT,
        0,
        0,
        priority,
        NO_BUFFER,
        ANY,
        ANY,
        0,
    )
    return OpenFlowMessage(RequestType.FLOW_MOD, head + match_ + bytes(-len(match_) % 8))


def add_drop(range_: Prefix, actions: tuple[Action, ...] = ()) -> OpenFlowMessage:
    """The reserved entry that ends events nobody asked for, below every content entry.

    With `actions` these are sent on for a while instead.
    """
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.ADD, key.priority, match(key), apply(actions))


def remove_drop(range_: Prefix) -> OpenFlowMessage:
    """Delete the drop entry of a range that is no longer served."""
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def add_lldp_punt() -> OpenFlowMessage:
    """The reserved entry that brings discovery frames to the controller."""
    body = _OUTPUT.pack(0, 16, CONTROLLER, WHOLE_PACKET)
    return _flow_mod(EntryKind.LLDP, FlowModCommand.ADD, LLDP_PRIORITY, lldp_match(), _applied(body))


def add_punt(key: Key, meter: int | None) -> OpenFlowMessage:
    """The reserved entry that brings control messages of a host's port to the controller, through a meter."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.ADD, key.priority, match(key), _punted(meter))


def add_lldp_port_punt(port: int, meter: int) -> OpenFlowMessage:
    """The reserved entry that brings a port's discovery frames to the controller through its meter."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.ADD, LLDP_PORT_PRIORITY, match_, _punted(meter))


def remove_lldp_port_punt(port: int) -> OpenFlowMessage:
    """Delete the punt of discovery frames at one port; the one of all ports stays."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.DELETE_STRICT, LLDP_PORT_PRIORITY, match_, b"")


def _punted(meter: int | None) -> bytes:
    metered = b"" if meter is None else _METER.pack(_METERED, _METER.size, meter)
    return metered + _applied(_OUTPUT.pack(0, 16, CONTROLLER, WHOLE_PACKET))


def metered_by(instructions: bytes) -> int | None:
    """The number of the meter that an entry with a meter as its first instruction goes through."""
    if len(instructions) < _METER.size:
        return None
    kind, _, number = _METER.unpack_from(instructions)
    return int(number) if kind == _METERED else None


def remove_punt(key: Key) -> OpenFlowMessage:
    """Delete the punt of control messages at a port."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def remove_punts() -> list[OpenFlowMessage]:
    """Delete the punts of control messages and of discovery frames at single ports, at all of them."""
    return [
        _flow_mod(kind, FlowModCommand.DELETE, 0, match_of(b""), b"")
        for kind in (EntryKind.PUNT, EntryKind.LLDP_PORT)
    ]


def add_spoof_drop(range_: Prefix, port: int) -> OpenFlowMessage:
    """Drop and count the events that enter at a host port and that no known source sent."""
    return _flow_mod(EntryKind.SOURCE, FlowModCommand.ADD, SPOOF_PRIORITY, spoof_match(range_, port), b"")


def add_source(range_: Prefix, port: int, ip: bytes, mac: bytes) -> OpenFlowMessage:
    """Mark the events of a known source at its port, and look them up again: content entries follow."""
    match_ = source_match(range_, port, ip, mac)
    return _flow_mod(
        EntryKind.SOURCE, FlowModCommand.ADD, SOURCE_PRIORITY, match_, _applied(_MARK + _RESUBMIT)
    )


def spoof_match(range_: Prefix, port: int) -> bytes:
    """The match of events that enter at a port without the mark of a known source."""
    return match_of(_entering(port) + _typed(range_) + _destination(range_) + _UNMARKED)


def source_match(range_: Prefix, port: int, ip: bytes, mac: bytes) -> bytes:
    """The match of events that a host sends from its own addresses, without the mark yet."""
    sender = oxm(OxmField.IPV4_SRC if len(ip) == 4 else OxmField.IPV6_SRC, ip)
    fields = _entering(port) + oxm(OxmField.ETH_SRC, mac) + _typed(range_)
    return match_of(fields + sender + _destination(range_) + _UNMARKED)


def instructions_of(message: OpenFlowMessage) -> bytes:
    """The instructions of an addition."""
    match_length = int.from_bytes(message.body[42:44], "big")
    return message.body[40 + (match_length + 7) // 8 * 8 :]


def _entering(port: int) -> bytes:
    return oxm(OxmField.IN_PORT, port.to_bytes(4, "big"))


def _typed(range_: Prefix) -> bytes:
    return oxm(OxmField.ETH_TYPE, pack("!H", ETH_TYPE[range_.family]))


def drop_key(range_: Prefix) -> Key:
    """The key of the drop entry of a range."""
    return Key(range_, None, DROP_PRIORITY)


def _flow_mod(
    kind: EntryKind, command: FlowModCommand, priority: int, match_: bytes, instructions: bytes
) -> OpenFlowMessage:
    return OpenFlowMessage(RequestType.FLOW_MOD, _fixed(kind, command, priority) + match_ + instructions)


def _fixed(kind: EntryKind, command: FlowModCommand, priority: int) -> bytes:
    """An addition carries its cookie; a deletion is limited to that cookie by the mask."""
    mask = 0 if command is FlowModCommand.ADD else DELETION_MASK
    return _FLOW_MOD.pack(kind.cookie, mask, TABLE, command, 0, 0, priority, NO_BUFFER, ANY, ANY, 0)


@lru_cache(maxsize=4096)
def _content(command: FlowModCommand, priority: int) -> bytes:
    return _fixed(EntryKind.CONTENT, command, priority)


def match(key: Key) -> bytes:
    """The match of a key: in_port first, then eth_type before the destination that needs it."""
    (address, length), in_port, _ = key
    if in_port is None:
        head, _, tail = _around(len(address), length, False)
        return head + address + tail
    head, middle, tail = _around(len(address), length, True)
    return head + in_port.to_bytes(4, "big") + middle + address + tail


@cache
def _around(size: int, length: int, has_port: bool) -> tuple[bytes, bytes, bytes]:
    """What stands before the in_port (if any), between it and the address, and behind the address.

    That is all of a match that prefixes of one length have in common: at most 324 cases.
    """
    prefix = Prefix(bytes(size), length)
    port = oxm(OxmField.IN_PORT, bytes(4)) if has_port else b""
    ethernet = oxm(OxmField.ETH_TYPE, pack("!H", ETH_TYPE[prefix.family]))
    whole = match_of(port + ethernet + _destination(prefix))
    address = 4 + len(port) + len(ethernet) + 4
    behind = whole[address + size :]
    return (whole[:8], whole[12:address], behind) if has_port else (whole[:address], b"", behind)


def lldp_match() -> bytes:
    """The match of discovery frames."""
    return match_of(_lldp_fields())


def lldp_port_match(port: int) -> bytes:
    """The match of discovery frames that enter at a port."""
    return match_of(_entering(port) + _lldp_fields())


def _lldp_fields() -> bytes:
    return oxm(OxmField.ETH_DST, LLDP_MAC) + oxm(OxmField.ETH_TYPE, pack("!H", LLDP_TYPE))


def _destination(prefix: Prefix) -> bytes:
    """A full-length prefix goes without a mask: the plain form that switches report back."""
    field = OxmField.IPV4_DST if prefix.family == "ipv4" else OxmField.IPV6_DST
    width = 8 * len(prefix.address)
    if prefix.length == width:
        return oxm(field, prefix.address)
    mask = (1 << width) - (1 << width - prefix.length)
    return oxm(field, prefix.address, mask.to_bytes(len(prefix.address), "big"))


def oxm(field: int, value: bytes, mask: bytes = b"") -> bytes:
    """One match field as type, length and value."""
    header = _OXM_BASIC << 16 | field << 9 | bool(mask) << 8 | len(value) + len(mask)
    return header.to_bytes(4, "big") + value + mask


def match_of(fields: bytes) -> bytes:
    """A match of the given fields, padded to a multiple of eight bytes."""
    length = 4 + len(fields)
    return pack("!HH", 1, length) + fields + bytes(-length % 8)


@lru_cache(maxsize=16384)
def apply(actions: tuple[Action, ...]) -> bytes:
    """The instruction that applies `actions` in their order; nothing for none, which drops."""
    if not actions:
        return b""
    return _applied(b"".join(_action(action) for action in actions))


def _applied(actions: bytes) -> bytes:
    return _ACTIONS_HEADER.pack(_APPLY_ACTIONS, 8 + len(actions)) + actions


def _action(action: Action) -> bytes:
    if isinstance(action, OutputAction):
        return _OUTPUT.pack(0, 16, IN_PORT if action.port is None else action.port, 0)
    return _set_field(OxmField.ETH_DST, action.mac) + _set_ip(action)


def _set_ip(action: SetDestination) -> bytes:
    return _set_field(OxmField.IPV4_DST if len(action.ip) == 4 else OxmField.IPV6_DST, action.ip)


def _set_field(field: OxmField, value: bytes) -> bytes:
    body = oxm(field, value)
    length = 4 + len(body)
    padding = -length % 8
    return pack("!HH", _SET_FIELD, length + padding) + body + bytes(padding)


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
    actions = b"".join(_OUTPUT.pack(0, 16, port, 0) for port in ports)
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


def range_match(family: str) -> bytes:
    """The match that holds all events of a family."""
    return match(drop_key(RANGES[family]))


def signalling_match(family: str) -> bytes:
    """The match that holds all control messages of a family."""
    return match(Key(SIGNALS[family], None, PUNT_PRIORITY))


def pack_meter(number: int) -> bytes:
    """The body of a question about one meter, or all."""
    return pack("!Ixxxx", number)
