"""What the plan has and switches have not confirmed, and whom that keeps waiting.

A switch lags by entries that it still has to take in (missing) or let go (left over). A request waits for
those lagging switches that lag somewhere in its own region, the events that it is about.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from controlplane.config.planning import address_plan
from tercast.dz import Dz, overlaps
from tercast.tables import Entry, SwitchDiff


@dataclass(frozen=True, slots=True)
class Region:
    """Some of a topic's events; the two codes of a topic count as one."""

    code: int
    dz: tuple[Dz, ...]

    def overlaps(self, other: "Region") -> bool:
        """Whether some event is in both."""
        return self.code | 1 == other.code | 1 and any(overlaps(a, b) for a in self.dz for b in other.dz)


@dataclass(frozen=True, slots=True)
class Debt:
    """Destinations of the entries that a switch misses, of those left over, and why it is so.

    `refused`: the switch was asked and said no, so that nobody knows whether it will ever have them.
    `held`: it was not asked, since it has no room while others hold up what has to go first.
    """

    missing: frozenset[str] = frozenset()
    left_over: frozenset[str] = frozenset()
    reason: str = ""
    refused: bool = False
    held: bool = False

    @classmethod
    def of(cls, diff: SwitchDiff, reason: str, held: bool = False) -> "Debt":
        """Everything that `diff` has still to do."""
        return cls(destinations(diff.installs), destinations(diff.removed), reason, held=held)


class Lag:
    """The switches that lag, by name. A switch whose debt is empty has yet to be asked what it holds."""

    def __init__(self) -> None:
        self._debts: dict[str, Debt] = {}

    def __bool__(self) -> bool:
        return bool(self._debts)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._debts))

    def __contains__(self, switch: str) -> bool:
        return switch in self._debts

    def reason(self, switch: str) -> str:
        """Why `switch` lags."""
        return self._debts[switch].reason

    def add(self, switch: str, debt: Debt) -> None:
        """`switch` owes `debt` besides what it owed before."""
        before = self._debts.get(switch, Debt())
        missing, left_over = before.missing | debt.missing, before.left_over | debt.left_over
        refused = before.refused or debt.refused
        self._debts[switch] = Debt(missing, left_over, debt.reason, refused, debt.held)

    def lose(self, switch: str, reason: str) -> None:
        """`switch` cannot be asked; it owes what it owed before."""
        self._debts[switch] = replace(self._debts.get(switch, Debt()), reason=reason, refused=False)

    def put(self, switch: str, debt: Debt) -> None:
        """`switch` owes `debt` and nothing else."""
        self._debts[switch] = debt

    def settle(self, switch: str) -> None:
        """`switch` has confirmed everything."""
        self._debts.pop(switch, None)

    def concerns(self, switch: str, region: Region | None) -> bool:
        """Whether `switch` lags in `region`; None stands for a request that may be about anything."""
        debt = self._debts.get(switch)
        if debt is None:
            return False
        return region is None or _touches(region, debt.missing) or _touches(region, debt.left_over)

    def refused(self, switch: str) -> bool:
        """Whether `switch` was asked last and said no."""
        return switch in self._debts and self._debts[switch].refused

    def held_up(self) -> list[str]:
        """The switches that lag only because others do: by entries kept in place, or for want of room."""
        return [
            name for name, debt in self._debts.items() if debt.held or (debt.left_over and not debt.missing)
        ]

    def without_room(self) -> list[str]:
        """The switches that wait as a whole, for want of room."""
        return [name for name, debt in self._debts.items() if debt.held]

    def held(self, entries: Iterable[Entry], silent: Iterable[str]) -> frozenset[str]:
        """The destinations of those `entries`, about to be removed, that a `silent` switch holds up.

        While events move to another way, the old one stays until all of the new one is confirmed. A switch
        that refused something holds up nobody: tables must be able to make room.
        """
        wanted = [self._debts[name].missing for name in silent if name in self._debts]
        return frozenset(
            entry.dst for entry in entries if any(_touches(region_of(entry.dst), dsts) for dsts in wanted)
        )


def destinations(entries: Iterable[Entry]) -> frozenset[str]:
    """Where `entries` match."""
    return frozenset(entry.dst for entry in entries)


@lru_cache(maxsize=65536)
def region_of(dst: str) -> Region:
    """The events that an entry to `dst` is about."""
    code, dz = address_plan().parse_match(dst)
    return Region(code, (dz,))


def _touches(region: Region, dsts: Iterable[str]) -> bool:
    return any(region.overlaps(region_of(dst)) for dst in dsts)
