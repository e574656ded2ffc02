"""Requests logged together with the rows that they concern, in one transaction."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import IntegrityError, connection
from django.db.models import Model

from controlplane.common.problems import conflict
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.models import Operation, Request

Logged = Request | Operation
Payload = dict[str, Any]


def log_one(payload: Payload, actor: Any) -> Request:
    """Log a single request."""
    return submit([LogEntry(payload)], actor)[0]


def log_rows(
    rows: Sequence[Any],
    payload: Callable[[Any], Payload],
    actor: Any,
    bulk: bool,
    places: Sequence[int] | None = None,
) -> Logged:
    """Log a request for each new row, and store the rows; a bulk call gets one operation.

    Call it inside `transaction.atomic()`. Rows whose payload needs their id must already have it
    (`reserve_ids`). `places` contains the index of each row in the call, if items were left out.
    """
    operation = Operation.objects.create(actor=actor, items=len(rows)) if bulk else None
    indexes = places or range(len(rows))
    entries = [LogEntry(payload(row), at if bulk else None) for at, row in zip(indexes, rows, strict=True)]
    logged = submit(entries, actor, operation)
    for row, request in zip(rows, logged, strict=True):
        row.request = request
    type(rows[0])._default_manager.bulk_create(rows, batch_size=2000)
    return operation or logged[0]


def reserve_ids(model: type[Model], count: int) -> list[int]:
    """Reserve `count` unused ids of `model`; call it inside `transaction.atomic()`."""
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)", [table, count]
            )
            return [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        last = cursor.fetchone()
    first = (last[0] if last else 0) + 1
    return list(range(first, first + count))


@contextmanager
def racing(
    detail: str = "Another request changed the object at the same time. Read it again, then try again.",
) -> Iterator[None]:
    """Convert refusals of the database to 409: after the checks, only a race can break a rule."""
    try:
        yield
    except IntegrityError as error:
        raise conflict("changed_meanwhile", detail) from error
