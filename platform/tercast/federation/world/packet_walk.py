"""Events through the installed tables of all partitions, with closed borders, one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz
from tercast.tables.entries import IN_PORT, Diff, Entry, SetDst
from tercast.topology.topology import Port
from tercast.verification.forwarding import ForwardingModel

CellAddress = tuple[int, Dz, int | None]


@dataclass(slots=True)
class WalkResult:
    """Copies that hosts received, and whether a copy went round in a loop."""

    copies: Counter[str] = field(default_factory=Counter)
    has_loop: bool = False


class InstalledTables:
    """The entries that switches have, and the ports where events are dropped."""

    def __init__(self, address: AddressPlan) -> None:
        self._address = address
        self._tables: dict[str, dict[CellAddress, Entry]] = {}
        self._lengths: dict[str, Counter[int]] = {}
        self.closed: set[Port] = set()

    def apply(self, diff: Diff) -> None:
        """Apply a difference."""
        for change in diff.switches:
            table = self._tables.setdefault(change.switch, {})
            lengths = self._lengths.setdefault(change.switch, Counter())
            for entry in change.removed:
                key = self._key(entry)
                del table[key]
                lengths[key[1].bit_length()] -= 1
            for entry in (*change.modified, *change.added):
                key = self._key(entry)
                lengths[key[1].bit_length()] += key not in table
                table[key] = entry

    def count(self) -> int:
        """Return the number of entries of all switches."""
        return sum(map(len, self._tables.values()))

    def entries(self, switch: str) -> Iterable[Entry]:
        """Return the entries of a switch."""
        return self._tables.get(switch, {}).values()

    def walk(self, world: ForwardingModel, start: Port, code: int, event: Dz) -> WalkResult:
        """Follow an event from the port where its publisher is attached."""
        result = WalkResult()
        waiting = [(start, 0)]
        limit = 2 * len(world.components) + 2
        while waiting:
            (switch, port), hops = waiting.pop()
            if hops > limit:
                result.has_loop = True
                continue
            if (switch, port) in self.closed:
                continue
            entry = self._match(switch, port, code, event)
            if entry is None:
                continue
            host: str | None = None
            for action in entry.actions:
                if isinstance(action, SetDst):
                    host = action.host
                    continue
                if action.port == port:
                    continue
                out = (switch, port if action.port == IN_PORT else int(action.port))
                if host is None:
                    if out in world.far:
                        waiting.append((world.far[out], hops + 1))
                elif world.place.get(host) == out:
                    result.copies[host] += 1
        return result

    def _match(self, switch: str, port: int, code: int, event: Dz) -> Entry | None:
        table = self._tables.get(switch)
        if not table:
            return None
        bits = event.bit_length()
        lengths = sorted((length for length, n in self._lengths[switch].items() if n), reverse=True)
        for at in (port, None):
            for length in lengths:
                entry = table.get((code, event >> bits - length, at)) if length <= bits else None
                if entry is not None:
                    return entry
        return None

    def _key(self, entry: Entry) -> CellAddress:
        code, dz = self._address.parse_match(entry.dst)
        return code, dz, entry.in_port
