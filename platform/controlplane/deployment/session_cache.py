"""Per-process cache between planner sessions: the planner, unconfirmed changes, projections.

The cache is valid until another worker has a session. Then everything is read from the database again.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from controlplane.aggregation.merged_entry_rows import MergedRows
from controlplane.deployment import switch_sync
from controlplane.deployment.source_check import SourceChecks
from controlplane.network.models import Switch
from controlplane.planning import confirmed_entries, planner_state
from controlplane.planning.delivery_paths import DeliveryPaths
from controlplane.planning.deploying_requests import Waiting
from controlplane.planning.planner_state import PlannerAtPosition
from controlplane.planning.projections import PlanProjections
from controlplane.planning.table_prover import ANNOUNCEMENTS, Prover
from controlplane.planning.unconfirmed import OutstandingChange, Unconfirmed
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Request, SwitchSync
from tercast.tables.entries import Table, difference

_OWNER = "last session"
_UNASKED = "has not yet confirmed its last changes"


@dataclass(slots=True)
class SessionCache:
    """State of a session; the database contains everything needed to rebuild it."""

    state: PlannerAtPosition
    unconfirmed: Unconfirmed
    waiting: Waiting = field(default_factory=Waiting)
    projections: PlanProjections = field(default_factory=PlanProjections)
    merged: MergedRows = field(default_factory=MergedRows)
    counts: dict[str, int] = field(default_factory=dict)
    unreserved: set[str] = field(default_factory=set)
    """Switches without bundles whose full tables do not have a free reserve entry yet."""
    sources: SourceChecks = field(default_factory=SourceChecks)
    published: dict[str, int] | None = None
    """Versions of the planner's encodings when they were last published, without open moves."""
    moves: bool = True
    """Whether moves of topics may be incomplete."""
    token: str = field(default_factory=lambda: f"{os.getpid()}-{uuid4().hex}")
    _prover: Prover | None = None
    _known: dict[str, Switch] | None = None
    _clean: set[str] = field(default_factory=set)
    _ways: DeliveryPaths | None = None

    def table(self, switch: str) -> Table:
        """Return the planned table of `switch`."""
        planner = self.state.planner
        return planner.table(switch) if switch in planner.topology.switches else ()

    @property
    def prover(self) -> Prover:
        """The prover of this planner's tables; its first use creates it from the present tables."""
        if self._prover is None:
            self._prover = Prover(self.state.planner)
        return self._prover

    @property
    def paths(self) -> DeliveryPaths:
        """Paths of events; created at the first use and kept while any request waits."""
        if self._ways is None:
            self._ways = DeliveryPaths(self.state.planner)
        return self._ways

    def follow(self, rows: Sequence[Request]) -> None:
        """Update waiting requests for the effects of requests that were just planned."""
        if self._ways is not None:
            announcements = all(row.kind in ANNOUNCEMENTS for row in rows)
            names = {str(row.payload.get("id")) for row in rows} if announcements else None
            self.waiting.follow_ways(self._ways.follow(names))

    def switches(self) -> dict[str, Switch]:
        """Return all switches by name, as of the first call since `look_again`."""
        if self._known is None:
            self._known = switch_sync.switches()
            self._clean = switch_sync.clean(self._known)
        return self._known

    def clean(self) -> set[str]:
        """Return the names of the switches whose tables equal the plan, as of the same time."""
        self.switches()
        return self._clean

    def look_again(self) -> None:
        """Read the switches from the database at the next call."""
        self._known = None

    def rest(self) -> None:
        """Free the data that only waiting requests need, if none waits."""
        if not self.unconfirmed and not self.waiting:
            self._ways = None

    def count(self, switch: Switch, more: int) -> None:
        """Add `more` to the entry count of `switch`, because counting each time takes long."""
        if switch.name in self.counts:
            self.counts[switch.name] += more
        else:
            self.counts[switch.name] = confirmed_entries.count(switch)

    def entries(self, switch: Switch) -> int:
        """Return the number of confirmed entries of `switch`."""
        self.count(switch, 0)
        return self.counts[switch.name]

    def budget(self, switch: str) -> int | None:
        """Return the number of entries that the plan allows for `switch`; None is unlimited."""
        known = self.state.planner.topology.switches.get(switch)
        return None if known is None else known.tcam_budget

    def rewind(self) -> None:
        """Reset the planner to the decided state, after a failed attempt."""
        self.state, self._prover = planner_state.load(), None
        self.sources.followed = None
        if self._ways is not None:
            self._ways = DeliveryPaths(self.state.planner)


_kept: SessionCache | None = None


def claim_cache() -> SessionCache:
    """Return the cache of this process; a new one if there is none or another had a session.

    Call this with the planner's lock held. The process has no cache until `keep_for_next_session`, so a
    failed session leaves no partial state.
    """
    global _kept
    cache, _kept = _kept, None
    if cache is None or checkpoints.recall(_OWNER, None) != cache.token:
        cache = SessionCache(planner_state.load(), Unconfirmed(), Waiting.load())
        read_lag(cache)
        checkpoints.store(_OWNER, cache.token)
    return cache


def keep_for_next_session(cache: SessionCache) -> None:
    """Keep the cache of a successful session for the next one of this process."""
    global _kept  # noqa: PLW0603
    cache.rest()
    cache.look_again()
    _kept = cache


def forget() -> None:
    """Invalidate the caches of all processes; the next session reads everything again."""
    checkpoints.store(_OWNER, f"nobody-{uuid4().hex}")


def read_lag(cache: SessionCache) -> None:
    """Read the unconfirmed changes of dirty switches, from the entries that they last confirmed."""
    known = switch_sync.switches()
    for row in SwitchSync.objects.filter(dirty=True):
        if row.switch in known:
            diff = difference(row.switch, confirmed_entries.table(known[row.switch]), cache.table(row.switch))
            reason = (row.problem or {}).get("detail") or f"switch {row.switch} {_UNASKED}"
            cache.unconfirmed.put(row.switch, OutstandingChange.of(diff, reason))
