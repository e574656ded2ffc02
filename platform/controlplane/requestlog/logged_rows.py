"""Logging requests together with the rows that they are about, in one transaction."""

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
    """Log a request for each new row and store the rows with it; one operation stands for a bulk call.

    `places` says where the rows stood in the call, where some of it were left out. Call it inside
    `transaction.atomic()`. Rows whose payload needs their id have it already (`reserve_ids`).
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
    """`count` new ids of `model`, never given before; call it inside `transaction.atomic()`."""
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
    detail: str = "Another call changed the same things at the same time. Look, and try again.",
) -> Iterator[None]:
    """Turns what the database refuses into 409: checks came before, so only a race can have broken a rule."""
    try:
        yield
    except IntegrityError as error:
        raise conflict("changed_meanwhile", detail) from error
