"""Switches, links and hosts: the values of a topology, and reading them from JSON."""

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
"""What a snapshot tells of a switch that was found to be full below its budget."""

_ON_MAPS = ("name", "lat", "lon")
"""What a switch may carry beside, for pages and maps: a text and two coordinates in degrees."""

LinkEnds = tuple[str, int, str, int]
"""A link by its ends: a switch and its port, and the other switch and its port."""

_DPID = re.compile(r"[0-9a-fA-F]{16}")
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass(frozen=True, slots=True)
class Switch:
    """A switch; `dpid` is 16 hex digits, `tcam_budget` the content entries it may hold (None: unlimited).

    `reserve` of these are kept free for changes of the table. Where a switch was found to have room for
    `capacity` entries and no more, `tcam_budget` is what holds now, and `declared` what an operator had said.
    """

    id: str
    dpid: str
    tcam_budget: int | None = None
    reserve: int = 0
    capacity: int | None = None
    declared: int | None = None

    @property
    def room(self) -> int | None:
        """How many entries may be planned; a table that may hold anything keeps one for it."""
        if self.tcam_budget is None:
            return None
        return max(self.tcam_budget - self.reserve, min(self.tcam_budget, 1))

    def with_budget(self, budget: int | None) -> Switch:
        """The same switch with another budget; what was learnt of its capacity is forgotten."""
        return replace(self, tcam_budget=budget, capacity=None, declared=None)

    def with_capacity(self, entries: int | None) -> Switch:
        """The same switch, found to have room for so many entries; None: nothing is known of it any more."""
        declared = self.tcam_budget if self.capacity is None else self.declared
        if entries is None:
            return self.with_budget(declared)
        budget = entries if declared is None else min(declared, entries)
        return replace(self, tcam_budget=budget, capacity=entries, declared=declared)

    def with_reserve(self, entries: int) -> Switch:
        """The same switch with another reserve."""
        return replace(self, reserve=entries)

    def to_json(self) -> dict[str, object]:
        """As in a scenario."""
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
        """The end that is not this one."""
        return (self.b, self.b_port) if (switch, port) == (self.a, self.a_port) else (self.a, self.a_port)

    def to_json(self) -> dict[str, object]:
        """As in a scenario."""
        return {"a": self.a, "a_port": self.a_port, "b": self.b, "b_port": self.b_port, "cost": self.cost}


def sorted_links(links: Iterable[Link]) -> list[Link]:
    """Return links by their first end: one order in every process, which sets of links do not have."""
    return sorted(links, key=attrgetter("a", "a_port"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A switch port where a host can be reached."""

    switch: str
    port: int

    def to_json(self) -> dict[str, object]:
        """As in a host's `standby`."""
        return {"switch": self.switch, "port": self.port}


@dataclass(frozen=True, slots=True)
class Host:
    """A host; `primary` is where it is attached, the others stand by in order.

    After a move `primary` can be one of `standby`, which stays known for when the host moves on.
    """

    id: str
    primary: Attachment
    standby: tuple[Attachment, ...]
    ip: str
    mac: str

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """Where it can be reached, in order, each place once."""
        return (self.primary, *(place for place in self.standby if place != self.primary))

    @property
    def own_standby(self) -> int | None:
        """Which of `standby` is the primary place, too; None without one."""
        return self.standby.index(self.primary) if self.primary in self.standby else None

    def moved(self, place: Attachment) -> Host:
        """The same host with another primary attachment, and the same standby ones."""
        return replace(self, primary=place)

    def with_own_standby(self, index: int) -> Host:
        """The same host whose primary place is its standby one at `index`, too: what `to_json` leaves out."""
        return replace(self, standby=(*self.standby[:index], self.primary, *self.standby[index:]))

    def to_json(self) -> dict[str, object]:
        """As in a scenario, where the primary place does not stand among the standby ones."""
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
    """An id: text of 1 to MAX_NAME printable characters."""
    name = expect_text(value, path)
    if not name or len(name) > MAX_NAME:
        raise Refused(path, "bad_name", f"{shown(name)} has {len(name)} characters; 1 to {MAX_NAME}", name)
    if not name.isprintable():
        raise Refused(path, "bad_name", f"{shown(name)} has a character that does not print", name)
    return name


def read_port(value: object, path: Path) -> int:
    """A port number, 1 or more."""
    return expect_integer(value, path, 1, MAX_PORT)


def read_budget(value: object, path: Path) -> int | None:
    """A number of content entries, 0 or more; None is unlimited."""
    return None if value is None else expect_integer(value, path, 0, MAX_BUDGET)


def read_switch(obj: object, path: Path = ()) -> Switch:
    """A switch as in a scenario; how maps show it is checked and left out."""
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
    """A datapath id: 16 hex digits, not 0, in small letters."""
    digits = expect_text(value, path)
    if not _DPID.fullmatch(digits):
        raise Refused(path, "bad_dpid", f"{shown(digits)} is no datapath id: 16 hex digits", digits)
    if not int(digits, 16):
        raise Refused(path, "bad_dpid", "a datapath id of 0 names no switch", digits)
    return digits.lower()


def read_link(obj: object, path: Path = ()) -> Link:
    """A link as in a scenario; whether its ends exist is for the topology to say."""
    fields = expect_keys(obj, path, ("a", "a_port", "b", "b_port"), ("cost",))
    return Link(
        read_name(fields["a"], (*path, "a")),
        read_port(fields["a_port"], (*path, "a_port")),
        read_name(fields["b"], (*path, "b")),
        read_port(fields["b_port"], (*path, "b_port")),
        _read_cost(fields.get("cost", 1), (*path, "cost")),
    )


def read_attachment(obj: object, path: Path = ()) -> Attachment:
    """A switch and a port."""
    fields = expect_keys(obj, path, ("switch", "port"))
    switch = read_name(fields["switch"], (*path, "switch"))
    return Attachment(switch, read_port(fields["port"], (*path, "port")))


def read_host(obj: object, family: str, path: Path = ()) -> Host:
    """A host as in a scenario, its addresses of `family` (ipv4, ipv6)."""
    fields = expect_keys(obj, path, ("id", "switch", "port", "ip", "mac"), ("standby",))
    name = read_name(fields["id"], (*path, "id"))
    primary = Attachment(
        read_name(fields["switch"], (*path, "switch")), read_port(fields["port"], (*path, "port"))
    )
    places = [primary]
    for i, item in enumerate(expect_list(fields.get("standby", ()), (*path, "standby"))):
        place = read_attachment(item, (*path, "standby", i))
        if place in places:
            detail = f"port {place.port} of {shown(place.switch)} is an attachment of this host already"
            raise Refused((*path, "standby", i), "duplicate", detail)
        places.append(place)
    ip = read_ip(fields["ip"], family, (*path, "ip"))
    return Host(name, primary, tuple(places[1:]), ip, read_mac(fields["mac"], (*path, "mac")))


def read_ip(value: object, family: str, path: Path) -> str:
    """A unicast address of `family`, in its usual short form."""
    written = expect_text(value, path)
    kind = ipaddress.IPv4Address if family == "ipv4" else ipaddress.IPv6Address
    try:
        if "%" in written:
            raise ValueError
        ip = kind(written)
    except ValueError:
        raise Refused(path, "bad_ip", f"{shown(written)} is no address of family {family}", written) from None
    if ip.is_multicast or ip.is_unspecified or ip.is_loopback:
        raise Refused(path, "bad_ip", f"{shown(written)} is not the address of one host", written)
    if isinstance(ip, ipaddress.IPv4Address) and int(ip) == 0xFFFFFFFF:
        raise Refused(path, "bad_ip", f"{shown(written)} is the broadcast address", written)
    return str(ip)


def read_mac(value: object, path: Path) -> str:
    """The MAC address of one interface, in small letters."""
    written = expect_text(value, path)
    if not _MAC.fullmatch(written):
        raise Refused(
            path, "bad_mac", f"{shown(written)} is no MAC address: six pairs of hex digits", written
        )
    mac = written.lower()
    if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
        raise Refused(path, "bad_mac", f"{shown(written)} is not the address of one interface", written)
    return mac


def _check_degrees(value: object, most: int, path: Path) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number of degrees")
    if not -most <= value <= most:
        raise Refused(path, "out_of_range", f"{shown(value)} is not in {-most}..{most} degrees", value)


def _read_cost(value: object, path: Path) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise wrong_type(value, path, "a number")
    if not 0 <= value <= MAX_COST:
        raise Refused(path, "out_of_range", f"{shown(value)} is no cost: 0 to {MAX_COST:.0e}", value)
    return value
