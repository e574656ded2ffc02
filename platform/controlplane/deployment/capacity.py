"""The real number of entries that a switch can store: its own report and its refusals.

The number is a request in the log (`set_capacity`), so replays use it too. It is valid until the switch
reconnects, because a refusal may have had other reasons, or until an operator sets the budget.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db import transaction

from controlplane.deployment.request_states import event, problem
from controlplane.deployment.session_cache import SessionCache
from controlplane.deployment.table_push import PushResult
from controlplane.registry.models import ANNOUNCEMENT_MODELS
from controlplane.requestlog import checkpoints, outbox
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.kinds import ANNOUNCING, KINDS
from controlplane.requestlog.models import FINAL_STATES, Request, State
from tercast.requests.kinds import SET_CAPACITY
from tercast.runtime.wording import quantity
from tercast.topology.elements import Switch

NO_ROOM = "table_full"
"""Text of an error that means that the table of the switch is full."""

ENDLESS = 100_000
"""Limit below which a reported capacity matters if the budget is unlimited."""

_EPOCHS = "epochs of capacities"


@dataclass(frozen=True, slots=True)
class Connected:
    """A switch with a new connection, and the number of content entries that it can store."""

    name: str
    epoch: int
    reported_limit: int | None
    budget: int | None = None
    """The declared budget, for a switch that the planner does not know yet."""


def log_capacities(cache: SessionCache, connected: Iterable[Connected]) -> None:
    """Log the capacities that reconnected switches report; earlier findings are discarded."""
    known = cache.state.planner.topology.switches
    epochs = dict(checkpoints.recall(_EPOCHS, {}))
    for one in connected:
        if epochs.get(one.name) == one.epoch:
            continue
        switch = known.get(one.name, Switch(one.name, "", one.budget))
        limit = _smaller_limit(switch, one.reported_limit)
        if limit != switch.capacity:
            declared = "no budget" if _declared(switch) is None else f"a budget of {_declared(switch)}"
            text = (
                None
                if limit is None
                else f"reports a capacity of {quantity(limit, 'entry', 'entries')}, and has {declared}"
            )
            _log(one.name, limit, one.epoch, text)


def learn(cache: SessionCache, result: PushResult, held: int) -> None:
    """Log that a switch with `held` entries refused further ones, although none was removable.

    This runs in the caller's transaction.
    """
    refused = [error for error in result.errors if NO_ROOM in error.text]
    switch = cache.state.planner.topology.switches.get(result.switch.name)
    if not refused or switch is None or result.debt is None or result.debt.left_over:
        return
    if switch.capacity is not None and switch.capacity <= held:
        return
    entries = quantity(held, "entry", "entries")
    text = f"is full with {entries}: it refused {len(refused)} more, the first one for {refused[0].dst}"
    _log(switch.id, held, result.switch.epoch, text)


def relieve(cache: SessionCache) -> None:
    """Revert the newest request that waits for a switch whose table is too small for it.

    The request fails with the reason. A request in the log reverts it, one at a time.
    """
    planner = cache.state.planner
    learnt = [name for name, switch in planner.topology.switches.items() if switch.capacity is not None]
    if not learnt or planner.is_stale:
        return
    over = set(planner.over_budget()) & set(learnt)
    if not over or Request.objects.filter(undoes__isnull=False).exclude(state__in=FINAL_STATES).exists():
        return
    waiter = cache.waiting.newest_on(over, ANNOUNCING)
    if waiter is not None:
        full = [planner.topology.switches[name] for name in sorted(over.intersection(waiter.switches))]
        _undo(Request.objects.get(pk=waiter.pk), full, merges=planner.budget_enforcer.lays)
        cache.waiting.drop(waiter.pk)


def _smaller_limit(switch: Switch, reported: int | None) -> int | None:
    declared = _declared(switch)
    return (
        reported if reported is not None and reported < (ENDLESS if declared is None else declared) else None
    )


def _declared(switch: Switch) -> int | None:
    return switch.tcam_budget if switch.capacity is None else switch.declared


def _log(name: str, entries: int | None, epoch: int, text: str | None) -> None:
    """Log the capacity, unless the same request is in progress, and raise an alarm."""
    waiting = Request.objects.filter(kind=SET_CAPACITY).exclude(state__in=FINAL_STATES).order_by("id")
    asked = [payload for payload in waiting.values_list("payload", flat=True) if payload["switch"] == name]
    if asked and asked[-1]["entries"] == entries:
        return
    with transaction.atomic():
        submit([LogEntry({"op": SET_CAPACITY, "switch": name, "entries": entries})])
        checkpoints.store(_EPOCHS, {**checkpoints.recall(_EPOCHS, {}), name: epoch})
        if text is not None:
            limit = quantity(entries or 0, "entry", "entries")
            outbox.alarm(f"switch {name} {text}; the planner now limits its table to {limit}")


def _undo(row: Request, full: list[Switch], merges: bool) -> None:
    """Fail `row`, and log the request that reverts it."""
    model = ANNOUNCEMENT_MODELS[row.kind]
    why = (
        "merging cannot reduce it further"
        if merges
        else 'the aggregation method "none" does not merge entries'
    )
    limits = " and ".join(
        f"switch {switch.id} has a capacity of {quantity(switch.tcam_budget or 0, 'entry', 'entries')}"
        for switch in full
    )
    names = [switch.id for switch in full]
    with transaction.atomic():
        (back,) = submit([LogEntry({"op": KINDS[row.kind].withdrawn_by, "id": row.payload["id"]})])
        Request.objects.filter(pk=back.pk).update(undoes=row)
        row.state, row.waits_for = State.FAILED, []
        row.problem = problem("refused", "A table is too small", f"{limits}, and {why}", names)
        row.save(update_fields=("state", "waits_for", "problem"))
        model._default_manager.filter(request=row).exclude(state=State.WITHDRAWN).update(state=State.FAILED)
        outbox.emit("request", event(row))
        outbox.alarm(f"request {row.pk} ({row.kind}) failed and is reverted: {row.problem['detail']}")
