"""Batches of waiting requests from the log, in order; each request gets its position."""

from collections.abc import Iterable, Sequence

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from controlplane.deployment import open_work
from controlplane.registry.transitions import stages
from controlplane.requestlog.kinds import BEGINS_BATCH, ENDS_BATCH
from controlplane.requestlog.models import PlannerSnapshot, Request, State

LARGEST = 2000
"""Largest number of requests in a batch, which is one transaction, one proof and one change."""


def undecided() -> list[Request]:
    """Return the requests that an earlier session started and did not decide, in order."""
    return list(Request.objects.filter(state=State.PLANNING).order_by("position"))


def start_batch(moves: bool = True) -> list[Request]:
    """Start the next queued requests, at most `LARGEST`, in order, and give them positions.

    This is one short transaction. Requests may have to wait for `moves` of topics that are not complete.
    """
    if moves and not _ready(moves).exists():
        return []
    with transaction.atomic():
        rows = _batch(_ready(moves).order_by("id")[:LARGEST])
        position, now = newest_position(), timezone.now()
        for row in rows:
            position += 1
            row.position, row.state, row.started_at = position, State.PLANNING, now
        write(rows, ("position", "state", "started_at"))
        return rows


def newest_position() -> int:
    """Return the newest position, 0 if there is none; its request may have been removed."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST)
        return max(position or 0 for (position,) in cursor.fetchall())


def waiting() -> bool:
    """Whether any request waits to be planned and can be planned now."""
    work = open_work.find()
    return work.started or (work.queued and (not work.moves or _ready(moves=True).exists()))


_NEWEST = " UNION ALL ".join(
    f"SELECT MAX(position) FROM {model._meta.db_table}"  # noqa: S608 - own names
    for model in (Request, PlannerSnapshot)
)


def _ready(moves: bool) -> QuerySet[Request]:
    """Return the queued requests that may be planned now."""
    rows = Request.objects.filter(state=State.QUEUED)
    held = stages.held_back() if moves else None
    return rows if held is None else rows.exclude(held)


def write(rows: Sequence[Request], names: Sequence[str]) -> None:
    """Save the fields `names` of many requests.

    This runs one statement for each row, because `bulk_update` is far slower.
    """
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
    """Return the rows up to the first one that ends a batch, that one included."""
    found: list[Request] = []
    for row in rows:
        if found and row.kind in BEGINS_BATCH:
            break
        found.append(row)
        if row.kind in ENDS_BATCH:
            break
    return found
