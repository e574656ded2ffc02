"""Conversion of covers between requests (dz) and tables (keys)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from tercast.aggregation.incremental.cover_node import CoverCells
from tercast.aggregation.incremental.installed_table import InstalledTable
from tercast.errors import Refused
from tercast.routing.cell_keys import Order
from tercast.runtime.wording import unknown_name
from tercast.tables.covers import Cover, NetworkCovers, TableCovers


def cover_cells(order: Order, covers: TableCovers) -> Iterator[tuple[int, CoverCells]]:
    """Yield every cover with the port of its table (0: the plain table)."""
    for port, found in ((0, covers.plain), *covers.in_port.items()):
        for cover in found:
            yield port, (order.key(cover.dz), tuple(sorted(map(order.key, cover.kept))))


def table_covers(order: Order, tables: Mapping[int, InstalledTable]) -> TableCovers:
    """The covers of a topic's tables at a switch."""
    found = {
        port: tuple(Cover.of(order.dz(top), map(order.dz, kept)) for top, kept in table.covers())
        for port, table in tables.items()
    }
    return TableCovers(found.pop(0, ()), {port: covers for port, covers in found.items() if covers})


def check_covers(
    covers: NetworkCovers, switches: Collection[str], topics: Collection[str], depth: int
) -> None:
    """Refuse covers of unknown switches and topics, and dz longer than `depth`."""
    for switch, of_switch in covers.items():
        if switch not in switches:
            detail = unknown_name("switch", switch, switches)
            raise Refused(("covers", switch), "unknown_switch", detail, switch)
        for topic, found in of_switch.items():
            path = ("covers", switch, topic)
            if topic not in topics:
                raise Refused(path, "unknown_topic", unknown_name("topic", topic, topics), topic)
            for cover in (*found.plain, *(one for port in found.in_port.values() for one in port)):
                longest = max(map(int.bit_length, (cover.dz, *cover.kept))) - 1
                if longest > depth:
                    detail = f"a dz has {longest} bits; at most {depth} are allowed"
                    raise Refused(path, "dz_too_long", detail)
