"""The demo network: asked for by operators, started and told of by the launcher that offers it."""

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
"""Without a heartbeat for so long, no launcher is there."""

_ONE = 1

_ABSENT = (
    'No launcher stands by. Start one with `make run ARGS="--empty"`, or `make run`, which begins with the '
    "demo."
)
_SILENT = "The launcher {name} has not been heard for {seconds} s. Start it again; it goes on from there."


def launcher() -> Launcher | None:
    """The launcher, also one that has gone."""
    return Launcher.objects.filter(pk=_ONE).first()


def stands_by(row: Launcher | None) -> bool:
    """Whether a launcher is there."""
    return row is not None and not clock.is_over(row.heard_at, SILENT, timezone.now())


def standing() -> dict[str, Any]:
    """How the demo is, as `GET demo/` tells it."""
    row = launcher()
    told: dict[str, Any] = {
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
        return told
    if not stands_by(row):
        seconds = round((timezone.now() - row.heard_at).total_seconds())
        return {**told, "reason": _SILENT.format(name=row.name, seconds=seconds)}
    state = state_of(row)
    others = _others(row) if state in (DemoState.OFFERED, DemoState.FAILED) else []
    return {
        **told,
        "state": state,
        "step": row.step,
        "progress": row.progress,
        "reason": row.reason or (_not_empty(others) if others else ""),
        "fixed": row.fixed,
        "may_start": state in (DemoState.OFFERED, DemoState.FAILED) and not others,
        "may_stop": state in (DemoState.STARTING, DemoState.RUNNING) and not row.fixed,
    }


def state_of(row: Launcher) -> DemoState:
    """What it told, or what it is about to do."""
    state = DemoState(row.state)
    if row.wanted and state == DemoState.OFFERED:
        return DemoState.STARTING
    if not row.wanted and not row.fixed and state in (DemoState.STARTING, DemoState.RUNNING):
        return DemoState.STOPPING
    return state


def ask(start: bool) -> None:
    """Ask for the demo, or for its end; raises `Problem` (409) where that cannot be."""
    with transaction.atomic():
        row = Launcher.objects.select_for_update().filter(pk=_ONE).first()
        now = standing()
        if row is None or now["state"] == DemoState.ABSENT:
            raise conflict("no_launcher", now["reason"])
        if row.fixed:
            raise conflict("fixed", "This demo belongs to `make run`; it ends with it (Ctrl-C).")
        if start and not now["may_start"] and not row.wanted:
            raise conflict("not_now", now["reason"] or f"The demo is {now['state']}. Wait for its end.")
        if row.wanted != start:
            row.wanted = start
            row.reason = ""
            row.save(update_fields=("wanted", "reason"))
            _tell()


def heard(values: dict[str, Any]) -> Launcher:
    """Take in a heartbeat; a demo that failed is asked for no more."""
    fields = {name: values[name] for name in ("name", "state", "step", "progress", "reason", "fixed")}
    fields |= {"switches": values["switches"], "hosts": values["hosts"], "heard_at": timezone.now()}
    with transaction.atomic():
        before = Launcher.objects.select_for_update().filter(pk=_ONE).first()
        row, _ = Launcher.objects.update_or_create(pk=_ONE, defaults=fields)
        if row.state == DemoState.FAILED and row.wanted:
            row.wanted = False
            row.save(update_fields=("wanted",))
        if before is None or (before.state, before.step) != (row.state, row.step):
            _tell()
    return row


def _tell() -> None:
    now = standing()
    outbox.emit("demo", {name: now[name] for name in ("state", "step", "progress", "reason")})


def _others(row: Launcher) -> list[str]:
    """Switches that are there and not the demo's."""
    names = Switch.objects.exclude(name__in=row.switches).order_by("id")
    return list(names.values_list("name", flat=True)[:3])


def _not_empty(others: list[str]) -> str:
    named = ", ".join(shown(name) for name in others)
    return (
        f"There is a network already ({named}); the demo is for where there is none. "
        "Start `make run ARGS='--empty --fresh'`, which forgets it, or remove its switches over the API."
    )
