"""Content entries of a switch's table, and their parts in the northbound's form.

The values are named tuples: a change has tens of thousands of them, and C code makes and hashes tuples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import NamedTuple, NoReturn

from tercast.errors import Path, Refused, shown
from tercast.eventspace.address_plan import DEFAULT_PREFIX, SIGNALLING
from tercast.runtime.strict_json import expect_text

TABLE = 0
"""Number of the table that has all entries of the controller."""

MIN_PRIORITY, MAX_PRIORITY = 2, 60000
"""Range of content priorities. The drop entry has priority 1, and the punts are above 60000."""

MAX_PORT = 0xFFFFFF00
"""Largest number of a physical port in OpenFlow 1.3."""

MAX_ACTIONS = 1000
"""Largest number of actions; more do not fit into a flow-mod of 64 KiB."""

FAMILIES = ("ipv6", "ipv4")
WIDTHS = {"ipv6": 16, "ipv4": 4}
"""Bytes of an address, by family."""

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


_new, _number = tuple.__new__, int.from_bytes
"""These bypass the constructor of a named tuple, which is Python code and takes twice as long."""


def _packed(text: str) -> bytes | None:
    try:
        return inet_pton(AF_INET6 if ":" in text else AF_INET, text)
    except (OSError, ValueError):
        return None


_LENGTHS = {
    width: {str(bits): (bits, (1 << 8 * width - bits) - 1) for bits in range(8 * width + 1)}
    for width in WIDTHS.values()
}
"""Length in bits and mask of the bits beyond it, by bytes of the address and text of the length."""


class Prefix(NamedTuple):
    """An address prefix: packed address (4 or 16 bytes) and length in bits."""

    address: bytes
    length: int

    @classmethod
    def parse(cls, text: object, path: Path = ()) -> Prefix:
        """Return the prefix of a CIDR text.

        Raises:
            Refused: The text is not a prefix, has bits beyond its length, or has a length with leading zeros.
        """
        try:
            address, _, length = text.partition("/")  # type: ignore[attr-defined]
            packed = inet_pton(AF_INET6 if ":" in address else AF_INET, address)
            bits, beyond = _LENGTHS[len(packed)][length]
        except (AttributeError, OSError, ValueError, KeyError):
            _refuse_prefix(expect_text(text, path), path)
        if _number(packed, "big") & beyond:
            rule = f"{shown(text)} has bits beyond its length; set them to 0"
            raise Refused(path, "host_bits", rule, text)
        return _new(cls, (packed, bits))

    @property
    def family(self) -> str:
        """`ipv6` or `ipv4`."""
        return "ipv4" if len(self.address) == 4 else "ipv6"

    def within(self, outer: Prefix) -> bool:
        """Whether `outer` contains every address of this prefix."""
        if len(self.address) != len(outer.address) or self.length < outer.length:
            return False
        free = 8 * len(self.address) - outer.length
        return not (int.from_bytes(self.address, "big") ^ int.from_bytes(outer.address, "big")) >> free

    def __str__(self) -> str:
        return f"{address_text(self.address)}/{self.length}"


RANGES = {family: Prefix.parse(DEFAULT_PREFIX[family]) for family in FAMILIES}
"""Prefixes of the events, by family: the controller handles only this traffic."""


SIGNALS = {family: Prefix(_packed(SIGNALLING[family]) or b"", 8 * WIDTHS[family]) for family in FAMILIES}
"""Addresses to which hosts send control messages, by family."""


class OutputAction(NamedTuple):
    """Send out of a port; `None` is the ingress port of the packet."""

    port: int | None


class SetDestination(NamedTuple):
    """Rewrite the destination to a host's address: packed IP (4 or 16 bytes) and MAC (6 bytes)."""

    ip: bytes
    mac: bytes


FlowAction = OutputAction | SetDestination


class FlowKey(NamedTuple):
    """Identity of an entry in a switch: match and priority."""

    dst: Prefix
    in_port: int | None
    priority: int

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {"dst": str(self.dst), "in_port": self.in_port, "priority": self.priority}


class FlowEntry(NamedTuple):
    """A content entry: its key, and the actions for packets that match it (none: drop)."""

    key: FlowKey
    actions: tuple[FlowAction, ...]

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form, which parses to this entry again."""
        return {**self.key.to_json(), "actions": [action_json(action) for action in self.actions]}


class RestEntry(NamedTuple):
    """Actions for packets in a range that match no content entry (none: drop, as usual)."""

    range: Prefix
    actions: tuple[FlowAction, ...]


def is_host_ip(ip: bytes) -> bool:
    """Whether a packed IP address can be that of one host: no group, not zero, no broadcast."""
    return any(ip) and ip[0] < (224 if len(ip) == 4 else 0xFF)


def is_host_mac(mac: bytes) -> bool:
    """Whether a packed MAC address can be that of one host: no group, not zero."""
    return any(mac) and not mac[0] & 1


def parse_address(value: object, path: Path, families: Sequence[str] = FAMILIES) -> bytes:
    """Parse the IP address of one host, of one of `families`; return it packed.

    Raises:
        Refused: The value is not such an address.
    """
    text = expect_text(value, path)
    ip = _packed(text)
    if ip is None or not any(len(ip) == WIDTHS[family] for family in families):
        detail = f"{shown(text)} is not an {' or '.join(families)} address"
        raise Refused(path, "not_an_address", detail, text)
    if not is_host_ip(ip):
        raise Refused(path, "not_a_host", f"{shown(text)} is not a unicast address", text)
    return ip


def parse_mac(text: object, path: Path) -> bytes:
    """Parse a host's MAC address in the form `aa:bb:cc:dd:ee:ff`; return its six bytes.

    Raises:
        Refused: The value has another form, or is a group address or zero.
    """
    value = expect_text(text, path)
    if not _MAC.fullmatch(value):
        detail = f"{shown(value)} is not a MAC address; write aa:bb:cc:dd:ee:ff"
        raise Refused(path, "not_a_mac", detail, value)
    mac = bytes.fromhex(value.replace(":", ""))
    if not is_host_mac(mac):
        raise Refused(path, "not_a_host", f"{shown(value)} is not a unicast address", value)
    return mac


def action_json(action: FlowAction) -> dict[str, object]:
    """Return the northbound's form of an action."""
    if isinstance(action, OutputAction):
        return {"output": "in_port" if action.port is None else action.port}
    return {"set_dst": {"ip": address_text(action.ip), "mac": action.mac.hex(":")}}


def _refuse_prefix(text: str, path: Path) -> NoReturn:
    """Raise the reason why a text is not a prefix: its form, or its length."""
    address, slash, length = text.partition("/")
    packed = _packed(address)
    if packed is None or not slash or not length.isascii() or not length.isdigit() or len(length) > 3:
        rule = f"{shown(text)} is not a prefix; write ADDRESS/LENGTH (CIDR notation)"
        raise Refused(path, "not_a_prefix", rule, text)
    detail = f"{shown(text)}: the length must be 0 to {8 * len(packed)}, without leading zeros"
    raise Refused(path, "bad_length", detail, text)


@lru_cache(maxsize=65536)
def address_text(packed: bytes) -> str:
    """Return the usual text of a packed IPv4 or IPv6 address."""
    return inet_ntop(AF_INET if len(packed) == 4 else AF_INET6, packed)
