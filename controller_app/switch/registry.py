"""Which switches are connected, and over which connection: one for each datapath id, numbered by epochs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from time import time

from controller_app.errors import Unreachable
from controller_app.switch.connection import Connection


class SwitchRegistry:
    """The connections by datapath id. The first of two with one id stays; epochs grow, also over restarts."""

    def __init__(self) -> None:
        self._by_dpid: dict[int, Connection] = {}
        self._epochs = count(int(time() * 1000))

    def next_epoch(self) -> int:
        """A number larger than that of every earlier connection."""
        return next(self._epochs)

    def claim(self, connection: Connection) -> Connection | None:
        """Takes the connection in; where its id has one already, that one is returned and stays."""
        incumbent = self._by_dpid.setdefault(connection.dpid, connection)
        return None if incumbent is connection else incumbent

    def holder(self, dpid: int) -> Connection | None:
        """Return the connection that has the datapath id, also while it is set up, or None."""
        return self._by_dpid.get(dpid)

    def release(self, connection: Connection) -> bool:
        """Takes the connection out; False when it was not the one in charge."""
        if self._by_dpid.get(connection.dpid) is not connection:
            return False
        del self._by_dpid[connection.dpid]
        return True

    def get(self, dpid: int) -> Connection:
        """The connection of a switch that is set up, else Unreachable."""
        connection = self._by_dpid.get(dpid)
        if connection is None or not connection.ready:
            raise Unreachable(f"switch {dpid:016x} is not connected")
        return connection

    def find(self, dpid: int) -> Connection | None:
        """The connection of a switch that is set up, or None."""
        connection = self._by_dpid.get(dpid)
        return connection if connection is not None and connection.ready else None

    def __iter__(self) -> Iterator[Connection]:
        """The connections that are set up, by datapath id."""
        return iter([one for _, one in sorted(self._by_dpid.items()) if one.ready])

    def claimed(self) -> list[Connection]:
        """All connections, also those being set up."""
        return list(self._by_dpid.values())


def switch_json(connection: Connection, sources: str | None) -> dict[str, object]:
    """The northbound's form of a connected switch; `sources` is the version of its source check."""
    return {
        "dpid": connection.name,
        "address": connection.address,
        "connected_at": connection.connected_at,
        "proof": connection.proof.value,
        "epoch": connection.epoch,
        "ports": [port.to_json() for _, port in sorted(connection.ports.items())],
        "description": connection.description,
        "tables": connection.tables,
        "capabilities": list(connection.capabilities),
        "features": connection.features,
        "lacks": list(connection.lacks),
        "problems": list(connection.problems),
        "sources": sources,
    }
