"""Addresses: how a topic's code and a dz stand in a multicast address, and back.

The bits of an address behind the plan's base prefix are its room. The leading `topic_bits` of the room carry
the topic's code, the dz follows, the rest is zero. An event travels to the address of its full-depth dz; a
rule for a dz matches the prefix of base, code and dz.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton

from tercast.errors import Path, Refused, shown
from tercast.eventspace.dz import Dz
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_text

SIGNALLING = {"ipv4": "225.0.0.37", "ipv6": "ff1e::25"}
"""Where hosts send control messages, outside every plan's prefix."""

DEFAULT_PREFIX = {"ipv4": "225.128.0.0/9", "ipv6": "ff0e::/16"}
DEFAULT_TOPIC_BITS = {"ipv4": 0, "ipv6": 16}

_WIDTH = {"ipv4": 32, "ipv6": 128}


@dataclass(frozen=True, slots=True)
class AddressPlan:
    """Which family and prefix carry the events, and how many bits of the room name the topic."""

    family: str
    prefix: str
    topic_bits: int
    room: int = field(init=False, compare=False, repr=False)
    dz_room: int = field(init=False, compare=False, repr=False)
    _width: int = field(init=False, compare=False, repr=False)
    _base: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.family not in _WIDTH:
            raise Refused(
                ("family",), "unknown_family", f"{shown(self.family)} is neither ipv4 nor ipv6", self.family
            )
        network = _network(self.family, self.prefix)
        width = _WIDTH[self.family]
        room = width - network.prefixlen
        expect_integer(self.topic_bits, ("topic_bits",), 0, max(room - 1, 0))
        if room == 0:
            raise Refused(
                ("prefix",), "no_room", f"{shown(self.prefix)} leaves no bit for topic and dz", self.prefix
            )
        for name, value in (
            ("prefix", str(network)),
            ("room", room),
            ("dz_room", room - self.topic_bits),
            ("_width", width),
            ("_base", int(network.network_address)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def default(cls, family: str = "ipv6") -> AddressPlan:
        """The plan of `family` (ipv4, ipv6) that is used when nothing else is said."""
        if family not in _WIDTH:
            raise Refused(("family",), "unknown_family", f"{shown(family)} is neither ipv4 nor ipv6", family)
        return cls(family, DEFAULT_PREFIX[family], DEFAULT_TOPIC_BITS[family])

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> AddressPlan:
        """The plan of a scenario's `address` object; `topic_bits` is optional."""
        fields = expect_keys(obj, path, ("family", "prefix"), ("topic_bits",))
        family = expect_text(fields["family"], (*path, "family"))
        prefix = expect_text(fields["prefix"], (*path, "prefix"))
        try:
            bits = fields.get("topic_bits", DEFAULT_TOPIC_BITS.get(family, 0))
            return cls(family, prefix, expect_integer(bits, ("topic_bits",)))
        except Refused as refused:
            raise refused.under(*path) from None

    def to_json(self) -> dict[str, object]:
        """The `address` object that reads back as this plan."""
        return {"family": self.family, "prefix": self.prefix, "topic_bits": self.topic_bits}

    def match(self, code: int, dz: Dz) -> str:
        """The prefix, as CIDR text, that holds all events of topic `code` within `dz`."""
        bits = self._width - self.dz_room + dz.bit_length() - 1
        return f"{self.event_address(code, dz)}/{bits}"

    def event_address(self, code: int, dz: Dz) -> str:
        """The address of `dz` in topic `code`: events carry that of their full-depth dz."""
        bits = dz.bit_length() - 1
        free = self.dz_room - bits
        if code < 0 or code >> self.topic_bits:
            raise self._bad_code(code)
        if free < 0 or bits < 0:
            raise Refused(
                (), "dz_too_long", f"a dz of {bits} bits; the address has room for {self.dz_room}", dz
            )
        number = self._base | code << self.dz_room | (dz ^ 1 << bits) << free
        if self._width == 32:
            return inet_ntop(AF_INET, number.to_bytes(4, "big"))
        return inet_ntop(AF_INET6, number.to_bytes(16, "big"))

    def parse_match(self, cidr: str, path: Path = ()) -> tuple[int, Dz]:
        """The (code, dz) whose `match` is `cidr`; a bare address counts as its full-length prefix."""
        quick = self._quick_match(cidr)
        if quick is not None:
            return quick
        network = self._own_network(cidr, path)
        bits = network.prefixlen - (self._width - self.dz_room)
        if bits < 0:
            raise Refused(path, "too_short", f"{shown(cidr)} does not hold the whole topic code", cidr)
        return self._split(int(network.network_address), bits)

    def _quick_match(self, cidr: str) -> tuple[int, Dz] | None:
        """What `parse_match` finds, in a tenth of the time; None wherever there may be something to tell."""
        if not isinstance(cidr, str):
            return None
        address, _, length = cidr.partition("/")
        if not (length.isascii() and length.isdigit() and len(length) <= 3):
            return None
        try:
            number = int.from_bytes(inet_pton(AF_INET if self._width == 32 else AF_INET6, address), "big")
        except (OSError, ValueError):
            return None
        bits = int(length) - (self._width - self.dz_room)
        if not 0 <= bits <= self.dz_room or (number ^ self._base) >> self.room:
            return None
        return None if number & (1 << self.dz_room - bits) - 1 else self._split(number, bits)

    def parse_event_address(self, address: str, path: Path = ()) -> tuple[int, Dz]:
        """The (code, dz) of an event's address; the dz fills the room, so it may end in padding zeros."""
        if isinstance(address, str) and "/" in address:
            raise Refused(path, "not_an_address", f"{shown(address)} is a prefix, not an address", address)
        network = self._own_network(address, path)
        return self._split(int(network.network_address), self.dz_room)

    def check_code(self, code: int, path: Path = ()) -> int:
        """`code` itself when it is below 2**topic_bits, else Refused."""
        if code < 0 or code >> self.topic_bits:
            raise self._bad_code(code).under(*path)
        return code

    def _bad_code(self, code: int) -> Refused:
        detail = (
            f"code {shown(code)} is not in 0..{(1 << self.topic_bits) - 1} ({self.topic_bits} topic bits)"
        )
        return Refused((), "code_out_of_range", detail, code)

    def _split(self, number: int, bits: int) -> tuple[int, Dz]:
        inside = number ^ self._base
        dz = (inside & (1 << self.dz_room) - 1) >> self.dz_room - bits
        return inside >> self.dz_room, 1 << bits | dz

    def _own_network(self, cidr: str, path: Path) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        network = _parse_network(self.family, cidr, path)
        own = ipaddress.ip_network(self.prefix)
        if network.prefixlen < own.prefixlen or network.network_address not in own:
            raise Refused(path, "foreign_address", f"{shown(cidr)} is not within {self.prefix}", cidr)
        return network


def multicast_mac(address: str) -> str:
    """The Ethernet group address of a multicast IP address: low 23 bits (IPv4) or low 32 bits (IPv6)."""
    ip = ipaddress.ip_address(address)
    if not ip.is_multicast:
        raise Refused((), "not_multicast", f"{shown(address)} is not a multicast address", address)
    group, low = (0x01005E000000, 0x7FFFFF) if ip.version == 4 else (0x333300000000, 0xFFFFFFFF)
    return (group | int(ip) & low).to_bytes(6, "big").hex(":")


def _network(family: str, prefix: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """The base prefix of a plan: multicast, of the family, without the signalling address."""
    network = _parse_network(family, prefix, ("prefix",))
    if not network.is_multicast:
        raise Refused(("prefix",), "not_multicast", f"{shown(prefix)} is not a multicast prefix", prefix)
    if ipaddress.ip_address(SIGNALLING[family]) in network:
        detail = f"{shown(prefix)} holds the signalling address {SIGNALLING[family]}"
        raise Refused(("prefix",), "holds_signalling", detail, prefix)
    return network


def _parse_network(family: str, cidr: str, path: Path) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    kind = ipaddress.IPv4Network if family == "ipv4" else ipaddress.IPv6Network
    wrong = Refused(path, "not_a_prefix", f"{shown(cidr)} is not a prefix of family {family}", cidr)
    if not isinstance(cidr, str) or "%" in cidr:
        raise wrong
    _, _, length = cidr.partition("/")
    if "/" in cidr and not (length.isascii() and length.isdigit()):
        raise wrong  # neither a netmask nor nothing
    try:
        return kind(cidr)
    except ValueError:
        pass
    try:
        loose = kind(cidr, strict=False)
    except ValueError:
        raise wrong from None
    detail = f"{shown(cidr)} has bits beyond its length; the prefix is {loose}"
    raise Refused(path, "host_bits", detail, cidr)
