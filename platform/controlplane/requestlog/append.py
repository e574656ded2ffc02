"""Append requests to the log, in the transaction that changes the objects that they concern."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from controlplane.common import request_id
from controlplane.common.wakeups import wake_planner
from controlplane.requestlog.models import Operation, Request
from controlplane.requestlog.subjects import subject_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LogEntry:
    """Request to log. `payload` is the planner's JSON form, and `payload["op"]` is its kind."""

    payload: dict[str, Any]
    index: int | None = None


def submit(
    entries: Sequence[LogEntry], actor: Any = None, operation: Operation | None = None
) -> list[Request]:
    """Append `entries` to the log in their order, and wake the planner after the commit.

    Call it inside `transaction.atomic()`, together with the changes of the objects concerned.
    """
    call = request_id.current()
    rows = [
        Request(
            call="" if call == "-" else call,
            kind=entry.payload["op"],
            subject=subject_of(entry.payload),
            payload=entry.payload,
            index=entry.index,
            actor=actor,
            operation=operation,
        )
        for entry in entries
    ]
    logged = Request.objects.bulk_create(rows, batch_size=2000)
    transaction.on_commit(lambda: _committed(logged))
    return logged


def _committed(logged: Sequence[Request]) -> None:
    if logged:
        fields = {"first": f"r{logged[0].pk}", "last": f"r{logged[-1].pk}", "requests": len(logged)}
        logger.info("requests logged", extra={"fields": fields})
    _wake()


def _wake() -> None:
    wake_planner()
