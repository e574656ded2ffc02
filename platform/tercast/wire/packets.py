"""Frames with Ethernet, IPv6 or IPv4, and UDP around an event, and their reading.

Checksums follow RFC 1071. A ones' complement sum of 16-bit words equals the number that the bytes represent,
modulo 0xffff, which Python computes in one step. A UDP checksum of zero is sent as 0xffff (RFC 768, RFC
8200).
"""

from __future__ import annotations

import enum
import re
import socket
import struct

EVENT_PORT = 7373
"""The UDP port from which and to which events are sent."""

HOP_LIMIT = 64

_ETHERNET = 14
_IPV4, _IPV6 = b"\x08\x00", b"\x86\xdd"
_UDP = 17
_UDP_HEADER = 8
_MAC = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2}){5}")


class Ignored(enum.Enum):
    """Reason why a frame has no event for this host."""

    NOT_UDP = "not_udp"
    """Another protocol, a VLAN tag, an extension header, or a fragment."""
    OTHER_ADDRESS = "other_address"
    OTHER_PORT = "other_port"
    TRUNCATED = "truncated"
    """Shorter than its length fields, or with length fields that contradict each other."""
    BAD_CHECKSUM = "bad_checksum"


def pack_ip(address: str) -> bytes:
    """Convert an IP address to 4 or 16 bytes; raise ValueError if it is not an address."""
    try:
        return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)
    except (OSError, ValueError, TypeError):
        raise ValueError(f"{address!r} is not an IP address") from None


def ip_text(packed: bytes) -> str:
    """Return the text of 4 or 16 bytes of an IP address."""
    return socket.inet_ntop(socket.AF_INET6 if len(packed) == 16 else socket.AF_INET, packed)


def pack_mac(address: str) -> bytes:
    """Convert a MAC address like 02:00:00:00:00:01 to 6 bytes; raise ValueError for other texts."""
    if not _MAC.fullmatch(address):
        raise ValueError(f"{address!r} is not a MAC address like 02:00:00:00:00:01")
    return bytes.fromhex(address.replace(":", ""))


def group_mac(packed: bytes) -> bytes:
    """Return the Ethernet address for a multicast IP address; ValueError for other addresses.

    See RFC 1112 and RFC 2464.
    """
    if len(packed) == 16 and packed[0] == 0xFF:
        return b"\x33\x33" + packed[12:]
    if len(packed) == 4 and packed[0] >> 4 == 0xE:
        return b"\x01\x00\x5e" + bytes((packed[1] & 0x7F,)) + packed[2:]
    raise ValueError("not a multicast address")


def checksum(data: bytes) -> int:
    """Compute the Internet checksum of `data`, 1 to 0xffff (0 and 0xffff are equivalent)."""
    if len(data) & 1:
        data += b"\0"
    return 0xFFFF - int.from_bytes(data, "big") % 0xFFFF


def udp_frame(
    ends: tuple[bytes, bytes], source: bytes, target: bytes, payload: bytes, ports: tuple[int, int]
) -> bytes:
    """Build an Ethernet frame with one UDP datagram.

    Args:
        ends: source and destination MAC.
        source: the packed source address.
        target: the packed destination address, of the same family.
        payload: the data of the datagram.
        ports: source and destination port.
    """
    length = _UDP_HEADER + len(payload)
    header = struct.pack(">HHH", *ports, length)
    total = checksum(_pseudo(source, target, length) + header + b"\0\0" + payload)
    datagram = header + total.to_bytes(2, "big") + payload
    if len(source) == 16:
        network = struct.pack(">IHBB", 6 << 28, length, _UDP, HOP_LIMIT) + source + target
        return ends[1] + ends[0] + _IPV6 + network + datagram
    return ends[1] + ends[0] + _IPV4 + _ipv4_header(source, target, length) + datagram


def event_payload(frame: bytes, own: bytes, port: int) -> bytes | Ignored:
    """Return the UDP payload of a frame to the packed address `own` and `port`, or a reason.

    This function raises no exception, whatever the bytes are.
    """
    kind = frame[12:_ETHERNET]
    if kind == _IPV6:
        found = _ipv6_content(frame, own)
    elif kind == _IPV4:
        found = _ipv4_content(frame, own)
    else:
        return Ignored.NOT_UDP if len(kind) == 2 else Ignored.TRUNCATED
    if isinstance(found, Ignored):
        return found
    return _udp_payload(found[0], found[1], port)


def source_address(frame: bytes) -> bytes:
    """Return the packed source address of a frame that `event_payload` has accepted."""
    return frame[22:38] if frame[12:_ETHERNET] == _IPV6 else frame[26:30]


def _ipv6_content(frame: bytes, own: bytes) -> tuple[bytes, bytes] | Ignored:
    """Return addresses (for the pseudo header) and UDP datagram of an IPv6 frame."""
    if len(frame) < _ETHERNET + 40:
        return Ignored.TRUNCATED
    if frame[14] >> 4 != 6 or frame[20] != _UDP:
        return Ignored.NOT_UDP
    if frame[38:54] != own:
        return Ignored.OTHER_ADDRESS
    length = frame[18] << 8 | frame[19]
    if len(frame) < 54 + length:
        return Ignored.TRUNCATED
    return frame[22:54], frame[54 : 54 + length]


def _ipv4_content(frame: bytes, own: bytes) -> tuple[bytes, bytes] | Ignored:
    """Return addresses (for the pseudo header) and UDP datagram of an IPv4 frame."""
    if len(frame) < _ETHERNET + 20:
        return Ignored.TRUNCATED
    fragment = (frame[20] << 8 | frame[21]) & 0x3FFF
    if frame[14] >> 4 != 4 or frame[23] != _UDP or fragment:
        return Ignored.NOT_UDP
    if frame[30:34] != own:
        return Ignored.OTHER_ADDRESS
    begin, end = _ETHERNET + (frame[14] & 0xF) * 4, _ETHERNET + (frame[16] << 8 | frame[17])
    if begin < 34 or end < begin or len(frame) < end:
        return Ignored.TRUNCATED
    if int.from_bytes(frame[_ETHERNET:begin], "big") % 0xFFFF:
        return Ignored.BAD_CHECKSUM
    return frame[26:34], frame[begin:end]


def _udp_payload(addresses: bytes, datagram: bytes, port: int) -> bytes | Ignored:
    if len(datagram) < _UDP_HEADER:
        return Ignored.TRUNCATED
    if datagram[2] << 8 | datagram[3] != port:
        return Ignored.OTHER_PORT
    length = datagram[4] << 8 | datagram[5]
    if length < _UDP_HEADER or length > len(datagram):
        return Ignored.TRUNCATED
    datagram = datagram[:length]
    if datagram[6:8] == b"\0\0":  # there is no checksum, which only IPv4 allows
        return datagram[_UDP_HEADER:] if len(addresses) == 8 else Ignored.BAD_CHECKSUM
    middle = len(addresses) // 2
    if checksum(_pseudo(addresses[:middle], addresses[middle:], length) + datagram) != 0xFFFF:
        return Ignored.BAD_CHECKSUM
    return datagram[_UDP_HEADER:]


def _pseudo(source: bytes, target: bytes, length: int) -> bytes:
    """Return the pseudo header of the checksum; this form has the same sum for both families."""
    return source + target + struct.pack(">HH", _UDP, length)


def _ipv4_header(source: bytes, target: bytes, length: int) -> bytes:
    start = struct.pack(">BBHHHBB", 0x45, 0, 20 + length, 0, 0x4000, HOP_LIMIT, _UDP)
    total = checksum(start + b"\0\0" + source + target) % 0xFFFF  # here zero is an ordinary value
    return start + total.to_bytes(2, "big") + source + target
