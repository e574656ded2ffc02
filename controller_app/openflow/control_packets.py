"""Control messages of hosts as frames: punted frames are parsed, and replies become frames."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from socket import AF_INET, inet_pton

from controller_app.openflow.flow_entry import SIGNALS, address_text, is_host_ip, is_host_mac
from tercast.signalling.messages import MAX_MESSAGE, PORT
from tercast.wire.packets import Ignored, event_payload, udp_frame

DUMMY = inet_pton(AF_INET, "192.0.0.8")
"""Source address of replies over IPv4: the dummy address for nodes without an address (RFC 7600)."""

_IPV6 = b"\x86\xdd"


class Dropped(Enum):
    """Reason why a frame at a port is not accepted as a control message of a host."""

    NOT_UDP = "not_udp"
    OTHER_ADDRESS = "other_address"
    OTHER_PORT = "other_port"
    TRUNCATED = "truncated"
    BAD_CHECKSUM = "bad_checksum"
    TOO_LARGE = "too_large"
    SENDER_MAC = "sender_mac"
    """Its source MAC address is a group address or zero, so no reply is possible."""
    SENDER_ADDRESS = "sender_address"
    """Its source IP address is not a unicast address, so no reply is possible."""
    SENDER_PORT = "sender_port"
    """Its source UDP port is 0, so no reply is possible."""
    LINK_PORT = "link_port"
    """It arrived at a port that leads to another switch."""
    UNKNOWN_PORT = "unknown_port"
    """It arrived at a port that the switch has not described."""
    RATE = "rate"
    """Its port sends more than its rate limit."""
    QUEUE_FULL = "queue_full"
    """Too many messages wait, of this port or of all ports."""


@dataclass(frozen=True, slots=True)
class Datagram:
    """A control message: its sender and its payload. MAC and IP address are packed."""

    mac: bytes
    ip: bytes
    udp_port: int
    payload: bytes


def parse(frame: bytes) -> Datagram | Dropped:
    """Return the control message in a frame, or why there is none; never raises."""
    family = "ipv6" if frame[12:14] == _IPV6 else "ipv4"
    payload = event_payload(frame, SIGNALS[family].address, PORT)
    if isinstance(payload, Ignored):
        return Dropped(payload.value)
    if len(payload) > MAX_MESSAGE:
        return Dropped.TOO_LARGE
    if family == "ipv6":
        ip, udp = frame[22:38], 54
    else:
        ip, udp = frame[26:30], 14 + (frame[14] & 0xF) * 4
    found = Datagram(frame[6:12], ip, frame[udp] << 8 | frame[udp + 1], payload)
    return _unanswerable(found) or found


def _unanswerable(datagram: Datagram) -> Dropped | None:
    """Return why no reply can be sent to the sender; None if one can."""
    if not is_host_mac(datagram.mac):
        return Dropped.SENDER_MAC
    if not is_host_ip(datagram.ip):
        return Dropped.SENDER_ADDRESS
    return None if datagram.udp_port else Dropped.SENDER_PORT


def answer_frame(own_mac: bytes, to: Datagram) -> bytes:
    """Return a frame with a reply to a host, from a port with the MAC address `own_mac`."""
    source = DUMMY if len(to.ip) == 4 else link_local(own_mac)
    return udp_frame((own_mac, to.mac), source, to.ip, to.payload, (PORT, to.udp_port))


def link_local(mac: bytes) -> bytes:
    """Return the link-local IPv6 address of a MAC address (RFC 4291, appendix A)."""
    return bytes.fromhex("fe80000000000000") + bytes((mac[0] ^ 2,)) + mac[1:3] + b"\xff\xfe" + mac[3:]


def sender_json(datagram: Datagram) -> dict[str, object]:
    """Return the sender in the northbound's form."""
    return {"mac": datagram.mac.hex(":"), "ip": address_text(datagram.ip), "udp_port": datagram.udp_port}
