"""Lasting problems, each with an alarm: skipped rows, and tasks that fail repeatedly.

They are rows of the database, so the web server shows what a worker or beat found.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import DatabaseError, InterfaceError, OperationalError, transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints, outbox
from controlplane.requestlog.models import Watermark

PREFIX = "troubles of "
FAILING = "failing task "
FAILURES = 3
"""Failures in a row that raise an alarm; fewer may be caused by a lock or a restart."""

_MOST_SUBJECTS = 100
_MOST_TEXT = 500
_NAME_LENGTH = 64
"""Longest name of a watermark."""

_logged: dict[tuple[str, str], str] = {}
"""Errors whose traceback is in this process's log, by loop and subject."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A problem: its alarm, subject, cause and start, and how often it was seen."""

    alarm: str
    subject: str
    detail: str
    since: str
    last: str | None = None
    count: int | None = None

    def __str__(self) -> str:
        return f"{self.subject}: {self.detail}"


def report(loop: str, alarm: str, found: Mapping[str, str]) -> None:
    """Store what a loop skipped, by subject; raise alarms for new rows and for ended ones.

    Call this with everything that the loop skips now. While that does not change, nothing is written.
    """
    before = _skipped(checkpoints.recall_or_default(PREFIX + loop, {}))
    if {name: row["detail"] for name, row in before.items()} == _short(found):
        return
    with transaction.atomic():
        before = _skipped(checkpoints.hold_or_default(PREFIX + loop, {}))
        now, shortened = timezone.now().isoformat(), _short(found)
        after = {
            name: {"alarm": alarm, "detail": detail, "since": before.get(name, {}).get("since", now)}
            for name, detail in shortened.items()
        }
        checkpoints.store(PREFIX + loop, after)
        for name, detail in shortened.items():
            if before.get(name, {}).get("detail") != detail:
                outbox.alarm(f"{name} is skipped: {detail}")
        for name in before.keys() - after.keys():
            outbox.alarm(f"{name} is no longer skipped")


@contextmanager
def skipping(loop: str, alarm: str = "skipped") -> Iterator["Skips"]:
    """Report at the end which rows a loop skipped; use `attempt` for each row."""
    skips = Skips(loop)
    yield skips
    report(loop, alarm, skips.found)


class Skips:
    """The skipped rows of a loop, by subject."""

    def __init__(self, loop: str) -> None:
        self._loop = loop
        self.found: dict[str, str] = {}

    def skip(self, subject: str, why: str) -> None:
        """Record that `subject` is skipped."""
        self.found[subject] = why

    @contextmanager
    def attempt(self, subject: str, errors: dict[str, BaseException] | None = None) -> Iterator[None]:
        """Process one row: an error skips it, logs a traceback, and is added to `errors`.

        Raises:
            OperationalError, InterfaceError: The database is unavailable or aborted; the row has no fault.
        """
        try:
            yield
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:
            _log(self._loop, subject, error)
            self.skip(subject, described(error))
            if errors is not None:
                errors[subject] = error


def attempt_all(loop: str, steps: Mapping[str, Callable[[], Any]]) -> None:
    """Run every step, even if others fail; each step counts its failures like a task.

    Raises:
        OperationalError, InterfaceError: The database is unavailable or aborted; later steps are not run.
    """
    skips = Skips(loop)
    failed: dict[str, BaseException] = {}
    for name, step in steps.items():
        with skips.attempt(name, failed):
            step()
    known = Watermark.objects.filter(name__startswith=f"{FAILING}{loop}: ").values_list("name", flat=True)
    before = [name.removeprefix(FAILING) for name in known]
    for name, error in failed.items():
        record_failure(f"{loop}: {name}", error)
    for task in before:
        if task.removeprefix(f"{loop}: ") not in failed:
            record_success(task)


def record_failure(task: str, error: BaseException) -> None:
    """Count an error of a task, and raise the alarm at the `FAILURES`th one in a row."""
    now, name = timezone.now().isoformat(), (FAILING + task)[:_NAME_LENGTH]
    detail = _plain(described(error), _MOST_TEXT)
    with transaction.atomic():
        row = _failures(checkpoints.hold_or_default(name, {})) or {"count": 0, "since": now}
        count = row["count"] + 1
        checkpoints.store(name, {**row, "count": count, "last": now, "detail": detail})
        if count == FAILURES:
            outbox.alarm(f"task {task} has failed {count} times in a row: {detail}")


def record_success(task: str) -> None:
    """Delete the failures of a task that succeeded; one query unless it had failed."""
    name = (FAILING + task)[:_NAME_LENGTH]
    row = checkpoints.recall_or_default(name, None)
    if row is None and not Watermark.objects.filter(name=name).exists():
        return
    with transaction.atomic():
        gone, _ = Watermark.objects.filter(name=name).delete()
        if gone and _failures(row).get("count", 0) >= FAILURES:
            outbox.alarm(f"task {task} works again")


def record_exit(command: str, status: int) -> None:
    """Count the exit status of a process that a task started."""
    if status == 0:
        record_success(command)
    else:
        text = f"the process ended with status {status}; see the worker's log for details"
        record_failure(command, RuntimeError(text))


def read_problems() -> list[Trouble]:
    """Return all present problems, by subject."""
    found: list[Trouble] = []
    for name, value in checkpoints.recall_all(PREFIX).items():
        if isinstance(value, checkpoints.MalformedCheckpoint):
            found.append(Trouble("malformed", name, str(value), ""))
            continue
        for subject, skipped in sorted(_skipped(value).items()):
            found.append(Trouble(skipped["alarm"], subject, skipped["detail"], skipped["since"]))
    for name, value in checkpoints.recall_all(FAILING).items():
        if isinstance(value, checkpoints.MalformedCheckpoint):
            found.append(Trouble("malformed", name, str(value), ""))
            continue
        row = _failures(value)
        if row.get("count", 0) >= FAILURES:
            task = f"task {name.removeprefix(FAILING)}"
            text = f"it failed {row['count']} times in a row: {row.get('detail', '')}"
            found.append(Trouble("task_fails", task, text, row["since"], row.get("last"), row["count"]))
    return found


def forget() -> None:
    """Delete all problems, after a restore: loops find those that still exist."""
    for prefix in (PREFIX, FAILING):
        Watermark.objects.filter(name__startswith=prefix).delete()


def described(error: BaseException) -> str:
    """Return the text of an error, with its type unless the text is sufficient."""
    text = str(error)
    return text if isinstance(error, DatabaseError) and text else f"{type(error).__name__}: {text}"


def _log(loop: str, subject: str, error: BaseException) -> None:
    """Log a traceback once for each error, even if the loop repeats it."""
    text = described(error)
    if _logged.get((loop, subject)) == text:
        logger.debug("%s: %s is skipped again: %s", loop, subject, text)
        return
    if len(_logged) >= _MOST_SUBJECTS:
        _logged.clear()
    _logged[loop, subject] = text
    logger.exception("%s: %s is skipped", loop, subject)


def _skipped(value: object) -> dict[str, dict[str, str]]:
    """Return the rows of a loop's watermark; malformed ones (by manual SQL) are omitted."""
    if not isinstance(value, dict):
        return {}
    fields = ("alarm", "detail", "since")
    return {
        str(name): row
        for name, row in value.items()
        if isinstance(row, dict) and all(isinstance(row.get(field), str) for field in fields)
    }


def _failures(value: object) -> dict[str, Any]:
    """Return the watermark of a failing task; empty if it is malformed."""
    if not isinstance(value, dict) or not isinstance(value.get("since"), str):
        return {}
    return value if type(value.get("count")) is int else {}


def _short(found: Mapping[str, str]) -> dict[str, str]:
    items = sorted(found.items())[:_MOST_SUBJECTS]
    return {_plain(name, 200): _plain(detail, _MOST_TEXT) for name, detail in items}


def _plain(text: str, most: int) -> str:
    """Return the text in a form that every database accepts."""
    return text[:most].encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
