"""Taking from the log what waits: in order, in bounded batches, each request given its position."""

from collections.abc import Iterable, Sequence

from django.db import connection, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from controlplane.registry.transitions import stages
from controlplane.requestlog.kinds import BEGINS_BATCH, ENDS_BATCH
from controlplane.requestlog.models import PlannerSnapshot, Request, State

LARGEST = 2000
"""Requests a batch: what one transaction, one proof and one change of the tables are about."""


def undecided() -> list[Request]:
    """What an earlier session took and did not decide, in order."""
    return list(Request.objects.filter(state=State.PLANNING).order_by("position"))


def take() -> list[Request]:
    """The next queued requests in order, up to `LARGEST`, now with positions. One short transaction."""
    if not _ready().exists():
        return []
    with transaction.atomic():
        rows = _batch(_ready().order_by("id")[:LARGEST])
        position, now = newest_position(), timezone.now()
        for row in rows:
            position += 1
            row.position, row.state, row.started_at = position, State.PLANNING, now
        write(rows, ("position", "state", "started_at"))
        return rows


def newest_position() -> int:
    """The position given last; 0 when none was. The request that has it may be gone."""
    there = int(Request.objects.aggregate(newest=Max("position"))["newest"] or 0)
    return max(there, int(PlannerSnapshot.objects.aggregate(newest=Max("position"))["newest"] or 0))


def waiting() -> bool:
    """Whether any request is still to be planned, and can be."""
    return Request.objects.filter(state=State.PLANNING).exists() or _ready().exists()


def _ready() -> QuerySet[Request]:
    """The queued requests that nothing holds back."""
    rows = Request.objects.filter(state=State.QUEUED)
    held = stages.held_back()
    return rows if held is None else rows.exclude(held)


def write(rows: Sequence[Request], names: Sequence[str]) -> None:
    """Save the fields `names` of many requests: one statement, run for each; `bulk_update` is far slower."""
    if not rows:
        return
    known = {field.name: field for field in Request._meta.concrete_fields}
    fields = [known[name] for name in names]
    sets = ", ".join(f"{connection.ops.quote_name(str(field.column))} = %s" for field in fields)
    statement = f"UPDATE {Request._meta.db_table} SET {sets} WHERE id = %s"  # noqa: S608 - own names
    with connection.cursor() as cursor:
        cursor.executemany(
            statement,
            [
                [
                    *(field.get_db_prep_save(getattr(row, field.name), connection) for field in fields),
                    row.pk,
                ]
                for row in rows
            ],
        )


def _batch(rows: Iterable[Request]) -> list[Request]:
    """Up to and with the first one that ends a batch."""
    found: list[Request] = []
    for row in rows:
        if found and row.kind in BEGINS_BATCH:
            break
        found.append(row)
        if row.kind in ENDS_BATCH:
            break
    return found
