"""Differences between the plan and the confirmed tables, and the requests that they delay.

A switch lags by entries that it has not installed (missing) or not removed (left over). A request waits for
the switches that lag in its own region, which are its events. The destinations of these entries are in sorted
sets of cells, so a question takes one search per cell and no scan.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache

from controlplane.common.address_plan import address_plan
from tercast.eventspace.dz import Dz
from tercast.routing.cell_counts import CellCounts
from tercast.routing.cell_keys import Key, Order
from tercast.tables.entries import Entry, SwitchDiff

TopicCell = tuple[int, Key]
"""A cell of a topic; the two codes of the topic count as one."""


@dataclass(frozen=True, slots=True)
class EventRegion:
    """Some events of a topic; the two codes of the topic count as one."""

    code: int
    dz: tuple[Dz, ...]

    def places(self) -> Iterator[TopicCell]:
        """Yield the cells of the region."""
        key = order().key
        return ((self.code | 1, key(dz)) for dz in self.dz)


@dataclass(frozen=True, slots=True)
class OutstandingChange:
    """Destinations of the missing and the left-over entries of a switch, and the reason.

    `refused` means that the switch refused, so it is unknown whether it will ever have them. `held` means
    that nothing was sent, because the switch has no free entries while others delay the removals that must
    come first.
    """

    missing: frozenset[str] = frozenset()
    left_over: frozenset[str] = frozenset()
    reason: str = ""
    refused: bool = False
    held: bool = False

    @classmethod
    def of(cls, diff: SwitchDiff, reason: str, held: bool = False) -> "OutstandingChange":
        """Create the change that contains all of `diff`."""
        return cls(destinations(diff.installs), destinations(diff.removed), reason, held=held)


class OwedPlaces:
    """A set of cells of topics that can be searched for overlaps."""

    __slots__ = ("_cells",)

    def __init__(self, places: Iterable[TopicCell] = ()) -> None:
        self._cells: dict[int, CellCounts] = {}
        self.add(places)

    def __bool__(self) -> bool:
        return bool(self._cells)

    def __iter__(self) -> Iterator[TopicCell]:
        return ((code, key) for code, cells in self._cells.items() for key in cells)

    def __contains__(self, place: TopicCell) -> bool:
        cells = self._cells.get(place[0])
        return cells is not None and place[1] in cells

    def add(self, places: Iterable[TopicCell]) -> None:
        """Add the cells that are not in the set yet."""
        for code, key in places:
            cells = self._cells.get(code)
            if cells is None:
                cells = self._cells[code] = CellCounts(order())
            if key not in cells:
                cells.add(key)

    def overlaps(self, places: Iterable[TopicCell]) -> bool:
        """Whether any of `places` has events in common with a cell of the set."""
        return any(
            cells.overlaps(key) for code, key in places if (cells := self._cells.get(code)) is not None
        )


@dataclass(slots=True)
class _Owed:
    """Outstanding changes of one switch."""

    missing: OwedPlaces = field(default_factory=OwedPlaces)
    left_over: OwedPlaces = field(default_factory=OwedPlaces)
    reason: str = ""
    refused: bool = False
    held: bool = False

    def add(self, debt: OutstandingChange) -> None:
        self.missing.add(map(place_of, debt.missing))
        self.left_over.add(map(place_of, debt.left_over))
        self.reason, self.held = debt.reason, debt.held
        self.refused = self.refused or debt.refused

    def overlaps(self, places: list[TopicCell]) -> bool:
        return self.missing.overlaps(places) or self.left_over.overlaps(places)

    def minus(self, other: "_Owed") -> list[TopicCell]:
        """Return the cells that are outstanding here but not in `other`."""
        parts = ((self.missing, other.missing), (self.left_over, other.left_over))
        return [place for own, others in parts for place in own if place not in others]


class Unconfirmed:
    """Lagging switches by name; one without outstanding cells has not been read back yet."""

    def __init__(self) -> None:
        self._owed: dict[str, _Owed] = {}
        self._eased: dict[str, list[TopicCell] | None] = {}

    def __bool__(self) -> bool:
        return bool(self._owed)

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._owed))

    def __len__(self) -> int:
        return len(self._owed)

    def __contains__(self, switch: str) -> bool:
        return switch in self._owed

    def reason(self, switch: str) -> str:
        """Return the reason why `switch` lags."""
        return self._owed[switch].reason

    def add(self, switch: str, debt: OutstandingChange) -> None:
        """Add `debt` to the outstanding changes of `switch`."""
        self._owed.setdefault(switch, _Owed()).add(debt)

    def lose(self, switch: str, reason: str) -> None:
        """Record that `switch` does not answer; its outstanding changes stay."""
        owed = self._owed.setdefault(switch, _Owed())
        owed.reason, owed.refused = reason, False

    def put(self, switch: str, debt: OutstandingChange) -> None:
        """Replace the outstanding changes of `switch` by `debt`."""
        before, now = self._owed.get(switch), _Owed()
        now.add(debt)
        self._owed[switch] = now
        gone = [] if before is None else before.minus(now)
        if gone and self._eased.get(switch, []) is not None:
            self._eased[switch] = [*(self._eased.get(switch) or ()), *gone]

    def settle(self, switch: str) -> None:
        """Record that `switch` has confirmed everything."""
        if self._owed.pop(switch, None) is not None:
            self._eased[switch] = None

    def take_eased(self) -> dict[str, list[TopicCell] | None]:
        """Return the switches that improved since the last call, with the settled cells (None: all)."""
        eased, self._eased = self._eased, {}
        return eased

    def concerns(self, switch: str, region: EventRegion | None) -> bool:
        """Whether `switch` lags in `region`; None means that any event may be affected."""
        owed = self._owed.get(switch)
        return owed is not None and (region is None or owed.overlaps(list(region.places())))

    def concerned(self, switches: Iterable[str], region: EventRegion | None) -> list[str]:
        """Return those of `switches` that lag in `region`, in their order."""
        lagging = [name for name in switches if name in self._owed]
        if region is None or not lagging:
            return lagging
        places = list(region.places())
        return [name for name in lagging if self._owed[name].overlaps(places)]

    def refused(self, switch: str) -> bool:
        """Whether `switch` refused the last change."""
        return switch in self._owed and self._owed[switch].refused

    def held_up(self) -> list[str]:
        """Return the switches that lag only because of others: by kept entries or full tables."""
        return [
            name for name, owed in self._owed.items() if owed.held or (owed.left_over and not owed.missing)
        ]

    def without_room(self) -> list[str]:
        """Return the switches whose complete change waits for free entries."""
        return [name for name, owed in self._owed.items() if owed.held]

    def held(self, entries: Iterable[Entry], silent: Iterable[str]) -> frozenset[str]:
        """Return the destinations of `entries` to remove that a `silent` switch delays.

        While events move to another path, the old path stays until all of the new one is confirmed. A switch
        that refused something delays no other one: tables must be able to free entries.
        """
        wanted = [self._owed[name].missing for name in silent if name in self._owed]
        return frozenset(
            entry.dst
            for entry in entries
            if any(missing.overlaps([place_of(entry.dst)]) for missing in wanted)
        )


def destinations(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the destinations that `entries` match."""
    return frozenset(entry.dst for entry in entries)


@cache
def order() -> Order:
    """Return the order of all cells that fit in addresses."""
    return Order(address_plan().dz_room)


@lru_cache(maxsize=65536)
def place_of(dst: str) -> TopicCell:
    """Return the cell that an entry with the destination `dst` matches."""
    code, dz = address_plan().parse_match(dst)
    return code | 1, order().key(dz)
