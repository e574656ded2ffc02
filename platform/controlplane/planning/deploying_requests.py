"""Requests that deploy, in memory: which of them a step may have ended, without a look at the others.

The database has all of it (`state`, `waits_for`); `load` reads it. A request is looked at again only when a
switch that it waits for owes less than before, or when its events may cross fewer switches. Nothing else can
end its wait.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from controlplane.planning.delivery_paths import Shrunk
from controlplane.planning.region_index import RegionIndex
from controlplane.planning.unconfirmed import EventRegion, Unconfirmed
from controlplane.requestlog.kinds import ANNOUNCING, ANNOUNCING_KIND, REMOVES_PART
from controlplane.requestlog.models import Request, State


@dataclass(slots=True)
class Waiter:
    """A request that deploys.

    `switches` are those whose tables it changed, `adds` says whether it added entries. `is_told`: its row
    says what it waits for. `is_listed`: it was looked at, and is found by what it waits for.
    """

    pk: int
    position: int
    kind: str
    announcement: str
    switches: tuple[str, ...]
    adds: bool
    waits_for: list[str]
    is_told: bool
    is_listed: bool = False
    region: EventRegion | None = None

    @classmethod
    def of(cls, row: Request) -> "Waiter":
        """That of a row of the log."""
        assert row.position is not None
        name, switches = str(row.payload.get("id", "")), tuple(row.switches)
        told = row.problem is not None
        return cls(row.pk, row.position, row.kind, name, switches, row.added > 0, row.waits_for, told)


class Waiting:
    """All requests that deploy, and those among them that have to be looked at."""

    def __init__(self) -> None:
        self._waiters: dict[int, Waiter] = {}
        self._suspects: set[int] = set()
        self._idle: set[int] = set()
        self._removals: dict[int, Waiter] = {}
        self._by_switch: dict[str, set[int]] = defaultdict(set)
        self._by_announcement: dict[str, int] = {}
        self._regions = RegionIndex()

    @classmethod
    def load(cls) -> "Waiting":
        """Those of the database, all of which have to be looked at."""
        waiting = cls()
        waiting.add(Request.objects.filter(state=State.DEPLOYING).order_by("position").iterator(2000))
        return waiting

    def __len__(self) -> int:
        return len(self._waiters)

    @property
    def idle(self) -> frozenset[int]:
        """Those that wait for no switch, by id: for publishers, or for another removal."""
        return frozenset(self._idle)

    @property
    def removes(self) -> bool:
        """Whether any of them removes a part of the network."""
        return bool(self._removals)

    def add(self, rows: Iterable[Request]) -> None:
        """Begin to follow those of `rows` that deploy."""
        for row in rows:
            if row.state == State.DEPLOYING:
                waiter = self._waiters[row.pk] = Waiter.of(row)
                self._suspects.add(row.pk)
                if row.kind in REMOVES_PART:
                    self._removals[row.pk] = waiter

    def drop(self, pk: int) -> None:
        """Forget a request that deploys no more."""
        waiter = self._waiters.pop(pk, None)
        if waiter is not None:
            self._unlist(waiter)
            self._suspects.discard(pk)
            self._removals.pop(pk, None)

    def keep(self, waiter: Waiter, waits_for: Sequence[str], region: EventRegion | None) -> None:
        """Note what a request that was looked at waits for, and its region as it is now."""
        self._unlist(waiter)
        waiter.waits_for, waiter.region, waiter.is_told = list(waits_for), region, True
        self._list(waiter)

    def follow_lag(self, lag: Unconfirmed) -> None:
        """Suspect those that wait for switches which owe less than before."""
        for name, places in lag.take_eased().items():
            mine = self._by_switch.get(name, set())
            if places is None or len(places) >= len(mine):
                self._suspects |= mine
            else:
                self._suspects |= self._regions.overlapping(places) & mine

    def follow_ways(self, shrunk: Shrunk) -> None:
        """Suspect those whose events may cross fewer switches than before."""
        if shrunk.everything:
            self._suspects.update(self._waiters)
            return
        for name in shrunk.names & self._by_announcement.keys():
            self._suspects.add(self._by_announcement[name])
        for kind, places in shrunk.places.items():
            found = self._regions.overlapping(places)
            self._suspects.update(pk for pk in found if self._waiters[pk].kind == ANNOUNCING_KIND[kind])

    def take_suspects(self) -> list[Waiter]:
        """Those to be looked at now, in the order of the log; those that wait for no switch always are."""
        found = [self._waiters[pk] for pk in self._suspects | self._idle]
        self._suspects = set()
        return sorted(found, key=_position)

    def removal_before(self, waiter: Waiter, ended: Collection[Waiter] = ()) -> Waiter | None:
        """The first request before this one that removes a part of the network, and is none of `ended`."""
        over = {one.pk for one in ended} if self._removals else ()
        open_ones = (one for pk, one in self._removals.items() if pk not in over)
        first = min(open_ones, key=_position, default=None)
        return None if first is None or first.position >= waiter.position else first

    def newest_on(self, switches: Collection[str], kinds: Collection[str]) -> Waiter | None:
        """The newest request of these kinds that added entries, with any of `switches` among its own."""
        found = (
            waiter
            for waiter in self._waiters.values()
            if waiter.adds and waiter.kind in kinds and not set(switches).isdisjoint(waiter.switches)
        )
        return max(found, key=_position, default=None)

    def _list(self, waiter: Waiter) -> None:
        waiter.is_listed = True
        if not waiter.waits_for:
            self._idle.add(waiter.pk)
        for name in waiter.waits_for:
            self._by_switch[name].add(waiter.pk)
        if waiter.kind in ANNOUNCING:
            self._by_announcement[waiter.announcement] = waiter.pk
        if waiter.region is not None:
            self._regions.add(waiter.pk, waiter.region)

    def _unlist(self, waiter: Waiter) -> None:
        if not waiter.is_listed:
            return
        waiter.is_listed = False
        self._idle.discard(waiter.pk)
        for name in waiter.waits_for:
            self._by_switch[name].discard(waiter.pk)
            if not self._by_switch[name]:
                del self._by_switch[name]
        if waiter.kind in ANNOUNCING:
            self._by_announcement.pop(waiter.announcement, None)
        if waiter.region is not None:
            self._regions.remove(waiter.pk, waiter.region)


def _position(waiter: Waiter) -> int:
    return waiter.position
