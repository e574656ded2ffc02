"""Matches of OpenFlow 1.3 as bytes: OXM fields, and the matches of own entries."""

from __future__ import annotations

from enum import IntEnum
from functools import cache
from struct import pack

from controller_app.openflow.flow_entry import RANGES, SIGNALS, FlowKey, Prefix

LLDP_TYPE = 0x88CC
LLDP_MAC = bytes.fromhex("0180c200000e")
ETH_TYPE = {"ipv6": 0x86DD, "ipv4": 0x0800}


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


_OXM_BASIC = 0x8000
REGISTER = 0x0001 << 16 | 4
"""Header of register 0 of Open vSwitch. It is 0 when a packet enters a switch, also from a patch port."""

UNMARKED = REGISTER.to_bytes(4, "big") + bytes(4)


def spoof_match(range_: Prefix, port: int) -> bytes:
    """Return the match of events that enter at a port without the mark of a known source."""
    return match_of(_entering(port) + _typed(range_) + _destination(range_) + UNMARKED)


def source_match(range_: Prefix, port: int, ip: bytes, mac: bytes) -> bytes:
    """Return the match of a host's events, from its own addresses and still without the mark."""
    sender = oxm(OxmField.IPV4_SRC if len(ip) == 4 else OxmField.IPV6_SRC, ip)
    fields = _entering(port) + oxm(OxmField.ETH_SRC, mac) + _typed(range_)
    return match_of(fields + sender + _destination(range_) + UNMARKED)


def _entering(port: int) -> bytes:
    return oxm(OxmField.IN_PORT, port.to_bytes(4, "big"))


def _typed(range_: Prefix) -> bytes:
    return oxm(OxmField.ETH_TYPE, pack("!H", ETH_TYPE[range_.family]))


def match(key: FlowKey) -> bytes:
    """Return the match of a key: in_port first, then eth_type, which the destination requires."""
    (address, length), in_port, _ = key
    if in_port is None:
        head, _, tail = around_address(len(address), length, False)
        return head + address + tail
    head, middle, tail = around_address(len(address), length, True)
    return head + in_port.to_bytes(4, "big") + middle + address + tail


@cache
def around_address(size: int, length: int, has_port: bool) -> tuple[bytes, bytes, bytes]:
    """Return the parts that matches with equal prefix lengths share: at most 324 cases.

    Args:
        size: Bytes of the address.
        length: Length of the prefix, in bits.
        has_port: Whether the match has an in_port.

    Returns:
        The bytes before the in_port, between it and the address, and after the address.
    """
    prefix = Prefix(bytes(size), length)
    port = oxm(OxmField.IN_PORT, bytes(4)) if has_port else b""
    ethernet = oxm(OxmField.ETH_TYPE, pack("!H", ETH_TYPE[prefix.family]))
    whole = match_of(port + ethernet + _destination(prefix))
    address = 4 + len(port) + len(ethernet) + 4
    behind = whole[address + size :]
    return (whole[:8], whole[12:address], behind) if has_port else (whole[:address], b"", behind)


def lldp_match() -> bytes:
    """Return the match of discovery frames."""
    return match_of(_lldp_fields())


def lldp_port_match(port: int) -> bytes:
    """Return the match of discovery frames that enter at a port."""
    return match_of(_entering(port) + _lldp_fields())


def _lldp_fields() -> bytes:
    return oxm(OxmField.ETH_DST, LLDP_MAC) + oxm(OxmField.ETH_TYPE, pack("!H", LLDP_TYPE))


def _destination(prefix: Prefix) -> bytes:
    """Return the destination field, without a mask for a full length, as switches report it."""
    field = OxmField.IPV4_DST if prefix.family == "ipv4" else OxmField.IPV6_DST
    width = 8 * len(prefix.address)
    if prefix.length == width:
        return oxm(field, prefix.address)
    mask = (1 << width) - (1 << width - prefix.length)
    return oxm(field, prefix.address, mask.to_bytes(len(prefix.address), "big"))


def oxm(field: int, value: bytes, mask: bytes = b"") -> bytes:
    """Return a match field as type, length and value."""
    header = _OXM_BASIC << 16 | field << 9 | bool(mask) << 8 | len(value) + len(mask)
    return header.to_bytes(4, "big") + value + mask


def match_of(fields: bytes) -> bytes:
    """Return a match of the fields, padded to a multiple of eight bytes."""
    length = 4 + len(fields)
    return pack("!HH", 1, length) + fields + bytes(-length % 8)


def range_match(family: str) -> bytes:
    """Return the match of all events of a family."""
    return _prefix_match(RANGES[family])


def _prefix_match(prefix: Prefix) -> bytes:
    return match_of(_typed(prefix) + _destination(prefix))


def signalling_match(family: str) -> bytes:
    """Return the match of all control messages of a family."""
    return _prefix_match(SIGNALS[family])
