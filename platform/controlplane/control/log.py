"""Writing the request log: in the same transaction as the object that a request is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from controlplane.control.models import Operation, Request


@dataclass(frozen=True, slots=True)
class Entry:
    """A request to be logged: `payload` is the planner's JSON form, `payload["op"]` its kind."""

    payload: dict[str, Any]
    index: int | None = None


def submit(entries: Sequence[Entry], actor: Any = None, operation: Operation | None = None) -> list[Request]:
    """Append `entries` to the log, in order, and wake the planner once they are committed.

    Call it inside `transaction.atomic()` together with the objects concerned.
    """
    rows = [
        Request(
            kind=entry.payload["op"],
            payload=entry.payload,
            index=entry.index,
            actor=actor,
            operation=operation,
        )
        for entry in entries
    ]
    logged = Request.objects.bulk_create(rows, batch_size=2000)
    transaction.on_commit(_wake)
    return logged


def _wake() -> None:
    from controlplane.control.tasks import wake  # noqa: PLC0415 - tasks import this module's neighbours

    wake()
