"""Who wants an event, by the exact matcher, without asking every filter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tercast.dz import Dz
from tercast.encoder import encode_dz
from tercast.filters import Filter


class Interest:
    """Filters of hosts on one topic, found by the cells of their dz sets.

    An event that matches a filter always lies in its dz set, so only the filters whose cells hold the event's
    dz are asked, and of these only as many as it takes to know about each host.
    """

    __slots__ = ("_cells", "_lengths")

    def __init__(self, filters: Iterable[tuple[str, Filter]], depth: int, limit: int) -> None:
        self._cells: dict[Dz, dict[str, list[Filter]]] = {}
        for host, filter_ in filters:
            for dz in encode_dz(filter_, depth, limit):
                self._cells.setdefault(dz, {}).setdefault(host, []).append(filter_)
        self._lengths = sorted({dz.bit_length() for dz in self._cells})

    def hosts(self, values: Mapping[str, Any], dz: Dz) -> set[str]:
        """The hosts that want the event with these values (checked ones), whose full dz is `dz`."""
        wanting: set[str] = set()
        width = dz.bit_length()
        for length in self._lengths:
            if length > width:
                break
            for host, filters in self._cells.get(dz >> width - length, {}).items():
                if host not in wanting and any(filter_.matches(values) for filter_ in filters):
                    wanting.add(host)
        return wanting
