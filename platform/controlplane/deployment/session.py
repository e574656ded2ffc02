"""The planner session: take waiting requests from the log through the planner to switches.

One session of a network runs at a time. Each step leaves the database in a state from which the next session
continues one that was killed there:

1. take    Queued requests get positions and become `planning`. After a kill, the batch is found and planned
           again, from the same state to the same result.
2. plan    The planner applies the requests, and the verifier proves the tables. Nothing is written.
3. decide  Failed requests are final, those that change no table are active, the others are `deploying`. The
           affected switches are marked dirty. After a kill, dirty switches are read back and repaired.
4. push    The controller adds, then removes. No transaction is open.
5. settle  The confirmed changes are written in parts: entries, then switches, then requests with their
           objects and live events. After a kill, dirty switches are read back, and requests whose switches
           have all confirmed end at the start of the next session.
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
    open_work,
    plan_batch,
    reconcile,
    request_states,
    session_cache,
    session_log,
    source_check,
    spare_entry,
    switch_sync,
    table_push,
)
from controlplane.deployment.plan_batch import Planned
from controlplane.deployment.session_cache import SessionCache
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Switch
from controlplane.planning import planner_state
from controlplane.planning.dependencies import find_dependencies
from controlplane.planning.deploying_requests import Waiter
from controlplane.planning.projections import ProjectionRows
from controlplane.planning.unconfirmed import OutstandingChange
from controlplane.registry.transitions import stages
from controlplane.requestlog import correlation, outbox
from controlplane.requestlog.models import Request
from tercast.requests.kinds import REMOVE_SWITCH
from tercast.tables.entries import SwitchDiff

RUN_SECONDS = 2.0
"""Time after which a run ends and requests another one, so that the watcher can run."""


def run(stopping: Callable[[], bool] = lambda: False, seconds: float | None = None) -> bool:
    """Process the log until nothing waits.

    If another session holds the lock, this returns immediately: that session processes the waiting requests.
    It checks again after it has released the lock, so that requests that arrive in between are not missed. A
    transaction that the database aborted in favour of another one counts as a kill: the session starts again.

    Args:
        stopping: Whether the process is to stop.
        seconds: The available time, `RUN_SECONDS` by default.

    Returns:
        True if requests still wait because the time was over.
    """
    end = time.monotonic() + (RUN_SECONDS if seconds is None else seconds)
    while True:
        done = lock_order.retry_aborted(lambda: _locked(lambda: stopping() or time.monotonic() > end))
        if done is None:
            return False
        if not done or not batches.waiting():
            return not done


def _locked(enough: Callable[[], bool]) -> bool | None:
    """Run a session under the planner's lock; return its result, None without the lock."""
    with planner_lock() as held:
        return None if held is None else _session(held, enough)


def _session(held: HeldLock, enough: Callable[[], bool]) -> bool:
    """Run one session under the lock; return whether it ended because nothing was left to do."""
    cache = session_cache.claim_cache()
    rows: list[Request] = []
    if cache.projections.is_new:
        _show_first(cache)
    cache.moves = True  # until the first look for open work
    confirmations.finish(cache)  # completes what a killed session left
    with ControllerClient() as northbound:
        while True:
            held.check()
            if settings.SOURCE_CHECK:
                _check_sources(cache, northbound, widen=True)
            work = open_work.find()
            while work.repairs and _repair(cache, northbound) and not enough():
                held.check()
            cache.moves = work.moves
            _move_on(cache)
            capacity.relieve(cache)
            if cache.unreserved:
                spare_entry.ask_late(cache, switch_sync.switches())
            rows = _next_requests(cache)
            fault_injection.point("take")
            if not rows:
                break
            for planned in plan_batch.plan(cache, rows, northbound):
                with correlation.named(correlation.of_requests(planned.rows)):
                    _carry_out(cache, northbound, planned)
            planner_state.keep_snapshot(cache.state)
            fault_injection.point("snapshot")
            if enough():
                break
        _check_sources(cache, northbound)
    session_cache.keep_for_next_session(cache)
    return not rows


def _next_requests(cache: SessionCache) -> list[Request]:
    """Return the requests to plan next. Repairs and moves may have logged some."""
    work = open_work.find()
    rows = batches.undecided() if work.started else []
    return rows or (batches.start_batch(work.moves) if work.queued else [])


def _check_sources(cache: SessionCache, northbound: ControllerClient, *, widen: bool = False) -> None:
    source_check.push_source_checks(
        cache.sources, cache.state.planner.topology, cache.unconfirmed, northbound, widen=widen
    )


def _show_first(cache: SessionCache) -> None:
    """Compare the rows that mirror the planner with it, after a restart, update or restore."""
    shown = cache.projections.compute(cache.state.planner, ())
    with transaction.atomic():
        lock_order.lock_rows((), cache.projections.switches(shown))
        cache.projections.show(shown)


def _move_on(cache: SessionCache) -> None:
    """Advance moves of topics, and complete the requests that waited for them."""
    planner = cache.state.planner
    went_on = False
    if cache.moves or cache.published != planner.versions:
        went_on = stages.advance(planner, cache.unconfirmed.refused)
        cache.published = None if cache.moves else dict(planner.versions)
    open_moves = stages.with_open_moves() if cache.moves else set()
    if went_on or cache.waiting.idle - open_moves:
        confirmations.finish(cache)


def _repair(cache: SessionCache, northbound: ControllerClient) -> bool:
    with correlation.named(f"repair-{uuid4().hex[:12]}"):
        return reconcile.run(cache, northbound)


def _carry_out(cache: SessionCache, northbound: ControllerClient, planned: Planned) -> None:
    """Execute steps 3 to 5 for a batch or a part of one."""
    if settings.SOURCE_CHECK:
        _check_sources(cache, northbound, widen=True)
        fault_injection.point("sources")
    session_log.planned(planned)
    fault_injection.point("plan")
    cache.follow(planned.rows)
    known, clean = cache.switches(), cache.clean()
    _find_waits(cache, planned)
    shown = cache.projections.compute(cache.state.planner, [row.payload for row in planned.rows])
    with transaction.atomic():
        _decide(cache, planned, shown)
        fault_injection.point("deciding")
    cache.state.position = planned.position
    cache.moves = cache.moves or bool(planned.moved)
    cache.waiting.add(planned.rows)
    fault_injection.point("decide")
    diffs = [diff for diff in planned.diffs if diff.switch in known]
    results = _push(cache, northbound, diffs, known, clean)
    cache.look_again()
    session_log.pushed(results)
    fault_injection.point("push")
    if results:
        confirmations.pushed(cache, results)
    confirmations.finish(cache)
    fault_injection.point("settle")


def _find_waits(cache: SessionCache, planned: Planned) -> None:
    """Set the switches that each request waits for: changed ones, and lagging ones it needs."""
    touched = [diff.switch for diff in planned.diffs]
    needs = (
        find_dependencies([Waiter.of(row) for row in planned.rows], cache.state.planner)
        if cache.unconfirmed
        else {}
    )
    for row in planned.rows:
        lagging = needs[row.pk].waits(cache.unconfirmed, cache.paths, cache.unconfirmed) if needs else []
        row.waits_for = sorted({*touched, *lagging} - _leaving(row))


def _decide(cache: SessionCache, planned: Planned, shown: ProjectionRows) -> None:
    """Store the planner's answers in the log, and mark switches before anything is sent to them."""
    touched = [diff.switch for diff in planned.diffs]
    lock_order.lock_rows(planned.rows, {*touched, *cache.projections.switches(shown)})
    switch_sync.mark(touched)
    request_states.decide(
        planned.rows, {*planned.moved, *confirmations.waiting_removals(cache, planned.rows, planned.moved)}
    )
    stages.begin(planned.moved, cache.state.planner)
    stages.note_in_place(planned.in_place, cache.state.planner)
    cache.projections.show(shown)
    if planned.merged is not None:
        cache.merged.write(planned.merged, planned.position)
    for text in planned.alarms:
        outbox.alarm(text)


def _push(
    cache: SessionCache,
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    known: dict[str, Switch],
    clean: set[str],
) -> list[table_push.PushResult]:
    """Send their changes to clean switches; the others are repaired as a whole afterwards."""
    switch_sync.retry(diff.switch for diff in diffs if cache.unconfirmed.refused(diff.switch))
    for diff in diffs:
        if diff.switch not in clean:
            cache.unconfirmed.add(diff.switch, OutstandingChange.of(diff, _lags_because(diff.switch, known)))
    silent = [name for name in cache.unconfirmed if not cache.unconfirmed.refused(name)]
    ready = [diff for diff in diffs if diff.switch in clean]
    tight = feasibility.tight_tables(cache, northbound, ready, known)
    return table_push.push_holding(
        northbound,
        ready,
        known,
        cache.unconfirmed,
        silent,
        headrooms=tight.headrooms,
        stepwise=tight.stepwise,
    )


def _lags_because(name: str, known: dict[str, Switch]) -> str:
    """Return why nothing can be sent to a switch that is not clean."""
    never = name in known and known[name].epoch == 0
    return f"switch {name} {'has never connected' if never else 'is not repaired yet'}"


def _leaving(row: Request) -> set[str]:
    """Return the switch that the request removes.

    That switch is often disconnected and confirms nothing.
    """
    return {row.payload["switch"]} if row.kind == REMOVE_SWITCH else set()
