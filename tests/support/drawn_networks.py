"""Networks of the papers' drawings: switches with numbered ports, and requests that name dz."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tercast.encoding.limits import Limits
from tercast.eventspace import dz as dzs
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner
from tercast.tables.entries import Entry, Output, SetDst

BITS = 8
"""Length of the longest dz; the topic has one attribute with a value for each."""

Flows = dict[str, set[int | str]]
"""The outputs of a switch by dz."""

Link = tuple[str, int, str, int]


class DrawnNetwork:
    """A planner whose requests and flows are written with dz, as in the drawings."""

    def __init__(
        self, links: Sequence[Link], hosts: Mapping[str, tuple[str, int]], family: str = "ipv6"
    ) -> None:
        self.planner = Planner(AddressPlan.default(family), Limits(max_dz_length=BITS))
        self._code = 2 if family == "ipv6" else 0
        names = dict.fromkeys([*(end for link in links for end in (link[0], link[2]))])
        for number, name in enumerate(names, 1):
            self.request(op="add_switch", switch={"id": name, "dpid": f"{number:016x}"})
        for a, a_port, b, b_port in links:
            self.request(op="add_link", link={"a": a, "a_port": a_port, "b": b, "b_port": b_port})
        for number, (name, (switch, port)) in enumerate(hosts.items(), 1):
            address = f"fd00::{number:x}" if family == "ipv6" else f"10.0.0.{number}"
            row = {
                "id": name,
                "switch": switch,
                "port": port,
                "ip": address,
                "mac": f"02:00:00:00:00:{number:02x}",
            }
            self.request(op="add_host", host=row)
        attribute = {"name": "x", "type": "int", "min": 0, "max": (1 << BITS) - 1}
        self.request(op="add_topic", topic={"name": "t", "code": self._code, "attributes": [attribute]})

    def request(self, **fields: Any) -> None:
        """Apply a request."""
        outcome = self.planner.apply(fields)
        assert outcome.ok, (fields, outcome.reason)

    def advertise(self, host: str, *cells: str) -> None:
        """Advertise dz at a host; the id is that of the host."""
        self.request(op="advertise", id=host, host=host, topic="t", filter=filter_of(cells))

    def subscribe(self, host: str, *cells: str) -> None:
        """Subscribe to dz at a host; the id is that of the host."""
        self.request(op="subscribe", id=host, host=host, topic="t", filter=filter_of(cells))

    def unadvertise(self, host: str) -> None:
        """Withdraw the advertisement of a host."""
        self.request(op="unadvertise", id=host)

    def unsubscribe(self, host: str) -> None:
        """Withdraw the subscription of a host."""
        self.request(op="unsubscribe", id=host)

    def trees(self) -> list[set[str]]:
        """Return the dz of each tree, the oldest first."""
        return [{dzs.text(dz) for dz in tree.dz} for tree in self.planner.trees()]

    def entries(self, switch: str) -> dict[str, Entry]:
        """Return the flows of a switch by dz."""
        found = {}
        for entry in self.planner.table(switch):
            _, dz = self.planner.address.parse_match(entry.dst)
            found[dzs.text(dz)] = entry
        return found

    def flows(self, switch: str) -> Flows:
        """Return the outputs of a switch by dz; a host whose address is set is named."""
        return {dz: outputs(entry) for dz, entry in self.entries(switch).items()}


def outputs(entry: Entry) -> set[int | str]:
    """Return the ports of an entry; a port after a new destination is the host's name."""
    found: set[int | str] = set()
    host = None
    for action in entry.actions:
        if isinstance(action, SetDst):
            host = action.host
        elif isinstance(action, Output):
            found.add(action.port if host is None else host)
    return found


def filter_of(cells: Sequence[str]) -> str:
    """Return the filter whose dz set is `cells`."""
    ranges = []
    for cell in cells:
        first = int(cell or "0", 2) << BITS - len(cell)
        ranges.append(f"x in [{first}, {first + (1 << BITS - len(cell)) - 1}]")
    return " or ".join(ranges)


def value_in(cell: str) -> dict[str, int]:
    """Return the first event of a dz."""
    return {"x": int(cell, 2) << BITS - len(cell)}
