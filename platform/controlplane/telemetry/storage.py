"""Folder of telemetry: its contents, write errors, and the removal of old data."""

import logging
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints, outbox
from controlplane.telemetry.models import TelemetryBatch, TelemetryWriter
from tercast.telemetry import DATASETS
from tercast.telemetry.sinks import WRITERS

BATCH_IDS_STAY = timedelta(days=7)
"""Time for which a repeated batch is recognized by its id."""

_PROBLEM, _CLEANED = "telemetry-problem", "telemetry-cleaned"
_DATE = re.compile(r"date=(\d{4}-\d{2}-\d{2})")
_PART_SECONDS = 86_400

logger = logging.getLogger(__name__)


def root() -> Path:
    """Return the folder below which telemetry is written."""
    found: Path = settings.ENV.telemetry_root
    return found


def oldest() -> date:
    """Return the first day (UTC) whose telemetry is kept."""
    return (timezone.now() - timedelta(days=settings.ENV.telemetry_days)).date()


class NotWritten(Exception):  # noqa: N818 - named by meaning
    """Telemetry cannot be written. The text contains the folder and the system's reason."""


@contextmanager
def writing(what: str) -> Iterator[None]:
    """Convert write errors of the block to `NotWritten`, and raise alarms about them.

    The first error raises an alarm. The first success after an error raises another one.

    Args:
        what: the name of the data, for the error and the alarm.

    Raises:
        NotWritten: The block raised an OSError.
    """
    try:
        yield
    except OSError as error:
        text = f"{what}: {root()} cannot be written: {error.strerror or error}"
        _report_problem(text)
        raise NotWritten(text) from error
    _report_problem(None)


def problem() -> str | None:
    """Return the reason of the last write error; None if the last write succeeded."""
    found: str = checkpoints.recall_or_default(_PROBLEM, "")
    return found or None


def _report_problem(text: str | None) -> None:
    before = problem()
    if (text is None) == (before is None):
        return
    with transaction.atomic():
        checkpoints.store(_PROBLEM, text or "")
        outbox.alarm(f"telemetry: {text}" if text else "telemetry is written again")


def days_of(dataset: str) -> list[tuple[str, Path]]:
    """Return the days (ISO 8601) of a dataset in order, each with its folder."""
    with suppress(OSError):
        folders = ((_DATE.fullmatch(path.name), path) for path in (root() / dataset).iterdir())
        return sorted((found[1], path) for found, path in folders if found)
    return []


def contents() -> list[dict[str, Any]]:
    """Return the number of days and files of each dataset, its oldest and its newest day."""
    out = []
    for name in DATASETS:
        days = days_of(name)
        out.append(
            {
                "dataset": name,
                "days": len(days),
                "files": sum(_files(folder) for _, folder in days),
                "oldest": days[0][0] if days else None,
                "newest": days[-1][0] if days else None,
            }
        )
    return out


def _files(folder: Path) -> int:
    with suppress(OSError):
        return sum(path.name[0] not in "._" for path in folder.iterdir())
    return 0


def clean_daily() -> None:
    """Remove data older than the retention, unless this was done today (UTC)."""
    today = timezone.now().date().isoformat()
    if checkpoints.recall_or_default(_CLEANED, "") != today:
        clean()
        checkpoints.store(_CLEANED, today)


def clean() -> int:
    """Remove old days, partial files of killed writers, old reports and old batch ids.

    Reports of writers are old if they are from before the first kept day. They are files and database rows.
    A day's folder is first renamed to a hidden name, so that readers never see only some of its files.

    Returns:
        The number of removed days.
    """
    removed = 0
    for name in DATASETS:
        for day, folder in days_of(name):
            if day < oldest().isoformat():
                hidden = folder.with_name(f".{folder.name}.{time.time_ns()}.old")
                with suppress(OSError):
                    folder.rename(hidden)
                    removed += 1
        for hidden in (root() / name).glob(".date=*.old"):
            shutil.rmtree(hidden, ignore_errors=True)
    _remove_old(root().glob("*/date=*/.*.part"), time.time() - _PART_SECONDS)
    before = datetime.combine(oldest(), datetime.min.time(), tzinfo=UTC)
    _remove_old((root() / WRITERS).glob("*.json"), before.timestamp())
    TelemetryWriter.objects.filter(heard_at__lt=before).delete()
    TelemetryBatch.objects.filter(created_at__lt=timezone.now() - BATCH_IDS_STAY).delete()
    if removed:
        logger.info("removed %d days of telemetry before %s", removed, oldest())
    return removed


def _remove_old(paths: Iterator[Path], before: float) -> None:
    for path in paths:
        with suppress(OSError):
            if path.stat().st_mtime < before:
                path.unlink()
