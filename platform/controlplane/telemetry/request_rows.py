"""Export of the request log to `requests`: a row for each observed state of a request.

The database keeps the log position of the export, and the exported states of requests that can still
change. One session at a time assigns the positions, in order. Position and states are stored after the file.
A process that is killed in between exports the same rows again. This changes no result. No row is missing.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time
from itertools import count
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from controlplane.common.chunks import chunks
from controlplane.registry.models import ANNOUNCEMENT_MODELS
from controlplane.requestlog import checkpoints
from controlplane.requestlog.kinds import WITHDRAWING
from controlplane.requestlog.models import FINAL_STATES, Request, State
from controlplane.telemetry import storage
from controlplane.telemetry.models import ExportedRequest
from tercast.telemetry import REQUESTS
from tercast.telemetry.writer import by_date, rows_table, write_file

MOST = 5_000
"""Maximum requests that one pass reads from the log after the position, and from the queue."""

POSITION = "telemetry-requests"
_FIELDS = (
    "id",
    "kind",
    "payload",
    "position",
    "received_at",
    "started_at",
    "computed_at",
    "confirmed_at",
    "state",
    "added",
    "removed",
    "modified",
)

Row = dict[str, Any]


def export(files: int | None = None) -> int:
    """Write a row for each request whose state is new since the last export.

    Args:
        files: the maximum number of passes; the next call continues there. None: no limit.

    Returns:
        The number of exported requests.

    Raises:
        NotWritten: A file cannot be written.
    """
    exported = 0
    for _ in count() if files is None else range(files):
        rows, position, full = _changed()
        if rows:
            with storage.writing("requests"):
                _write(rows)
            _remember(rows, position)
            exported += len(rows)
        if not full:
            break
    return exported


def _changed() -> tuple[list[Row], int, bool]:
    """Return requests to export, the log position after them, and whether more may exist."""
    position = int(checkpoints.recall(POSITION, 0))
    requests = Request.objects.values(*_FIELDS)
    moved = ExportedRequest.objects.exclude(state=F("request__state")).values_list("request", flat=True)
    parts = [
        list(requests.filter(pk__in=list(moved[:500]))),
        list(requests.filter(position__gt=position).order_by("position")[:MOST]),
        list(requests.filter(state=State.QUEUED, exported=None).order_by("id")[:MOST]),
    ]
    reached = max((row["position"] for row in parts[1]), default=position)
    rows = {row["id"]: row for part in parts for row in part}
    full = len(parts[0]) == 500 or MOST in {len(part) for part in parts[1:]}
    return list(rows.values()), reached, full


def _write(rows: Sequence[Row]) -> None:
    """Write the rows of requests, except those received before the first kept day."""
    first = datetime.combine(storage.oldest(), time(), tzinfo=UTC)
    topics = _topics(rows)
    records = [_record(row, topics) for row in rows if row["received_at"] >= first]
    for day, part in by_date(records, REQUESTS).items():
        write_file(storage.root() / REQUESTS.name / f"date={day}", rows_table(part, REQUESTS))


def _record(row: Row, topics: dict[int, str]) -> Row:
    copied = ("kind", "received_at", "started_at", "computed_at", "confirmed_at")
    return {
        "request": row["id"],
        "topic": topics.get(row["id"]),
        "partition": None,
        "status": row["state"],
        **{name: row[name] for name in (*copied, "added", "removed", "modified")},
    }


def _topics(rows: Iterable[Row]) -> dict[int, str]:
    """Return the topic names by ids of requests; requests without a topic are missing.

    The topic of a withdrawal is the topic of the withdrawn advertisement or subscription.
    """
    found: dict[int, str] = {}
    withdrawn: dict[str, dict[int, int]] = {kind: {} for kind in WITHDRAWING}
    for row in rows:
        topic = row["payload"].get("topic")
        name = topic.get("name") if isinstance(topic, dict) else topic
        if isinstance(name, str):
            found[row["id"]] = name
        elif row["kind"] in WITHDRAWING:
            withdrawn[row["kind"]][row["id"]] = int(row["payload"]["id"][1:])
    for kind, ids in withdrawn.items():
        names: dict[int, str] = {}
        for part in chunks(sorted(set(ids.values()))):
            announced: QuerySet[Any] = ANNOUNCEMENT_MODELS[kind]._default_manager.filter(pk__in=part)
            names |= dict(announced.values_list("pk", "topic__name"))
        found |= {request: names[pk] for request, pk in ids.items() if pk in names}
    return found


def _remember(rows: Sequence[Row], position: int) -> None:
    final = [row["id"] for row in rows if row["state"] in FINAL_STATES]
    still_open = [
        ExportedRequest(pk=row["id"], state=row["state"]) for row in rows if row["id"] not in set(final)
    ]
    with transaction.atomic():
        for part in chunks(final):
            ExportedRequest.objects.filter(pk__in=part).delete()
        ExportedRequest.objects.bulk_create(
            still_open,
            batch_size=500,
            update_conflicts=True,
            update_fields=["state"],
            unique_fields=["request"],
        )
        checkpoints.store(POSITION, position)
