"""Per-process cache between planner sessions: the planner, unconfirmed changes, projections.

It is valid until another worker has a session; then everything is read from the database again.
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
from controlplane.planning.planner_state import Positioned
from controlplane.planning.projections import PlanProjections
from controlplane.planning.table_prover import ANNOUNCEMENTS, Prover
from controlplane.planning.unconfirmed import OutstandingChange, Unconfirmed
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Request, SwitchSync
from tercast.tables.entries import Table, difference

_OWNER = "last session"
_UNASKED = "not known to have confirmed yet"


@dataclass(slots=True)
class SessionCache:
    """The state of a session; everything in it can be rebuilt from the database."""

    state: Positioned
    lag: Unconfirmed
    waiting: Waiting = field(default_factory=Waiting)
    mirror: PlanProjections = field(default_factory=PlanProjections)
    merged: MergedRows = field(default_factory=MergedRows)
    counts: dict[str, int] = field(default_factory=dict)
    unreserved: set[str] = field(default_factory=set)
    """Switches without bundles whose full tables have still to come to an entry in reserve."""
    sources: SourceChecks = field(default_factory=SourceChecks)
    token: str = field(default_factory=lambda: f"{os.getpid()}-{uuid4().hex}")
    _prover: Prover | None = None
    _ways: DeliveryPaths | None = None

    def table(self, switch: str) -> Table:
        """What the plan has for `switch`."""
        planner = self.state.planner
        return planner.table(switch) if switch in planner.topology.switches else ()

    @property
    def prover(self) -> Prover:
        """What proves the tables of this planner; made at its first use, from the tables as they are then."""
        if self._prover is None:
            self._prover = Prover(self.state.planner)
        return self._prover

    @property
    def ways(self) -> DeliveryPaths:
        """The ways of events; made at the first use, and kept as long as any request waits."""
        if self._ways is None:
            self._ways = DeliveryPaths(self.state.planner)
        return self._ways

    def follow(self, rows: Sequence[Request]) -> None:
        """Find out what requests that were planned just now mean for those that wait."""
        if self._ways is not None:
            announcements = all(row.kind in ANNOUNCEMENTS for row in rows)
            names = {str(row.payload.get("id")) for row in rows} if announcements else None
            self.waiting.follow_ways(self._ways.follow(names))

    def rest(self) -> None:
        """Free what only waiting requests need, where none waits."""
        if not self.lag and not self.waiting:
            self._ways = None

    def count(self, switch: Switch, more: int) -> None:
        """The kept table of `switch` has grown by so many entries; counting them each time takes long."""
        if switch.name in self.counts:
            self.counts[switch.name] += more
        else:
            self.counts[switch.name] = confirmed_entries.count(switch)

    def entries(self, switch: Switch) -> int:
        """How many entries the kept table of `switch` has."""
        self.count(switch, 0)
        return self.counts[switch.name]

    def budget(self, switch: str) -> int | None:
        """How many entries the plan allows `switch`; None is any number."""
        known = self.state.planner.topology.switches.get(switch)
        return None if known is None else known.tcam_budget

    def rewind(self) -> None:
        """Bring the planner back to what is decided, after it was led astray."""
        self.state, self._prover = planner_state.load(), None
        self.sources.followed = None
        if self._ways is not None:
            self._ways = DeliveryPaths(self.state.planner)


_kept: SessionCache | None = None


def take() -> SessionCache:
    """The state of this process, or a new one where another process went on, or none is there.

    Call it with the planner's lock held. Until `keep` the process has none, so that a session which fails
    leaves nothing half-done behind.
    """
    global _kept
    hot, _kept = _kept, None
    if hot is None or checkpoints.recall(_OWNER, None) != hot.token:
        hot = SessionCache(planner_state.load(), Unconfirmed(), Waiting.load())
        read_lag(hot)
        checkpoints.keep(_OWNER, hot.token)
    return hot


def keep(hot: SessionCache) -> None:
    """The session ended well; the next one of this process may go on from here."""
    global _kept  # noqa: PLW0603
    hot.rest()
    _kept = hot


def forget() -> None:
    """Whoever has a session next reads everything anew, also the process that had the last one."""
    checkpoints.keep(_OWNER, f"nobody-{uuid4().hex}")


def read_lag(hot: SessionCache) -> None:
    """What each dirty switch is not known to have, by the entries that it last confirmed."""
    known = switch_sync.switches()
    for row in SwitchSync.objects.filter(dirty=True):
        if row.switch in known:
            diff = difference(row.switch, confirmed_entries.table(known[row.switch]), hot.table(row.switch))
            reason = (row.problem or {}).get("detail") or f"switch {row.switch} is {_UNASKED}"
            hot.lag.put(row.switch, OutstandingChange.of(diff, reason))
