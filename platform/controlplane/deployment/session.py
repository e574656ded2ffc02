"""The planner session: what waits in the log goes, in batches, through the planner to the switches.

One session a network runs at a time. Each step leaves the database so that the next session continues one
that was killed there:

1. take    queued requests get positions and are `planning`. Killed later, the batch is found and planned
           again, from the same state to the same result.
2. plan    the planner applies them, and the verifier proves the tables. Nothing is written.
3. decide  failed ones are final, those that change no table are active, the others `deploying`; the switches
           concerned are marked dirty. Killed later, dirty switches are read back and repaired.
4. push    the controller adds, then removes. No transaction is open.
5. settle  what was confirmed is written, in parts: entries, then switches, then requests with their objects
           and live events. Killed later, dirty switches are read back, and requests whose switches have all
           confirmed end at the start of the next session.
"""

import time
from collections.abc import Callable, Sequence
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from controlplane.common import fault_injection
from controlplane.common.process_locks import HeldLock, planner_lock
from controlplane.deployment import (
    batches,
    capacity,
    confirmations,
    feasibility,
    lock_order,
    plan_batch,
    reconcile,
    request_states,
    session_log,
    source_check,
    spare_entry,
    switch_sync,
    table_push,
)
from controlplane.deployment import session_cache as hot_state
from controlplane.deployment.plan_batch import Planned
from controlplane.deployment.session_cache import SessionCache
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.planning.dependencies import stakes
from controlplane.planning.deploying_requests import Waiter
from controlplane.planning.projections import Shown
from controlplane.planning.unconfirmed import OutstandingChange
from controlplane.registry.transitions import stages
from controlplane.requestlog import correlation, outbox
from controlplane.requestlog.models import Request
from tercast.requests.kinds import REMOVE_SWITCH
from tercast.tables.entries import SwitchDiff

RUN_SECONDS = 2.0
"""After so long a run ends with what it has and asks for another, so that the watcher finds its turn."""


def run(stopping: Callable[[], bool] = lambda: False, seconds: float | None = None) -> bool:
    """Work until nothing waits; True when something still does because time was up.

    `seconds` is the time that it has, `RUN_SECONDS` when none is named.

    Returns at once when another session holds the lock: that one takes what waits. It looks again after it
    has let the lock go, so that what came in between is not forgotten. A transaction that the database broke
    off in favour of another one is as if this had been killed: it begins anew.
    """
    end = time.monotonic() + (RUN_SECONDS if seconds is None else seconds)
    while True:
        done = lock_order.again(lambda: _locked(lambda: stopping() or time.monotonic() > end))
        if done is None:
            return False
        if not done or not batches.waiting():
            return not done


def _locked(enough: Callable[[], bool]) -> bool | None:
    """A session under the planner's lock, whether it ended with nothing to do; None: another one has it."""
    with planner_lock() as held:
        return None if held is None else _session(held, enough)


def _session(held: HeldLock, enough: Callable[[], bool]) -> bool:
    """One session under the lock; whether it ended because nothing was left to do."""
    hot = hot_state.take()
    rows: list[Request] = []
    if hot.mirror.is_new:
        _show_first(hot)
    confirmations.finish(hot)  # what a session left that was killed
    with ControllerClient() as northbound:
        while True:
            held.check()
            if settings.SOURCE_CHECK:
                _check_sources(hot, northbound, widen=True)
            while _repair(hot, northbound) and not enough():
                held.check()
            _move_on(hot)
            capacity.relieve(hot)
            if hot.unreserved:
                spare_entry.ask_late(hot, switch_sync.switches())
            rows = batches.undecided() or batches.take()
            fault_injection.point("take")
            if not rows:
                break
            for planned in plan_batch.plan(hot, rows, northbound):
                with correlation.named(correlation.of_requests(planned.rows)):
                    _carry_out(hot, northbound, planned)
            planner_state.keep_snapshot(hot.state)
            fault_injection.point("snapshot")
            if enough():
                break
        _check_sources(hot, northbound)
    hot_state.keep(hot)
    return not rows


def _check_sources(hot: SessionCache, northbound: ControllerClient, *, widen: bool = False) -> None:
    source_check.bring(hot.sources, hot.state.planner.topology, hot.lag, northbound, widen=widen)


def _show_first(hot: SessionCache) -> None:
    """Compare the rows that mirror the planner with it: after a restart, an update or a restore."""
    shown = hot.mirror.look(hot.state.planner, ())
    with transaction.atomic():
        lock_order.take((), hot.mirror.switches(shown))
        hot.mirror.show(shown)


def _move_on(hot: SessionCache) -> None:
    """Bring moves of topics on, and end the requests that waited for them."""
    went_on = stages.advance(hot.state.planner, hot.lag.refused)
    if went_on or hot.waiting.idle - stages.with_open_moves():
        confirmations.finish(hot)


def _repair(hot: SessionCache, northbound: ControllerClient) -> bool:
    with correlation.named(f"repair-{uuid4().hex[:12]}"):
        return reconcile.run(hot, northbound)


def _carry_out(hot: SessionCache, northbound: ControllerClient, planned: Planned) -> None:
    """Steps 3 to 5 for a batch, or a part of it."""
    if settings.SOURCE_CHECK:
        _check_sources(hot, northbound, widen=True)
        fault_injection.point("sources")
    session_log.planned(planned)
    fault_injection.point("plan")
    hot.follow(planned.rows)
    known = switch_sync.switches()
    clean = switch_sync.clean(known)
    _find_waits(hot, planned)
    shown = hot.mirror.look(hot.state.planner, [row.payload for row in planned.rows])
    with transaction.atomic():
        _decide(hot, planned, shown)
        fault_injection.point("deciding")
    hot.state.position = planned.position
    hot.waiting.add(planned.rows)
    fault_injection.point("decide")
    diffs = [diff for diff in planned.diffs if diff.switch in known]
    results = _push(hot, northbound, diffs, known, clean)
    session_log.pushed(results)
    fault_injection.point("push")
    if results:
        confirmations.pushed(hot, results)
    confirmations.finish(hot)
    fault_injection.point("settle")


def _find_waits(hot: SessionCache, planned: Planned) -> None:
    """Set what each request waits for: switches that change, and those that lag where it needs them."""
    touched = [diff.switch for diff in planned.diffs]
    needs = stakes([Waiter.of(row) for row in planned.rows], hot.state.planner) if hot.lag else {}
    for row in planned.rows:
        lagging = needs[row.pk].waits(hot.lag, hot.ways, hot.lag) if needs else []
        row.waits_for = sorted({*touched, *lagging} - _leaving(row))


def _decide(hot: SessionCache, planned: Planned, shown: Shown) -> None:
    """What the planner said becomes part of the log, and what is to be sent is marked before it is."""
    touched = [diff.switch for diff in planned.diffs]
    lock_order.take(planned.rows, {*touched, *hot.mirror.switches(shown)})
    switch_sync.mark(touched)
    request_states.decide(
        planned.rows, {*planned.moved, *confirmations.behind(hot, planned.rows, planned.moved)}
    )
    stages.begin(planned.moved, hot.state.planner)
    stages.note_in_place(planned.in_place, hot.state.planner)
    hot.mirror.show(shown)
    if planned.merged is not None:
        hot.merged.write(planned.merged, planned.position)
    for text in planned.alarms:
        outbox.alarm(text)


def _push(
    hot: SessionCache,
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    known: dict[str, Switch],
    clean: set[str],
) -> list[table_push.PushResult]:
    """Send to the clean switches what is theirs; the others are repaired as a whole, next."""
    switch_sync.retry(diff.switch for diff in diffs if hot.lag.refused(diff.switch))
    for diff in diffs:
        if diff.switch not in clean:
            hot.lag.add(diff.switch, OutstandingChange.of(diff, _lags_because(diff.switch, known)))
    silent = [name for name in hot.lag if not hot.lag.refused(name)]
    ready = [diff for diff in diffs if diff.switch in clean]
    tight = feasibility.tight_tables(hot, northbound, ready, known)
    return table_push.push_holding(
        northbound, ready, known, hot.lag, silent, room=tight.room, stepwise=tight.stepwise
    )


def _lags_because(name: str, known: dict[str, Switch]) -> str:
    """Why nothing can be sent to a switch that is not clean."""
    never = name in known and known[name].epoch == 0
    return f"switch {name} {'has never connected' if never else 'is not repaired yet'}"


def _leaving(row: Request) -> set[str]:
    """A switch that is removed, often because it is dead, confirms nothing any more."""
    return {row.payload["switch"]} if row.kind == REMOVE_SWITCH else set()
