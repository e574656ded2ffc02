"""Recording of confirmed changes, and completion of the requests that waited for them.

Short transactions write entries in parts, then states of switches, then requests in parts. A switch is dirty
and a request deploys until its entries are recorded, so the next session continues one that was killed.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from controlplane.common import fault_injection
from controlplane.common.chunks import chunks, in_turns
from controlplane.deployment import lock_order, request_states, session_log, switch_sync
from controlplane.deployment.batches import write
from controlplane.deployment.request_states import problem
from controlplane.deployment.session_cache import SessionCache
from controlplane.deployment.table_push import PushResult
from controlplane.network.models import Switch
from controlplane.planning import confirmed_entries
from controlplane.planning.dependencies import find_dependencies
from controlplane.planning.deploying_requests import Waiter
from controlplane.planning.unconfirmed import EventRegion
from controlplane.registry.transitions import stages
from controlplane.requestlog import outbox
from controlplane.requestlog.kinds import REMOVES_PART
from controlplane.requestlog.models import Request
from tercast.requests.kinds import REMOVE_SWITCH
from tercast.tables.entries import Entry, SwitchDiff, Table, difference

ENTRIES = 2000
"""Most entries per transaction: some 10 ms during which no other process can write to SQLite."""

REQUESTS = 250
"""Most requests per transaction that completes requests, for the same reason."""


def pushed(cache: SessionCache, results: Sequence[PushResult]) -> None:
    """Record the confirmed part of a planned change, and the switches that are behind now."""
    _record([(result.switch, result.done) for result in results])
    for result in results:
        cache.count(result.switch, len(result.done.added) - len(result.done.removed))
    with transaction.atomic():
        lock_order.lock_rows((), (result.switch.name for result in results))
        for result in results:
            if result.debt is None:
                cache.unconfirmed.settle(result.switch.name)
            else:
                cache.unconfirmed.add(result.switch.name, result.debt)
                _owes(result)
        switch_sync.confirmed(result.switch.name for result in results if result.debt is None)
        _emit_counts(cache, [result.switch.name for result in results if len(result.done)])
        fault_injection.point("settling")


def repaired(
    cache: SessionCache, results: Sequence[tuple[PushResult, Sequence[Entry]]], silent: Mapping[str, str]
) -> None:
    """Record repairs of switches.

    Args:
        results: Each result with the entries that the switch held before.
        silent: Reasons by name of the switches that did not answer.
    """
    tables = [(result.switch, _after(found, result.done)) for result, found in results]
    _record([(switch, _unrecorded(switch, table)) for switch, table in tables])
    for switch, table in tables:
        cache.counts[switch.name] = len({entry.key for entry in table})
    with transaction.atomic():
        lock_order.lock_rows((), {*(switch.name for switch, _ in tables), *silent})
        for result, _ in results:
            _repaired(cache, result)
        for name, reason in silent.items():
            cache.unconfirmed.lose(name, reason)
            switch_sync.failed(name, problem("unreachable", "A switch is not reachable", reason, [name]))
        _emit_counts(cache, [switch.name for switch, _ in tables])
        fault_injection.point("settling")


def _repaired(cache: SessionCache, result: PushResult) -> None:
    name = result.switch.name
    if result.debt is None:
        cache.unconfirmed.settle(name)
        switch_sync.confirmed([name])
        switch_sync.record_match(result.switch)
        switch_sync.hasten(cache.unconfirmed.held_up())
    else:
        cache.unconfirmed.put(name, result.debt)
        _owes(result)


def _record(changes: Sequence[tuple[Switch, SwitchDiff]]) -> None:
    """Write the entries that switches have confirmed, in short transactions."""
    now = timezone.now()
    for part in in_turns(_portions(changes)):
        with transaction.atomic():
            for switch, diff in part:
                confirmed_entries.change(switch, diff, now)
        fault_injection.point("settling:entries")


def _portions(changes: Sequence[tuple[Switch, SwitchDiff]]) -> Iterable[list[tuple[Switch, SwitchDiff]]]:
    """Yield `changes` in order, in parts of at most `ENTRIES` entries."""
    part: list[tuple[Switch, SwitchDiff]] = []
    free = ENTRIES
    for switch, diff in changes:
        for piece in _pieces(diff):
            if len(piece) > free:
                yield part
                part, free = [], ENTRIES
            part.append((switch, piece))
            free -= len(piece)
    if part:
        yield part


def _pieces(diff: SwitchDiff) -> Iterable[SwitchDiff]:
    """Yield `diff` in pieces of at most `ENTRIES` entries; removals come first."""
    if 0 < len(diff) <= ENTRIES:
        yield diff
        return
    yield from (SwitchDiff(diff.switch, removed=tuple(part)) for part in chunks(diff.removed, ENTRIES))
    yield from (SwitchDiff(diff.switch, modified=tuple(part)) for part in chunks(diff.modified, ENTRIES))
    yield from (SwitchDiff(diff.switch, added=tuple(part)) for part in chunks(diff.added, ENTRIES))


def _unrecorded(switch: Switch, table: Table) -> SwitchDiff:
    return difference(switch.name, confirmed_entries.table(switch), table)


@dataclass(slots=True)
class _CheckResults:
    """Sorted results of a check of requests; each list is in the order of the log."""

    done: list[Waiter] = field(default_factory=list)
    waiting: list[Waiter] = field(default_factory=list)
    following: list[Waiter] = field(default_factory=list)
    behind: list[Waiter] = field(default_factory=list)
    unchanged: list[Waiter] = field(default_factory=list)
    waits: dict[int, list[str]] = field(default_factory=dict)
    regions: dict[int, EventRegion | None] = field(default_factory=dict)


def finish(cache: SessionCache) -> None:
    """Complete the requests that wait for no switch any more; record what the others wait for."""
    for name in cache.unconfirmed:
        if name not in cache.state.planner.topology.switches:
            cache.unconfirmed.settle(name)  # a switch that left the plan has nothing to confirm
    cache.waiting.follow_lag(cache.unconfirmed)
    suspects = cache.waiting.take_suspects()
    if not suspects:
        return
    verdict = _judge(cache, suspects)
    for waiter in verdict.unchanged:
        cache.waiting.keep(waiter, waiter.waits_for, verdict.regions[waiter.pk])
    reasons = {name: cache.unconfirmed.reason(name) for name in cache.unconfirmed}
    for part in in_turns(chunks(verdict.done, REQUESTS)):
        _end(cache, part)
    for part in in_turns(chunks(verdict.waiting, REQUESTS)):
        _go_on(cache, verdict, part, reasons)
    if verdict.following:
        _follow_publishers(cache, verdict.following)
    if verdict.behind:
        _stay_behind(cache, verdict.behind)


def _judge(cache: SessionCache, suspects: Sequence[Waiter]) -> _CheckResults:
    """Find what each of `suspects`, which are in the order of the log, waits for now."""
    held_up = [waiter for waiter in suspects if any(name in cache.unconfirmed for name in waiter.waits_for)]
    needs = find_dependencies(held_up, cache.state.planner) if held_up else {}
    moving = stages.with_open_moves() if cache.moves else set()
    verdict = _CheckResults()
    for waiter in suspects:
        stake = needs.get(waiter.pk)
        waits = stake.waits(cache.unconfirmed, cache.paths, waiter.waits_for) if stake else []
        if stake and waits:
            verdict.waits[waiter.pk], verdict.regions[waiter.pk] = waits, stake.region
            same = waits == waiter.waits_for and waiter.is_stored
            (verdict.unchanged if same else verdict.waiting).append(waiter)
        elif waiter.pk in moving:
            verdict.following.append(waiter)
        elif waiter.kind == REMOVE_SWITCH and cache.waiting.removal_before(waiter, verdict.done):
            verdict.behind.append(waiter)
        else:
            verdict.done.append(waiter)
    return verdict


def _end(cache: SessionCache, waiters: Sequence[Waiter]) -> None:
    """Make these requests active."""
    rows = _rows(waiters)
    with transaction.atomic():
        lock_order.lock_rows(rows)
        request_states.confirm(rows)
        session_log.log_settled(rows, ())
    for waiter in waiters:
        cache.waiting.drop(waiter.pk)
    fault_injection.point("settling:requests")


def _go_on(
    cache: SessionCache, verdict: _CheckResults, waiters: Sequence[Waiter], reasons: Mapping[str, str]
) -> None:
    """Record that these requests wait for fewer switches, or name their switches."""
    rows = _rows(waiters)
    nearer = [row for row in rows if len(verdict.waits[row.pk]) < len(row.waits_for)]
    for row in rows:
        row.waits_for = verdict.waits[row.pk]
    with transaction.atomic():
        request_states.keep_waiting(rows, reasons)
        session_log.log_settled((), nearer)
    for waiter in waiters:
        cache.waiting.keep(waiter, verdict.waits[waiter.pk], verdict.regions[waiter.pk])
    fault_injection.point("settling:requests")


def _follow_publishers(cache: SessionCache, waiters: Sequence[Waiter]) -> None:
    """Record that these requests have all entries and wait for publishers to use them."""
    now = timezone.now()
    rows = _rows(waiters)
    _wait_for_no_switch(
        cache,
        waiters,
        rows,
        [problem("waiting", "Waiting for publishers", stages.describe_moves(row, now)) for row in rows],
    )


def _stay_behind(cache: SessionCache, waiters: Sequence[Waiter]) -> None:
    """Record removals of switches that wait for the removals of their links or hosts."""
    found = []
    for waiter in waiters:
        first = cache.waiting.removal_before(waiter)
        assert first is not None
        detail = f"the request waits until request {first.pk} ({first.kind}) ends"
        found.append(problem("waiting", "Waiting for another removal", detail))
    _wait_for_no_switch(cache, waiters, _rows(waiters), found)


def _wait_for_no_switch(
    cache: SessionCache,
    waiters: Sequence[Waiter],
    rows: Sequence[Request],
    problems: Sequence[dict[str, object]],
) -> None:
    nearer = [row for row in rows if row.waits_for]
    for row, found in zip(rows, problems, strict=True):
        row.waits_for, row.problem = [], found
    with transaction.atomic():
        write(rows, ("waits_for", "problem"))
        session_log.log_settled((), nearer)
    for waiter in waiters:
        cache.waiting.keep(waiter, (), None)


def _rows(waiters: Sequence[Waiter]) -> list[Request]:
    """Return the rows of these requests, in the order of the log."""
    return list(Request.objects.filter(pk__in=[waiter.pk for waiter in waiters]).order_by("position"))


def waiting_removals(cache: SessionCache, rows: Sequence[Request], moving: Collection[int]) -> set[int]:
    """Return, by id, the undecided removals of switches that must wait for other requests.

    The row of a switch is deleted when its removal is active. The rows of its links and hosts must be deleted
    before it.
    """
    found: set[int] = set()
    held = cache.waiting.removes
    for row in rows:
        if held and row.kind == REMOVE_SWITCH:
            found.add(row.pk)
        held = held or (row.kind in REMOVES_PART and (bool(row.waits_for) or row.pk in moving))
    return found


def _after(found: Iterable[Entry], done: SwitchDiff) -> Table:
    """Return the table of a switch that held `found`, after the change `done`.

    Entries are distinct by priority too; the plan's entries come last.
    """
    gone = {(entry.key, entry.priority) for entry in (*done.removed, *done.modified)}
    kept = tuple(entry for entry in found if (entry.key, entry.priority) not in gone)
    return (*kept, *done.installs)


def _owes(result: PushResult) -> None:
    assert result.debt is not None
    name = result.switch.name
    errors = [
        {"pointer": "", "code": "refused", "detail": error.text, "value": error.dst}
        for error in result.errors
    ]
    found = problem("switch", "A switch has not confirmed", result.debt.reason, [name], errors)
    switch_sync.failed(name, found, again=not result.debt.missing)  # only removals are outstanding


def _emit_counts(cache: SessionCache, names: Sequence[str]) -> None:
    if names:
        outbox.emit("tables", {name: cache.counts[name] for name in names})
