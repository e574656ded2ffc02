"""Monitoring of telemetry writers: alarms about lost rows and about silent writers.

A writer with access to the telemetry folder writes its report to a file there. A writer that uses the API
sends its report to the API.
"""

import hashlib
import json
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from controlplane.common import clock
from controlplane.periodic import task_failures
from controlplane.requestlog import outbox
from controlplane.telemetry import rejected_senders, storage
from controlplane.telemetry.models import TelemetryWriter
from tercast.runtime.json_files import whole_file
from tercast.telemetry.sinks import WRITERS

FOLDER, API = "folder", "api"
COUNTS = ("taken", "written", "lost", "pending", "batches", "lost_batches", "retries")
OVERDUE = timedelta(seconds=60)
"""A writer is silent if no report arrives for three of its periods and this time."""

AGAIN = timedelta(minutes=10)
"""Time after which continuing losses raise another alarm. Twice as many lost rows raise it earlier."""

LONGEST_PERIOD = 86_400
"""Maximum time between two reports of a writer, in seconds."""

_ELSEWHERE = "api-"
_PROGRESS = ("complete_until", "datasets")
"""Fields of a report that jobs use and the database does not store. Hosts of earlier releases omit them."""

_seen: dict[str, int] = {}
_LARGEST = 1 << 62


def note(report: dict[str, Any], way: str, heard_at: datetime | None = None) -> TelemetryWriter:
    """Store a writer's report, and raise alarms about lost rows and rejected events.

    Args:
        report: the report, with checked fields.
        way: `FOLDER` or `API`.
        heard_at: the time of the report; None: now.
    """
    now = heard_at or timezone.now()
    fields = {name: report[name] for name in (*COUNTS, "host", "period_s", "closed", "started_at")}
    fields["rejected"] = [dict(one) for one in report.get("rejected") or ()]
    fields |= {"way": way, "error": report["error"] or "", "heard_at": now, "silent": False}
    if way == API:
        _leave(fields | {name: report.get(name) for name in ("name", *_PROGRESS)}, now)
    with transaction.atomic():
        row, _ = TelemetryWriter.objects.update_or_create(name=report["name"], defaults=fields)
        if row.lost > row.told_lost and _is_worth_reporting(row):
            row.told_lost, row.told_at = row.lost, timezone.now()
            row.save(update_fields=("told_lost", "told_at"))
            why = f": {row.error}" if row.error else ""
            outbox.alarm(f"telemetry of {row.name}: {row.lost} of {row.taken} rows are lost{why}")
        rejected_senders.raise_alarms(row)
    return row


def _is_worth_reporting(row: TelemetryWriter) -> bool:
    due = row.told_at is None or clock.is_over(row.told_at, AGAIN, timezone.now())
    return due or row.closed or row.lost >= 2 * row.told_lost


def look() -> None:
    """Read the new reports in the telemetry folder, and raise alarms about silent writers."""
    folder = storage.root() / WRITERS
    for path in sorted(folder.glob("[!.]*.json")) if folder.is_dir() else ():
        if not path.name.startswith(_ELSEWHERE):
            _read(path)
    _report_silent()


def totals() -> dict[str, int]:
    """Return the lost rows and batches of all known writers, and the number of silent ones."""
    sums = TelemetryWriter.objects.aggregate(**{name: Sum(name) for name in ("lost", "lost_batches")})
    silent = TelemetryWriter.objects.filter(silent=True).count()
    return {**{name: int(value or 0) for name, value in sums.items()}, "silent_writers": silent}


def _leave(fields: dict[str, Any], now: datetime) -> None:
    """Write the report of a writer on the API to the telemetry folder, where jobs read it.

    Errors of the file system are ignored.
    """
    known = hashlib.sha256(fields["name"].encode()).hexdigest()[:16]
    path = storage.root() / WRITERS / f"{_ELSEWHERE}{known}.json"
    report = {name: fields[name] for name in (*COUNTS, "name", "host", "period_s", "closed", "error")}
    times = {"told_at": now.isoformat(), "started_at": fields["started_at"].isoformat()}
    until = fields["complete_until"]
    report |= {"datasets": fields["datasets"], "complete_until": until and until.isoformat()}
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as part:
            part.write_text(json.dumps(report | times) + "\n", encoding="utf-8")


def _read(path: Path) -> None:
    try:
        changed = path.stat().st_mtime_ns
        if _seen.get(path.name) == changed:
            return
        report = _checked(json.loads(path.read_text(encoding="utf-8")))
        note(report, FOLDER, _utc(report["told_at"]))
    except (OSError, ValueError, OverflowError, KeyError, TypeError, RecursionError):
        changed = -1  # an invalid file is read again at the next call, without an alarm
    _seen[path.name] = changed


def _checked(report: dict[str, Any]) -> dict[str, Any]:
    numbers = {name: min(max(0, int(report[name])), _LARGEST) for name in COUNTS}
    texts = {name: str(report[name] or "")[:200] for name in ("name", "host", "error")}
    started = _utc(report["started_at"])
    return {
        **report,
        **numbers,
        **texts,
        "rejected": rejected_senders.read_rows(report.get("rejected") or (), _LARGEST),
        "started_at": started,
        "period_s": _period(float(report["period_s"])),
        "closed": report["closed"] is True,
    }


def _period(seconds: float) -> float:
    """Return the seconds between reports; ValueError if outside 0 to a day, as in the API."""
    if not 0 <= seconds <= LONGEST_PERIOD:
        raise ValueError(f"a period of {seconds} s is not from 0 to {LONGEST_PERIOD} s")
    return seconds


def _utc(text: str) -> datetime:
    """Parse an ISO 8601 time; a time without a zone is in UTC."""
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def _report_silent() -> None:
    now = timezone.now()
    with task_failures.skipping("writers of telemetry") as skips:
        for row in TelemetryWriter.objects.filter(closed=False, silent=False, heard_at__lt=now - OVERDUE):
            with skips.attempt(f"telemetry writer {row.name}"):
                if row.heard_at + OVERDUE + timedelta(seconds=3 * row.period_s) <= now:
                    _report_silence(row)


@transaction.atomic
def _report_silence(row: TelemetryWriter) -> None:
    row.silent = True
    row.save(update_fields=("silent",))
    outbox.alarm(
        f"telemetry writer {row.name} sent its latest report at "
        f"{row.heard_at.isoformat(timespec='seconds')}, but no final report: it was killed "
        "or is disconnected. Its rows after that time are missing"
    )


def newest(most: int) -> list[TelemetryWriter]:
    """Return up to `most` writers, those with the latest reports first."""
    return list(TelemetryWriter.objects.order_by(F("heard_at").desc(), "-id")[:most])
