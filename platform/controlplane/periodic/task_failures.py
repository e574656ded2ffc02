"""Troubles that last: what a loop skipped, and tasks that keep failing. Each is an alarm while it lasts.

They are rows of the database, so that the web server shows what a worker or beat found.
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
"""A task that failed so often in a row is an alarm; fewer failures may be a lock or a restart."""

_MOST_SUBJECTS = 100
_MOST_TEXT = 500
_NAME_LENGTH = 64
"""Of a watermark."""

_logged: dict[tuple[str, str], str] = {}
"""By loop and subject the error whose traceback is in this process's log."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing that does not run: its alarm, its subject, why, since when, and how often it was seen."""

    alarm: str
    subject: str
    detail: str
    since: str
    last: str | None = None
    count: int | None = None

    def __str__(self) -> str:
        return f"{self.subject}: {self.detail}"


def report(loop: str, alarm: str, found: Mapping[str, str]) -> None:
    """Keep what a loop skipped, by subject; alarms for what is new and what has ended.

    Call it with everything that the loop skips now. Nothing is written while that stays the same.
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
        checkpoints.keep(PREFIX + loop, after)
        for name, detail in shortened.items():
            if before.get(name, {}).get("detail") != detail:
                outbox.alarm(f"{name} is skipped: {detail}")
        for name in before.keys() - after.keys():
            outbox.alarm(f"{name} is no longer skipped")


@contextmanager
def skipping(loop: str, alarm: str = "skipped") -> Iterator["Skips"]:
    """A loop over rows: `attempt` each of them, and what is skipped is reported at the end."""
    skips = Skips(loop)
    yield skips
    report(loop, alarm, skips.found)


class Skips:
    """What a loop has skipped so far, by subject."""

    def __init__(self, loop: str) -> None:
        self._loop = loop
        self.found: dict[str, str] = {}

    def skip(self, subject: str, why: str) -> None:
        """Note that `subject` is skipped."""
        self.found[subject] = why

    @contextmanager
    def attempt(self, subject: str, errors: dict[str, BaseException] | None = None) -> Iterator[None]:
        """Work at one row: an error skips it, with a traceback in the log, and is put into `errors`.

        Raises:
            OperationalError, InterfaceError: The database is away or aborted; that is no fault of the row.
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
    """Carry out every step, whatever becomes of the others; each one counts its failures as a task does.

    Raises:
        OperationalError, InterfaceError: The database is away or aborted; the steps after that are left out.
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
    """Count that a task raised, and raise the alarm at the `FAILURES`th time in a row."""
    now, name = timezone.now().isoformat(), (FAILING + task)[:_NAME_LENGTH]
    detail = _plain(described(error), _MOST_TEXT)
    with transaction.atomic():
        row = _failures(checkpoints.hold_or_default(name, {})) or {"count": 0, "since": now}
        count = row["count"] + 1
        checkpoints.keep(name, {**row, "count": count, "last": now, "detail": detail})
        if count == FAILURES:
            outbox.alarm(f"task {task} has failed {count} times in a row: {detail}")


def record_success(task: str) -> None:
    """Forget the failures of a task that ended well. One query, unless it had failed."""
    name = (FAILING + task)[:_NAME_LENGTH]
    row = checkpoints.recall_or_default(name, None)
    if row is None and not Watermark.objects.filter(name=name).exists():
        return
    with transaction.atomic():
        gone, _ = Watermark.objects.filter(name=name).delete()
        if gone and _failures(row).get("count", 0) >= FAILURES:
            outbox.alarm(f"task {task} works again")


def record_exit(command: str, status: int) -> None:
    """Count how a process that a task started has ended."""
    if status == 0:
        record_success(command)
    else:
        text = f"the process ended with status {status}; the worker's log has more"
        record_failure(command, RuntimeError(text))


def standing() -> list[Trouble]:
    """All that last now, by subject."""
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
    """Begin without any, after a restore: loops find again what still is."""
    for prefix in (PREFIX, FAILING):
        Watermark.objects.filter(name__startswith=prefix).delete()


def described(error: BaseException) -> str:
    """An error for people: its text, with its kind where that says nothing."""
    text = str(error)
    return text if isinstance(error, DatabaseError) and text else f"{type(error).__name__}: {text}"


def _log(loop: str, subject: str, error: BaseException) -> None:
    """Log a traceback once for each error, however often the loop comes back to it."""
    text = described(error)
    if _logged.get((loop, subject)) == text:
        logger.debug("%s: %s is skipped again: %s", loop, subject, text)
        return
    if len(_logged) >= _MOST_SUBJECTS:
        _logged.clear()
    _logged[loop, subject] = text
    logger.exception("%s: %s is skipped", loop, subject)


def _skipped(value: object) -> dict[str, dict[str, str]]:
    """The rows of a loop's watermark; those of another shape, which only SQL can have made, are left out."""
    if not isinstance(value, dict):
        return {}
    fields = ("alarm", "detail", "since")
    return {
        str(name): row
        for name, row in value.items()
        if isinstance(row, dict) and all(isinstance(row.get(field), str) for field in fields)
    }


def _failures(value: object) -> dict[str, Any]:
    """The watermark of a failing task; empty where it has another shape."""
    if not isinstance(value, dict) or not isinstance(value.get("since"), str):
        return {}
    return value if type(value.get("count")) is int else {}


def _short(found: Mapping[str, str]) -> dict[str, str]:
    items = sorted(found.items())[:_MOST_SUBJECTS]
    return {_plain(name, 200): _plain(detail, _MOST_TEXT) for name, detail in items}


def _plain(text: str, most: int) -> str:
    """A text that every database keeps."""
    return text[:most].encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")
