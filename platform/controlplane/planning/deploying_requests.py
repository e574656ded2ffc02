"""Deploying requests in memory, indexed by the events that can end their waiting.

The database contains all of this (`state`, `waits_for`), and `load` reads it. A request is checked again only
when a switch that it waits for has fewer unconfirmed changes than before, or when its events may cross fewer
switches. Nothing else can end its waiting.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from controlplane.planning.delivery_paths import ShortenedPaths
from controlplane.planning.region_index import RegionIndex
from controlplane.planning.unconfirmed import EventRegion, Unconfirmed
from controlplane.requestlog.kinds import ANNOUNCING, ANNOUNCING_KIND, REMOVES_PART
from controlplane.requestlog.models import Request, State


@dataclass(slots=True)
class Waiter:
    """A deploying request.

    `switches` are those whose tables it changed. `adds` is whether it added entries. `is_stored` is whether
    its row contains what it waits for. `is_listed` is whether it was checked, and is in the indexes.
    """

    pk: int
    position: int
    kind: str
    announcement: str
    switches: tuple[str, ...]
    adds: bool
    waits_for: list[str]
    is_stored: bool
    is_listed: bool = False
    region: EventRegion | None = None

    @classmethod
    def of(cls, row: Request) -> "Waiter":
        """Create the waiter of a row of the log."""
        assert row.position is not None
        name, switches = str(row.payload.get("id", "")), tuple(row.switches)
        is_stored = row.problem is not None
        return cls(row.pk, row.position, row.kind, name, switches, row.added > 0, row.waits_for, is_stored)


class Waiting:
    """All deploying requests, and those among them that must be checked."""

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
        """Return the requests of the database, all of which must be checked."""
        waiting = cls()
        waiting.add(Request.objects.filter(state=State.DEPLOYING).order_by("position").iterator(2000))
        return waiting

    def __len__(self) -> int:
        return len(self._waiters)

    @property
    def idle(self) -> frozenset[int]:
        """Ids of requests that wait for no switch, but for publishers or for another removal."""
        return frozenset(self._idle)

    @property
    def removes(self) -> bool:
        """Whether any request removes a part of the network."""
        return bool(self._removals)

    def add(self, rows: Iterable[Request]) -> None:
        """Add those of `rows` that deploy."""
        for row in rows:
            if row.state == State.DEPLOYING:
                waiter = self._waiters[row.pk] = Waiter.of(row)
                self._suspects.add(row.pk)
                if row.kind in REMOVES_PART:
                    self._removals[row.pk] = waiter

    def drop(self, pk: int) -> None:
        """Remove a request that no longer deploys."""
        waiter = self._waiters.pop(pk, None)
        if waiter is not None:
            self._unlist(waiter)
            self._suspects.discard(pk)
            self._removals.pop(pk, None)

    def keep(self, waiter: Waiter, waits_for: Sequence[str], region: EventRegion | None) -> None:
        """Record what a checked request waits for, and its present region."""
        self._unlist(waiter)
        waiter.waits_for, waiter.region, waiter.is_stored = list(waits_for), region, True
        self._list(waiter)

    def follow_lag(self, unconfirmed: Unconfirmed) -> None:
        """Mark the requests that wait for switches with fewer unconfirmed changes than before."""
        for name, places in unconfirmed.take_eased().items():
            mine = self._by_switch.get(name, set())
            if places is None or len(places) >= len(mine):
                self._suspects |= mine
            else:
                self._suspects |= self._regions.overlapping(places) & mine

    def follow_ways(self, shrunk: ShortenedPaths) -> None:
        """Mark the requests whose events may cross fewer switches than before."""
        if shrunk.everything:
            self._suspects.update(self._waiters)
            return
        for name in shrunk.names & self._by_announcement.keys():
            self._suspects.add(self._by_announcement[name])
        for kind, places in shrunk.places.items():
            found = self._regions.overlapping(places)
            self._suspects.update(pk for pk in found if self._waiters[pk].kind == ANNOUNCING_KIND[kind])

    def take_suspects(self) -> list[Waiter]:
        """Return the requests to check now, in log order, always with those that are idle."""
        found = [self._waiters[pk] for pk in self._suspects | self._idle]
        self._suspects = set()
        return sorted(found, key=_position)

    def removal_before(self, waiter: Waiter, ended: Collection[Waiter] = ()) -> Waiter | None:
        """Return the first earlier request that removes a part of the network and is not in `ended`."""
        over = {one.pk for one in ended} if self._removals else ()
        open_ones = (one for pk, one in self._removals.items() if pk not in over)
        first = min(open_ones, key=_position, default=None)
        return None if first is None or first.position >= waiter.position else first

    def newest_on(self, switches: Collection[str], kinds: Collection[str]) -> Waiter | None:
        """Return the newest request of these kinds that added entries at any of `switches`."""
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
