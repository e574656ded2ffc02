"""A content entry of a switch's table: what the northbound takes and the switch holds.

The values are named tuples: a change has tens of thousands of them, and a tuple is made and hashed in C.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from socket import AF_INET, AF_INET6, inet_ntop, inet_pton
from typing import NamedTuple

from tercast.errors import Path, Refused, shown
from tercast.eventspace.address_plan import DEFAULT_PREFIX, SIGNALLING
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text

MIN_PRIORITY, MAX_PRIORITY = 2, 60000
"""Content priorities; 1 is the drop entry's, above 60000 are the punts'."""

MAX_PORT = 0xFFFFFF00
"""The largest number of a physical port in OpenFlow 1.3."""

MAX_ACTIONS = 1000
"""More would not fit into one flow-mod of 64 KiB."""

FAMILIES = ("ipv6", "ipv4")
_WIDTH = {"ipv6": 16, "ipv4": 4}

_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


def _packed(text: str) -> bytes | None:
    if not text.isascii() or "\0" in text:
        return None
    try:
        return inet_pton(AF_INET6 if ":" in text else AF_INET, text)
    except OSError:
        return None


class Prefix(NamedTuple):
    """An address prefix: packed address (4 or 16 bytes, zero beyond the length) and length in bits."""

    address: bytes
    length: int

    @classmethod
    def parse(cls, text: object, path: Path = ()) -> Prefix:
        """The prefix of a CIDR text; refuses host bits, zero-padded lengths and what is no prefix."""
        address, slash, length = expect_text(text, path).partition("/")
        packed = _packed(address)
        if packed is None or not slash or not length.isascii() or not length.isdigit() or len(length) > 3:
            raise Refused(path, "not_a_prefix", f"{shown(text)} is not ADDRESS/LENGTH in CIDR form", text)
        bits, width = int(length), 8 * len(packed)
        if str(bits) != length or bits > width:
            raise Refused(
                path, "bad_length", f"{shown(text)}: the length is 0 to {width}, without leading zeros", text
            )
        if int.from_bytes(packed, "big") & (1 << width - bits) - 1:
            raise Refused(path, "host_bits", f"{shown(text)} has bits beyond its length", text)
        return cls(packed, bits)

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


SIGNALS = {family: Prefix(_packed(SIGNALLING[family]) or b"", 8 * _WIDTH[family]) for family in FAMILIES}
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


def parse_entry(obj: object, path: Path, ranges: Iterable[Prefix]) -> FlowEntry:
    """The entry of a northbound object; its dst lies in one of `ranges`."""
    fields = expect_keys(obj, path, ("dst", "priority", "actions"), ("in_port",))
    key = _parse_key_fields(fields.get("dst"), fields.get("in_port"), fields.get("priority"), path, ranges)
    listed = fields["actions"]
    return FlowEntry(key, _parse_actions(listed, (*path, "actions"), key.dst.family))


def _parse_actions(obj: object, path: Path, family: str) -> tuple[Action, ...]:
    listed = expect_list(obj, path)
    if len(listed) > MAX_ACTIONS:
        detail = f"{len(listed)} actions; a flow-mod has room for {MAX_ACTIONS}"
        raise Refused(path, "too_many", detail, len(listed))
    actions = tuple(_parse_action(item, (*path, n), family) for n, item in enumerate(listed))
    if actions and not isinstance(actions[-1], OutputAction):
        detail = "the last action is set_dst, which changes nothing without an output behind it"
        raise Refused(path, "no_output", detail, None)
    return actions


def parse_rest(obj: object, path: Path, ranges: Iterable[Prefix]) -> RestEntry:
    """What a step says of packets that hit no content entry; the family is one of `ranges`."""
    fields = expect_keys(obj, path, ("family", "actions"))
    family = expect_text(fields["family"], (*path, "family"))
    found = [range_ for range_ in ranges if range_.family == family]
    if not found:
        known = " or ".join(range_.family for range_ in ranges)
        raise Refused((*path, "family"), "unknown_family", f"{shown(family)} is not {known}", family)
    return RestEntry(found[0], _parse_actions(fields["actions"], (*path, "actions"), family))


def parse_key(obj: object, path: Path, ranges: Iterable[Prefix]) -> Key:
    """The key of a northbound object that names an entry to remove."""
    fields = expect_keys(obj, path, ("dst", "priority"), ("in_port",))
    return _parse_key_fields(fields.get("dst"), fields.get("in_port"), fields.get("priority"), path, ranges)


def _parse_key_fields(
    dst: object, in_port: object, priority: object, path: Path, ranges: Iterable[Prefix]
) -> Key:
    prefix = Prefix.parse(dst, (*path, "dst"))
    if not any(prefix.within(outer) for outer in ranges):
        allowed = " and ".join(str(outer) for outer in ranges)
        raise Refused((*path, "dst"), "out_of_range", f"{shown(dst)} does not lie within {allowed}", dst)
    port = None if in_port is None else expect_integer(in_port, (*path, "in_port"), 1, MAX_PORT)
    level = expect_integer(priority, (*path, "priority"), MIN_PRIORITY, MAX_PRIORITY)
    return Key(prefix, port, level)


def _parse_action(obj: object, path: Path, family: str) -> Action:
    fields = expect_keys(obj, path, (), ("output", "set_dst"))
    if len(fields) != 1:
        raise Refused(path, "one_of", 'an action is {"output": ...} or {"set_dst": ...}, one of the two', obj)
    if "output" in fields:
        port = fields["output"]
        if port == "in_port":
            return OutputAction(None)
        return OutputAction(expect_integer(port, (*path, "output"), 1, MAX_PORT))
    return parse_set_dst(fields["set_dst"], (*path, "set_dst"), family)


def parse_set_dst(obj: object, path: Path, family: str) -> SetDestination:
    """The rewriting of a northbound object: a host's address of `family`, and its MAC."""
    fields = expect_keys(obj, path, ("ip", "mac"))
    ip = parse_address(fields["ip"], (*path, "ip"), (family,))
    return SetDestination(ip, parse_mac(fields["mac"], (*path, "mac")))


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
    if ip is None or not any(len(ip) == _WIDTH[family] for family in families):
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


@lru_cache(maxsize=65536)
def address_text(packed: bytes) -> str:
    """The usual text of a packed IPv4 or IPv6 address."""
    return inet_ntop(AF_INET if len(packed) == 4 else AF_INET6, packed)
