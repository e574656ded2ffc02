"""Kinds of work that wait for a planner session, found with one query."""

from dataclasses import dataclass

from django.db import connection
from django.db.models import Model

from controlplane.network.models import Switch
from controlplane.registry.transitions.models import UNFINISHED, Move
from controlplane.requestlog.models import Request, State, SwitchSync


@dataclass(frozen=True, slots=True)
class OpenWork:
    """Whether there is work of each kind."""

    queued: bool
    """Requests that no session has started; they may have to wait for moves."""
    started: bool
    """Requests that an earlier session started and did not decide."""
    repairs: bool
    """Switches to read back, now or later."""
    moves: bool
    """Moves of topics that are not complete."""


def find() -> OpenWork:
    """Return what waits now."""
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENT, [State.QUEUED, State.PLANNING, True, *UNFINISHED])
        queued, started, dirty, new, moves = map(bool, cursor.fetchone())
    return OpenWork(queued, started, dirty or new, moves)


def _exists(model: type[Model], condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM {model._meta.db_table} WHERE {condition})"  # noqa: S608 - own names


_STATEMENT = "SELECT " + ", ".join(
    (
        _exists(Request, "state = %s"),
        _exists(Request, "state = %s"),
        _exists(SwitchSync, "dirty = %s"),
        _exists(Switch, "epoch <= 0 OR epoch <> reconciled_epoch"),
        _exists(Move, f"stage IN ({', '.join(['%s'] * len(UNFINISHED))})"),
    )
)
