"""The demo network: operators request it, and a launcher starts it and reports its state."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.common import clock
from controlplane.common.problems import conflict
from controlplane.network.models import Switch
from controlplane.operations.demo.models import DemoState, Launcher
from controlplane.requestlog import outbox
from tercast.errors import shown

SILENT = timedelta(seconds=10)
"""Age of the last heartbeat at which a launcher counts as absent."""

_ONE = 1

_ABSENT = (
    'No launcher is running. Start one with `make run ARGS="--empty"`, or run `make run`, which starts with '
    "the demo."
)
_SILENT = "The launcher {name} has not reported for {seconds} s. Start it again: it continues the demo."


def launcher() -> Launcher | None:
    """Return the launcher, also one that has stopped; None if there was none."""
    return Launcher.objects.filter(pk=_ONE).first()


def stands_by(row: Launcher | None) -> bool:
    """Whether a launcher is running."""
    return row is not None and not clock.is_over(row.heard_at, SILENT, timezone.now())


def standing() -> dict[str, Any]:
    """Return the state of the demo as `GET demo/` returns it."""
    row = launcher()
    fields: dict[str, Any] = {
        "state": DemoState.ABSENT,
        "step": "",
        "progress": 0.0,
        "reason": _ABSENT,
        "fixed": False,
        "may_start": False,
        "may_stop": False,
        "heard_at": row and row.heard_at,
    }
    if row is None:
        return fields
    if not stands_by(row):
        seconds = round((timezone.now() - row.heard_at).total_seconds())
        return {**fields, "reason": _SILENT.format(name=row.name, seconds=seconds)}
    state = state_of(row)
    others = _others(row) if state in (DemoState.OFFERED, DemoState.FAILED) else []
    return {
        **fields,
        "state": state,
        "step": row.step,
        "progress": row.progress,
        "reason": row.reason or (_not_empty(others) if others else ""),
        "fixed": row.fixed,
        "may_start": state in (DemoState.OFFERED, DemoState.FAILED) and not others,
        "may_stop": state in (DemoState.STARTING, DemoState.RUNNING) and not row.fixed,
    }


def state_of(row: Launcher) -> DemoState:
    """Return the reported state, or the state after the pending request."""
    state = DemoState(row.state)
    if row.wanted and state == DemoState.OFFERED:
        return DemoState.STARTING
    if not row.wanted and not row.fixed and state in (DemoState.STARTING, DemoState.RUNNING):
        return DemoState.STOPPING
    return state


def ask(start: bool) -> None:
    """Request the start or the end of the demo.

    Raises:
        Problem: The demo cannot start or end now (409).
    """
    with transaction.atomic():
        row = Launcher.objects.select_for_update().filter(pk=_ONE).first()
        now = standing()
        if row is None or now["state"] == DemoState.ABSENT:
            raise conflict("no_launcher", now["reason"])
        if row.fixed:
            raise conflict("fixed", "This demo belongs to `make run` and ends with it (Ctrl-C).")
        if start and not now["may_start"] and not row.wanted:
            raise conflict("not_now", now["reason"] or f"The demo is {now['state']}. Wait until this ends.")
        if row.wanted != start:
            row.wanted = start
            row.reason = ""
            row.save(update_fields=("wanted", "reason"))
            _emit_state()


def heard(values: dict[str, Any]) -> Launcher:
    """Store a heartbeat; if the demo failed, cancel the request for it."""
    fields = {name: values[name] for name in ("name", "state", "step", "progress", "reason", "fixed")}
    fields |= {"switches": values["switches"], "hosts": values["hosts"], "heard_at": timezone.now()}
    with transaction.atomic():
        before = Launcher.objects.select_for_update().filter(pk=_ONE).first()
        row, _ = Launcher.objects.update_or_create(pk=_ONE, defaults=fields)
        if row.state == DemoState.FAILED and row.wanted:
            row.wanted = False
            row.save(update_fields=("wanted",))
        if before is None or (before.state, before.step) != (row.state, row.step):
            _emit_state()
    return row


def _emit_state() -> None:
    now = standing()
    outbox.emit("demo", {name: now[name] for name in ("state", "step", "progress", "reason")})


def _others(row: Launcher) -> list[str]:
    """Return up to three switches that do not belong to the demo."""
    names = Switch.objects.exclude(name__in=row.switches).order_by("id")
    return list(names.values_list("name", flat=True)[:3])


def _not_empty(others: list[str]) -> str:
    named = ", ".join(shown(name) for name in others)
    return (
        f"There is already a network ({named}); the demo needs an empty installation. "
        "Start `make run ARGS='--empty --fresh'`, which removes it, or remove its switches over the API."
    )
