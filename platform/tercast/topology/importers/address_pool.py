"""Datapath ids of switches and addresses of hosts: those of the file, or free ones."""

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tercast.errors import Refused, shown
from tercast.runtime.wording import quantity
from tercast.topology.elements import read_ip, read_mac

FAMILIES = ("ipv6", "ipv4")
_LARGEST_DPID = 2**64 - 1


@dataclass(frozen=True, slots=True)
class TakenAddresses:
    """Datapath ids and addresses that the network uses already, as text in the usual short form.

    An import assigns none of them again.
    """

    dpids: frozenset[str] = frozenset()
    ips: frozenset[str] = frozenset()
    macs: frozenset[str] = frozenset()


def read_dpid(value: object) -> int | None:
    """Read a datapath id of a file: an integer, or hexadecimal digits in a text.

    Returns:
        The id; None for 0 and for a value that is not a datapath id.
    """
    if isinstance(value, str):
        digits = value.strip().lower().replace(":", "").removeprefix("0x")
        value = int(digits, 16) if re.fullmatch(r"[0-9a-f]{1,16}", digits) else None
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 < value <= _LARGEST_DPID else None


def give_dpids(wanted: Sequence[tuple[str, object]], taken: TakenAddresses, notes: list[str]) -> list[str]:
    """Choose a datapath id for each switch: the one in the file, or the lowest free one.

    Args:
        wanted: pairs of a switch and the value in the file.
        taken: ids that are in use.
        notes: receives a line for each id that cannot be used.
    """
    kept: dict[int, int] = {}
    for place, (switch, value) in enumerate(wanted):
        dpid = read_dpid(value)
        if dpid is not None and dpid not in kept:
            kept[dpid] = place
        elif value is not None:
            rule = "not valid or not unique; the switch gets a free one"
            notes.append(f"datapath id {shown(value)} of {switch} is {rule}")
    own = {place: dpid for dpid, place in kept.items()}
    given, number, skipped = [], 0, 0
    for place in range(len(wanted)):
        if place in own:
            given.append(f"{own[place]:016x}")
            continue
        number += 1
        while number in kept or f"{number:016x}" in taken.dpids:
            skipped += number not in kept
            number += 1
        given.append(f"{number:016x}")
    if skipped:
        ids = quantity(skipped, "datapath id is", "datapath ids are")
        notes.append(f"{ids} in use in the network; the switches got the next free ones")
    return given


@dataclass(slots=True)
class Addresses:
    """Addresses of hosts: those of the file if valid, else fd00::1, ... or 10.0.0.1, ..."""

    family: str
    taken: TakenAddresses
    notes: list[str]
    _used: set[str] = field(default_factory=set)
    _number: int = 0
    _skipped: int = 0

    def keep(self, host: str, ip: object, mac: object) -> tuple[str | None, str | None]:
        """Return the addresses of a host in the file, with None for an unusable one.

        An address must be valid and unique. Call this method for all hosts before the first `fill`.
        """
        return (
            self._keep(host, "address", ip, lambda value: read_ip(value, self.family, ())),
            self._keep(host, "MAC address", mac, lambda value: read_mac(value, ())),
        )

    def fill(self, ip: str | None = None, mac: str | None = None) -> tuple[str, str]:
        """Return both addresses, with free ones in place of None."""
        if ip is not None and mac is not None:
            return ip, mac
        while True:
            self._number += 1
            next_ip, next_mac = _ip(self.family, self._number), _mac(self._number)
            if next_ip in self.taken.ips or next_mac in self.taken.macs:
                self._skipped += 1
            elif not self._used & {next_ip, next_mac}:
                return ip or next_ip, mac or next_mac

    def note_skipped(self) -> None:
        """Note how many addresses in use were skipped; call it after all addresses are assigned."""
        if self._skipped:
            addresses = quantity(self._skipped, "address is", "addresses are")
            self.notes.append(f"{addresses} in use in the network; the hosts got the next free ones")

    def _keep(self, host: str, what: str, value: object, read: Callable[[object], str]) -> str | None:
        if value is None:
            return None
        try:
            address = read(value)
        except Refused as refused:
            self.notes.append(f"{what} of host {host}: {refused.detail}; the host gets a free one")
            return None
        if address in self._used:
            rule = "also the address of another host; this host gets a free one"
            self.notes.append(f"{what} {address} of host {host} is {rule}")
            return None
        self._used.add(address)
        return address


def _ip(family: str, number: int) -> str:
    if family == "ipv4":
        return str(ipaddress.IPv4Address((10 << 24) + number))
    return str(ipaddress.IPv6Address((0xFD00 << 112) + number))


def _mac(number: int) -> str:
    return "02:00:" + ":".join(f"{number >> shift & 0xFF:02x}" for shift in (24, 16, 8, 0))
