"""Counters of ports and tables, polled and stored for all readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from controller_app.clock import utc_now
from controller_app.errors import RequestRejected, Unreachable
from controller_app.openflow import messages
from controller_app.openflow.flow_entry import MAX_PORT
from controller_app.openflow.flow_mods import OWNER, OWNER_MASK, WHOLE_COOKIE, EntryKind
from controller_app.ryu_api import sleep, spawn
from controller_app.switch.connection import Connection
from controller_app.switch.flow_stats import read_count, read_foreign
from controller_app.switch.handshake import reserved_count
from controller_app.switch.registry import SwitchRegistry

RECOUNT = 0.3
"""Seconds until reserved entries are counted again if their number is wrong."""


@dataclass(slots=True)
class CounterReading:
    """Counters of a switch at one time.

    Attributes:
        at: Time of the reading.
        ports: Rows of the northbound, one per physical port.
        entries: Own content entries.
        foreign: Entries of other owners.
        reserved: Own entries that are not content entries.
        reserved_wanted: Reserved entries that the switch should have.
        dropped: Event packets of unknown sources, by port.
    """

    at: str
    ports: list[dict[str, object]]
    entries: int
    foreign: int
    reserved: int
    reserved_wanted: int
    dropped: Mapping[int, int]

    def sources_json(self, dpid: int) -> list[dict[str, object]]:
        """Return the northbound's rows of packets that the source check dropped, by port."""
        rows = sorted(self.dropped.items())
        return [{"dpid": f"{dpid:016x}", "port": port, "dropped_packets": packets} for port, packets in rows]

    def table_json(self, dpid: int) -> dict[str, object]:
        """Return the northbound's row of this switch's table."""
        return {
            "dpid": f"{dpid:016x}",
            "entries": self.entries,
            "foreign": self.foreign,
            "reserved": self.reserved,
            "reserved_wanted": self.reserved_wanted,
            "at": self.at,
        }


class PortCounters:
    """Reads every switch once per period; a slow switch gets no new request until it answers."""

    def __init__(
        self,
        registry: SwitchRegistry,
        period: float,
        families: Sequence[str],
        read_dropped: Callable[[Connection], Mapping[int, int]],
    ) -> None:
        self._registry = registry
        self._read_dropped = read_dropped
        self._families = families
        self._period = period
        self._readings: dict[int, CounterReading] = {}
        self._asking: set[int] = set()

    def run(self) -> None:
        """Poll the switches, without end."""
        while True:
            for connection in self._registry:
                if connection.epoch not in self._asking:
                    self._asking.add(connection.epoch)
                    spawn(self._poll, connection)
            sleep(self._period)

    def forget(self, connection: Connection) -> None:
        """Forget the counters of a switch that disconnected."""
        self._readings.pop(connection.dpid, None)

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form of all latest readings."""
        rows = sorted(self._readings.items())
        return {
            "ports": [port for _, reading in rows for port in reading.ports],
            "tables": [reading.table_json(dpid) for dpid, reading in rows],
            "sources": [row for dpid, reading in rows for row in reading.sources_json(dpid)],
        }

    def _poll(self, connection: Connection) -> None:
        try:
            self._read(connection)
        except (Unreachable, RequestRejected):
            return
        finally:
            self._asking.discard(connection.epoch)

    def _read(self, connection: Connection) -> None:
        """Read a switch. If its number of foreign entries changed, read their matches again."""
        before = self._readings.get(connection.dpid)
        ports = [
            _port_json(connection.name, row)
            for part in connection.request(messages.port_stats())
            for row in part
            if row.port_no <= MAX_PORT
        ]
        entries = read_count(connection, EntryKind.CONTENT.cookie, WHOLE_COOKIE)
        own = read_count(connection, OWNER, OWNER_MASK)
        foreign = read_count(connection, 0, 0) - own
        if before is None or before.foreign != foreign:
            connection.foreign = read_foreign(connection)
        reserved, wanted = self._reserved(connection, own - entries)
        dropped = self._read_dropped(connection)
        if connection.ready:
            self._readings[connection.dpid] = CounterReading(
                utc_now(), ports, entries, foreign, reserved, wanted, dropped
            )

    def _reserved(self, connection: Connection, found: int) -> tuple[int, int]:
        """Count the reserved entries, and those that should exist.

        The numbers may differ for a moment while a port or a repair changes the entries. So the entries are
        counted again if the numbers differ.
        """
        wanted = reserved_count(connection, self._families)
        if found == wanted:
            return found, wanted
        sleep(RECOUNT)
        content = read_count(connection, EntryKind.CONTENT.cookie, WHOLE_COOKIE)
        return read_count(connection, OWNER, OWNER_MASK) - content, reserved_count(connection, self._families)


def _port_json(dpid: str, row: Any) -> dict[str, object]:
    return {
        "dpid": dpid,
        "port": row.port_no,
        "rx_packets": row.rx_packets,
        "tx_packets": row.tx_packets,
        "rx_bytes": row.rx_bytes,
        "tx_bytes": row.tx_bytes,
    }
