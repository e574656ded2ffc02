"""Switches, links and hosts of a topology, and functions that read them from JSON."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter

from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text, wrong_type

MAX_NAME = 256
MAX_PORT = 0xFFFFFF00
"""The largest port number of OpenFlow 1.3."""

MAX_BUDGET = (1 << 31) - 1
MAX_COST = 1e12

_LEARNT = ("capacity", "declared")
"""Keys that a snapshot has for a switch that was found to be full below its budget."""

_ON_MAPS = ("name", "lat", "lon")
"""Optional keys of a switch, for pages and maps: a text and two coordinates in degrees."""

LinkEnds = tuple[str, int, str, int]
"""A link by its ends: a switch and its port, then the other switch and its port."""

_DPID = re.compile(r"[0-9a-fA-F]{16}")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch.

    Attributes:
        dpid: 16 hexadecimal digits.
        tcam_budget: the number of content entries that it may hold; None means no limit.
        reserve: the part of the budget that stays free for changes of the table.
        capacity: the number of entries at which the switch was found to be full; None if this is unknown.
        declared: the budget that an operator set, while `capacity` limits `tcam_budget`.
    """

    id: str
    dpid: str
    tcam_budget: int | None = None
    reserve: int = 0
    capacity: int | None = None
    declared: int | None = None

    @property
    def usable_budget(self) -> int | None:
        """Number of entries that may be planned; at least 1 unless the budget is 0. None: no limit."""
        if self.tcam_budget is None:
            return None
        return max(self.tcam_budget - self.reserve, min(self.tcam_budget, 1))

    def with_budget(self, budget: int | None) -> Switch:
        """Return this switch with another budget and without a known capacity."""
        return replace(self, tcam_budget=budget, capacity=None, declared=None)

    def with_capacity(self, entries: int | None) -> Switch:
        """Return this switch with a capacity of `entries`, or with none if `entries` is None."""
        declared = self.tcam_budget if self.capacity is None else self.declared
        if entries is None:
            return self.with_budget(declared)
        budget = entries if declared is None else min(declared, entries)
        return replace(self, tcam_budget=budget, capacity=entries, declared=declared)

    def with_reserve(self, entries: int) -> Switch:
        """Return this switch with another reserve."""
        return replace(self, reserve=entries)

    def to_json(self) -> dict[str, object]:
        """Return this switch as a scenario has it."""
        reserve = {"reserve": self.reserve} if self.reserve else {}
        learnt = {} if self.capacity is None else {"capacity": self.capacity, "declared": self.declared}
        return {"id": self.id, "dpid": self.dpid, "tcam_budget": self.tcam_budget, **reserve, **learnt}


@dataclass(frozen=True, slots=True)
class Link:
    """A link between a port of one switch and a port of another."""

    a: str
    a_port: int
    b: str
    b_port: int
    cost: int | float = 1

    def other(self, switch: str, port: int) -> tuple[str, int]:
        """Return the end opposite to `port` of `switch`."""
        return (self.b, self.b_port) if (switch, port) == (self.a, self.a_port) else (self.a, self.a_port)

    def to_json(self) -> dict[str, object]:
        """Return this link as a scenario has it."""
        return {"a": self.a, "a_port": self.a_port, "b": self.b, "b_port": self.b_port, "cost": self.cost}


def sorted_links(links: Iterable[Link]) -> list[Link]:
    """Sort links by their first end, because sets of links have no order across processes."""
    return sorted(links, key=attrgetter("a", "a_port"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A switch port where a host can be reached."""

    switch: str
    port: int

    def to_json(self) -> dict[str, object]:
        """Return this attachment as in `standby` of a host."""
        return {"switch": self.switch, "port": self.port}


@dataclass(frozen=True, slots=True)
class Host:
    """A host; `primary` is its attachment, `standby` are others that replace it, in order.

    After a move, `primary` can be one of `standby`. It stays in `standby` for the next move.
    """

    id: str
    primary: Attachment
    standby: tuple[Attachment, ...]
    ip: str
    mac: str

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Attachments in order of use, each of them once."""
        return (self.primary, *(place for place in self.standby if place != self.primary))

    @property
    def own_standby(self) -> int | None:
        """Index in `standby` of the primary attachment; None if it is not among them."""
        return self.standby.index(self.primary) if self.primary in self.standby else None

    def moved(self, place: Attachment) -> Host:
        """Return this host with another primary attachment and the same standby attachments."""
        return replace(self, primary=place)

    def with_own_standby(self, index: int) -> Host:
        """Return this host with its primary attachment also in `standby`, which `to_json` omits."""
        return replace(self, standby=(*self.standby[:index], self.primary, *self.standby[index:]))

    def to_json(self) -> dict[str, object]:
        """Return this host as a scenario has it, with `standby` without the primary attachment."""
        out: dict[str, object] = {
            "id": self.id,
            **self.primary.to_json(),
            "ip": self.ip,
            "mac": self.mac,
        }
        others = self.attachments[1:]
        if others:
            out["standby"] = [place.to_json() for place in others]
        return out


def read_name(value: object, path: Path) -> str:
    """Read an id: text of 1 to MAX_NAME printable characters."""
    name = expect_text(value, path)
    if not name or len(name) > MAX_NAME:
        rule = f"{shown(name)} has {len(name)} characters; an id has 1 to {MAX_NAME}"
        raise Refused(path, "bad_name", rule, name)
    if not name.isprintable():
        rule = f"{shown(name)} contains a character that is not printable; remove it"
        raise Refused(path, "bad_name", rule, name)
    return name


def read_port(value: object, path: Path) -> int:
    """Read a port number, 1 to MAX_PORT."""
    return expect_integer(value, path, 1, MAX_PORT)


def read_budget(value: object, path: Path) -> int | None:
    """Read a number of content entries, 0 or more; None means no limit."""
    return None if value is None else expect_integer(value, path, 0, MAX_BUDGET)


def read_switch(obj: object, path: Path = ()) -> Switch:
    """Read a switch as in a scenario; the fields for maps are checked and not kept."""
    fields = expect_keys(obj, path, ("id", "dpid"), ("tcam_budget", "reserve", *_LEARNT, *_ON_MAPS))
    if fields.get("name") is not None:
        expect_text(fields["name"], (*path, "name"))
    for key, most in (("lat", 90), ("lon", 180)):
        _check_degrees(fields.get(key), most, (*path, key))
    return Switch(
        read_name(fields["id"], (*path, "id")),
        read_dpid(fields["dpid"], (*path, "dpid")),
        read_budget(fields.get("tcam_budget"), (*path, "tcam_budget")),
        expect_integer(fields.get("reserve", 0), (*path, "reserve"), 0, MAX_BUDGET),
        *(read_budget(fields.get(key), (*path, key)) for key in _LEARNT),
    )


def read_dpid(value: object, path: Path) -> str:
    """Read a datapath id: 16 hexadecimal digits, not all 0; returned in lower case."""
    digits = expect_text(value, path)
    if not _DPID.fullmatch(digits):
        rule = f'invalid datapath id {shown(digits)}; write 16 hexadecimal digits, e.g. "0000000000000001"'
        raise Refused(path, "bad_dpid", rule, digits)
    if not int(digits, 16):
        raise Refused(path, "bad_dpid", "the datapath id is 0; use a value of at least 1", digits)
    return digits.lower()


def read_link(obj: object, path: Path = ()) -> Link:
    """Read a link as in a scenario; `Topology` checks whether its ends exist."""
    fields = expect_keys(obj, path, ("a", "a_port", "b", "b_port"), ("cost",))
    return Link(
        read_name(fields["a"], (*path, "a")),
        read_port(fields["a_port"], (*path, "a_port")),
        read_name(fields["b"], (*path, "b")),
        read_port(fields["b_port"], (*path, "b_port")),
        read_cost(fields.get("cost", 1), (*path, "cost")),
    )


def read_attachment(obj: object, path: Path = ()) -> Attachment:
    """Read a switch and a port."""
    fields = expect_keys(obj, path, ("switch", "port"))
    switch = read_name(fields["switch"], (*path, "switch"))
    return Attachment(switch, read_port(fields["port"], (*path, "port")))


def read_host(obj: object, family: str, path: Path = ()) -> Host:
    """Read a host as in a scenario, with addresses of `family` (ipv4, ipv6)."""
    fields = expect_keys(obj, path, ("id", "switch", "port", "ip", "mac"), ("standby",))
    name = read_name(fields["id"], (*path, "id"))
    primary = Attachment(
        read_name(fields["switch"], (*path, "switch")), read_port(fields["port"], (*path, "port"))
    )
    places = [primary]
    for i, item in enumerate(expect_list(fields.get("standby", ()), (*path, "standby"))):
        place = read_attachment(item, (*path, "standby", i))
        if place in places:
            detail = f"port {place.port} of {shown(place.switch)} is already an attachment of this host"
            raise Refused((*path, "standby", i), "duplicate", detail)
        places.append(place)
    ip = read_ip(fields["ip"], family, (*path, "ip"))
    return Host(name, primary, tuple(places[1:]), ip, read_mac(fields["mac"], (*path, "mac")))


def read_ip(value: object, family: str, path: Path) -> str:
    """Read a unicast address of `family`; it is returned in its usual short form."""
    written = expect_text(value, path)
    kind = ipaddress.IPv4Address if family == "ipv4" else ipaddress.IPv6Address
    try:
        if "%" in written:
            raise ValueError
        ip = kind(written)
    except ValueError:
        rule = f"{shown(written)} is not an {family} address"
        raise Refused(path, "bad_ip", rule, written) from None
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback:
        raise Refused(path, "bad_ip", f"{shown(written)} is not a unicast address of a host", written)
    if isinstance(ip, ipaddress.IPv4Address) and int(ip) == 0xFFFFFFFF:
        rule = f"{shown(written)} is the broadcast address; a host has a unicast address"
        raise Refused(path, "bad_ip", rule, written)
    return str(ip)


def read_mac(value: object, path: Path) -> str:
    """Read the MAC address of one interface; it is returned in lower case."""
    written = expect_text(value, path)
    if not _MAC.fullmatch(written):
        rule = f"{shown(written)} is not a MAC address; write six pairs of hexadecimal digits, separated by :"
        raise Refused(path, "bad_mac", rule, written)
    mac = written.lower()
    if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
        rule = f"{shown(written)} is not a MAC address of one interface; multicast and zero are not allowed"
        raise Refused(path, "bad_mac", rule, written)
    return mac


def _check_degrees(value: object, most: int, path: Path) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number of degrees")
    if not -most <= value <= most:
        rule = f"{shown(value)} is out of range; degrees are {-most} to {most}"
        raise Refused(path, "out_of_range", rule, value)


def read_cost(value: object, path: Path) -> int | float:
    """Read the cost of a link, 0 to MAX_COST."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number")
    if not 0 <= value <= MAX_COST:
        rule = f"{shown(value)} is out of range; a cost is 0 to {MAX_COST:.0e}"
        raise Refused(path, "out_of_range", rule, value)
    return value
