"""A content entry of a switch's table: what the northbound takes and the switch holds.

The values are named tuples: a change has tens of thousands of them, and a tuple is made and hashed in C.
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
"""The table that has all entries of the controller."""

MIN_PRIORITY, MAX_PRIORITY = 2, 60000
"""Content priorities; 1 is the drop entry's, above 60000 are the punts'."""

MAX_PORT = 0xFFFFFF00
"""The largest number of a physical port in OpenFlow 1.3."""

MAX_ACTIONS = 1000
"""More would not fit into one flow-mod of 64 KiB."""

FAMILIES = ("ipv6", "ipv4")
WIDTHS = {"ipv6": 16, "ipv4": 4}
"""Bytes of an address, by family."""

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


_new, _number = tuple.__new__, int.from_bytes
"""Without the constructor of a named tuple, which is written in Python and takes twice as long."""


def _packed(text: str) -> bytes | None:
    try:
        return inet_pton(AF_INET6 if ":" in text else AF_INET, text)
    except (OSError, ValueError):
        return None


_LENGTHS = {
    width: {str(bits): (bits, (1 << 8 * width - bits) - 1) for bits in range(8 * width + 1)}
    for width in WIDTHS.values()
}
"""By bytes of an address and the text of a length: the length, and a mask of the bits beyond it."""


class Prefix(NamedTuple):
    """An address prefix: packed address (4 or 16 bytes, zero beyond the length) and length in bits."""

    address: bytes
    length: int

    @classmethod
    def parse(cls, text: object, path: Path = ()) -> Prefix:
        """Return the prefix of a CIDR text.

        Raises:
            Refused: It is no prefix, has bits beyond its length, or a length with leading zeros.
        """
        try:
            address, _, length = text.partition("/")  # type: ignore[attr-defined]
            packed = inet_pton(AF_INET6 if ":" in address else AF_INET, address)
            bits, beyond = _LENGTHS[len(packed)][length]
        except (AttributeError, OSError, ValueError, KeyError):
            _refuse_prefix(expect_text(text, path), path)
        if _number(packed, "big") & beyond:
            raise Refused(path, "host_bits", f"{shown(text)} has bits beyond its length", text)
        return _new(cls, (packed, bits))

    @property
    def family(self) -> str:
        """`ipv6` or `ipv4`."""
        return "ipv4" if len(self.address) == 4 else "ipv6"

    def within(self, outer: Prefix) -> bool:
        """Whether every address of this prefix is one of `outer`."""
        if len(self.address) != len(outer.address) or self.length < outer.length:
            return False
        free = 8 * len(self.address) - outer.length
        return not (int.from_bytes(self.address, "big") ^ int.from_bytes(outer.address, "big")) >> free

    def __str__(self) -> str:
        return f"{address_text(self.address)}/{self.length}"


RANGES = {family: Prefix.parse(DEFAULT_PREFIX[family]) for family in FAMILIES}
"""The prefixes whose traffic is the controller's business, by family."""


SIGNALS = {family: Prefix(_packed(SIGNALLING[family]) or b"", 8 * WIDTHS[family]) for family in FAMILIES}
"""The addresses that hosts send control messages to, by family."""


class OutputAction(NamedTuple):
    """Send out of a port; `None` is the port that the packet came in by."""

    port: int | None


class SetDestination(NamedTuple):
    """Rewrite the destination to a host's address: packed IP (4 or 16 bytes) and MAC (6 bytes)."""

    ip: bytes
    mac: bytes


Action = OutputAction | SetDestination


class Key(NamedTuple):
    """What tells one entry of a switch from another: match and priority."""

    dst: Prefix
    in_port: int | None
    priority: int

    def to_json(self) -> dict[str, object]:
        """The northbound's form."""
        return {"dst": str(self.dst), "in_port": self.in_port, "priority": self.priority}


class FlowEntry(NamedTuple):
    """One content entry: its key, and what happens to a packet that hits it (no actions: dropped)."""

    key: Key
    actions: tuple[Action, ...]

    def to_json(self) -> dict[str, object]:
        """The northbound's form, which reads back as this entry."""
        return {**self.key.to_json(), "actions": [action_json(action) for action in self.actions]}


class RestEntry(NamedTuple):
    """What happens in a range to packets that hit no content entry (no actions: dropped, as usual)."""

    range: Prefix
    actions: tuple[Action, ...]


def is_host_ip(ip: bytes) -> bool:
    """Whether a packed IP address can be one host's: not a group's, not zero, not all hosts'."""
    return any(ip) and ip[0] < (224 if len(ip) == 4 else 0xFF)


def is_host_mac(mac: bytes) -> bool:
    """Whether a packed MAC address can be one host's: not a group's, not zero."""
    return any(mac) and not mac[0] & 1


def parse_address(value: object, path: Path, families: Sequence[str] = FAMILIES) -> bytes:
    """The packed IP address of one host, of one of these families."""
    text = expect_text(value, path)
    ip = _packed(text)
    if ip is None or not any(len(ip) == WIDTHS[family] for family in families):
        raise Refused(
            path, "not_an_address", f"{shown(text)} is not an {' or '.join(families)} address", text
        )
    if not is_host_ip(ip):
        raise Refused(path, "not_a_host", f"{shown(text)} is no address of one host", text)
    return ip


def parse_mac(text: object, path: Path) -> bytes:
    """The six bytes of a host's MAC address in `aa:bb:cc:dd:ee:ff` form; group addresses are refused."""
    value = expect_text(text, path)
    if not _MAC.fullmatch(value):
        raise Refused(path, "not_a_mac", f"{shown(value)} is not six pairs of hex digits with colons", value)
    mac = bytes.fromhex(value.replace(":", ""))
    if not is_host_mac(mac):
        raise Refused(path, "not_a_host", f"{shown(value)} is no address of one host", value)
    return mac


def action_json(action: Action) -> dict[str, object]:
    """The northbound's form of one action."""
    if isinstance(action, OutputAction):
        return {"output": "in_port" if action.port is None else action.port}
    return {"set_dst": {"ip": address_text(action.ip), "mac": action.mac.hex(":")}}


def _refuse_prefix(text: str, path: Path) -> NoReturn:
    """Raise the reason why a text is no prefix: its form, or its length."""
    address, slash, length = text.partition("/")
    packed = _packed(address)
    if packed is None or not slash or not length.isascii() or not length.isdigit() or len(length) > 3:
        raise Refused(path, "not_a_prefix", f"{shown(text)} is not ADDRESS/LENGTH in CIDR form", text)
    detail = f"{shown(text)}: the length is 0 to {8 * len(packed)}, without leading zeros"
    raise Refused(path, "bad_length", detail, text)


@lru_cache(maxsize=65536)
def address_text(packed: bytes) -> str:
    """The usual text of a packed IPv4 or IPv6 address."""
    return inet_ntop(AF_INET if len(packed) == 4 else AF_INET6, packed)
