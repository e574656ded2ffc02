"""Multicast addresses of events: the base prefix of a plan, the topic's code, and the dz.

The bits of an address after the base prefix (its `room`) begin with the topic's code in `topic_bits` bits.
The dz follows, and the remaining bits are zero. An event is sent to the address of its full-depth dz. A flow
entry for a dz matches the prefix that consists of base, code and dz.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton

from tercast.errors import Path, Refused, shown
from tercast.eventspace.dz import Dz
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_text

SIGNALLING = {"ipv4": "225.0.0.37", "ipv6": "ff1e::25"}
"""Addresses to which hosts send control messages; no plan's prefix contains them."""

DEFAULT_PREFIX = {"ipv4": "225.128.0.0/9", "ipv6": "ff0e::/16"}
MULTICAST = {4: "224.0.0.0/4", 6: "ff00::/8"}
"""All multicast addresses, by version of IP."""

DEFAULT_TOPIC_BITS = {"ipv4": 0, "ipv6": 16}

_WIDTH = {"ipv4": 32, "ipv6": 128}


@dataclass(frozen=True, slots=True)
class AddressPlan:
    """Address family and prefix of events, and the number of bits for the topic's code."""

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
                ("family",), "unknown_family", f'{shown(self.family)} is not "ipv4" or "ipv6"', self.family
            )
        network = _network(self.family, self.prefix)
        width = _WIDTH[self.family]
        room = width - network.prefixlen
        expect_integer(self.topic_bits, ("topic_bits",), 0, max(room - 1, 0))
        if room == 0:
            raise Refused(
                ("prefix",),
                "no_room",
                f"{shown(self.prefix)} leaves no bits for topic and dz; use a shorter prefix",
                self.prefix,
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
        """The default plan of a family (ipv4, ipv6)."""
        if family not in _WIDTH:
            raise Refused(("family",), "unknown_family", f'{shown(family)} is not "ipv4" or "ipv6"', family)
        return cls(family, DEFAULT_PREFIX[family], DEFAULT_TOPIC_BITS[family])

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> AddressPlan:
        """Read the `address` object of a scenario; `topic_bits` is optional."""
        fields = expect_keys(obj, path, ("family", "prefix"), ("topic_bits",))
        family = expect_text(fields["family"], (*path, "family"))
        prefix = expect_text(fields["prefix"], (*path, "prefix"))
        try:
            bits = fields.get("topic_bits", DEFAULT_TOPIC_BITS.get(family, 0))
            return cls(family, prefix, expect_integer(bits, ("topic_bits",)))
        except Refused as refused:
            raise refused.under(*path) from None

    def to_json(self) -> dict[str, object]:
        """Write the `address` object that `from_json` reads as this plan."""
        return {"family": self.family, "prefix": self.prefix, "topic_bits": self.topic_bits}

    def match(self, code: int, dz: Dz) -> str:
        """The prefix in CIDR notation that contains all events of topic `code` within `dz`."""
        bits = self._width - self.dz_room + dz.bit_length() - 1
        return f"{self.event_address(code, dz)}/{bits}"

    def event_address(self, code: int, dz: Dz) -> str:
        """The address of `dz` in topic `code`; the address of an event is that of its full-depth dz."""
        bits = dz.bit_length() - 1
        free = self.dz_room - bits
        if code < 0 or code >> self.topic_bits:
            raise self._bad_code(code)
        if free < 0 or bits < 0:
            raise Refused(
                (), "dz_too_long", f"the dz has {bits} bits; an address holds at most {self.dz_room}", dz
            )
        number = self._base | code << self.dz_room | (dz ^ 1 << bits) << free
        if self._width == 32:
            return inet_ntop(AF_INET, number.to_bytes(4, "big"))
        return inet_ntop(AF_INET6, number.to_bytes(16, "big"))

    def parse_match(self, cidr: str, path: Path = ()) -> tuple[int, Dz]:
        """The (code, dz) whose `match` is `cidr`; an address without a length counts as full length."""
        quick = self._quick_match(cidr)
        if quick is not None:
            return quick
        network = self._own_network(cidr, path)
        bits = network.prefixlen - (self._width - self.dz_room)
        if bits < 0:
            detail = f"{shown(cidr)} is too short: it does not contain the whole topic code"
            raise Refused(path, "too_short", detail, cidr)
        return self._split(int(network.network_address), bits)

    def _quick_match(self, cidr: str) -> tuple[int, Dz] | None:
        """Parse as `parse_match` does, ten times as fast; None for every text that may be invalid."""
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
        """Return the code and the dz of an event's address.

        The dz fills all bits after the code and may end in padding zeros.
        """
        if isinstance(address, str) and "/" in address:
            detail = f"{shown(address)} is a prefix; write an address without a length"
            raise Refused(path, "not_an_address", detail, address)
        network = self._own_network(address, path)
        return self._split(int(network.network_address), self.dz_room)

    def check_code(self, code: int, path: Path = ()) -> int:
        """Return `code` if it is in 0..2**topic_bits-1, else raise Refused."""
        if code < 0 or code >> self.topic_bits:
            raise self._bad_code(code).under(*path)
        return code

    def _bad_code(self, code: int) -> Refused:
        highest = (1 << self.topic_bits) - 1
        detail = (
            f"topic code {shown(code)} is out of range; with {self.topic_bits} topic_bits, use a number "
            f"from 0 to {highest}"
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
            detail = (
                f"{shown(cidr)} is not within {self.prefix}, the prefix of the address plan; "
                "use an address of this plan"
            )
            raise Refused(path, "foreign_address", detail, cidr)
        return network


def multicast_mac(address: str) -> str:
    """The Ethernet group address of a multicast IP address: low 23 (IPv4) or 32 bits (IPv6)."""
    ip = ipaddress.ip_address(address)
    if not ip.is_multicast:
        detail = f"{shown(address)} is not a multicast address; use one in {MULTICAST[ip.version]}"
        raise Refused((), "not_multicast", detail, address)
    group, low = (0x01005E000000, 0x7FFFFF) if ip.version == 4 else (0x333300000000, 0xFFFFFFFF)
    return (group | int(ip) & low).to_bytes(6, "big").hex(":")


def _network(family: str, prefix: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    """Check the base prefix of a plan: multicast, of the family, without the signalling address."""
    network = _parse_network(family, prefix, ("prefix",))
    if not network.is_multicast:
        detail = f"{shown(prefix)} is not a multicast prefix; use a prefix in {MULTICAST[network.version]}"
        raise Refused(("prefix",), "not_multicast", f"{detail}, for example {DEFAULT_PREFIX[family]}", prefix)
    if ipaddress.ip_address(SIGNALLING[family]) in network:
        detail = (
            f"{shown(prefix)} contains {SIGNALLING[family]}, the address of in-band signalling; "
            "use another prefix"
        )
        raise Refused(("prefix",), "holds_signalling", detail, prefix)
    return network


def _parse_network(family: str, cidr: str, path: Path) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    kind = ipaddress.IPv4Network if family == "ipv4" else ipaddress.IPv6Network
    name = "an IPv4" if family == "ipv4" else "an IPv6"
    detail = f"{shown(cidr)} is not {name} prefix; write it like {DEFAULT_PREFIX[family]}"
    wrong = Refused(path, "not_a_prefix", detail, cidr)
    if not isinstance(cidr, str) or "%" in cidr:
        raise wrong
    _, _, length = cidr.partition("/")
    if "/" in cidr and not (length.isascii() and length.isdigit()):
        raise wrong  # a netmask, or an empty length
    try:
        return kind(cidr)
    except ValueError:
        pass
    try:
        loose = kind(cidr, strict=False)
    except ValueError:
        raise wrong from None
    detail = f"{shown(cidr)} has bits set after its prefix length; write {loose}"
    raise Refused(path, "host_bits", detail, cidr)
