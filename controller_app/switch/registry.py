"""Connected switches: one connection for each datapath id, numbered by epochs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from time import time

from controller_app.errors import Unreachable
from controller_app.switch.connection import Connection


class SwitchRegistry:
    """Connections by datapath id: the first one stays; epochs grow, also over restarts."""

    def __init__(self) -> None:
        self._by_dpid: dict[int, Connection] = {}
        self._epochs = count(int(time() * 1000))

    def next_epoch(self) -> int:
        """Return a number that is larger than those of all earlier connections."""
        return next(self._epochs)

    def claim(self, connection: Connection) -> Connection | None:
        """Add a connection; if its id already has one, that one stays and is returned."""
        incumbent = self._by_dpid.setdefault(connection.dpid, connection)
        return None if incumbent is connection else incumbent

    def holder(self, dpid: int) -> Connection | None:
        """Return the connection that has the datapath id, also during its set-up, or None."""
        return self._by_dpid.get(dpid)

    def release(self, connection: Connection) -> bool:
        """Remove a connection; return False if another one has its datapath id."""
        if self._by_dpid.get(connection.dpid) is not connection:
            return False
        del self._by_dpid[connection.dpid]
        return True

    def get(self, dpid: int) -> Connection:
        """Return the connection of a switch in service.

        Raises:
            Unreachable: There is none.
        """
        connection = self._by_dpid.get(dpid)
        if connection is None or not connection.ready:
            raise Unreachable(f"switch {dpid:016x} is not connected")
        return connection

    def find(self, dpid: int) -> Connection | None:
        """Return the connection of a switch in service, or None."""
        connection = self._by_dpid.get(dpid)
        return connection if connection is not None and connection.ready else None

    def __iter__(self) -> Iterator[Connection]:
        """Iterate over the connections of switches in service, by datapath id."""
        return iter([one for _, one in sorted(self._by_dpid.items()) if one.ready])

    def claimed(self) -> list[Connection]:
        """Return all connections, also those during their set-up."""
        return list(self._by_dpid.values())


def switch_json(connection: Connection, sources: str | None) -> dict[str, object]:
    """Return the northbound's form of a connected switch.

    Args:
        sources: The version of its source check.
    """
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
