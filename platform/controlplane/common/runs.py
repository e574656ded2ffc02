"""Life cycle of long-running work in rows: added, started by one worker, ended once, pruned."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.db.models import QuerySet
from django.utils import timezone

from controlplane.common.problems import Problem, conflict, no_such

QUEUED, RUNNING = "queued", "running"
UNDER_WAY = (QUEUED, RUNNING)
"""States of an open run; each model defines further states."""


class RunRow(models.Model):
    """A run; its model adds `state`, initially `QUEUED`, and optionally `attempts`, the starts."""

    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        ordering = ("id",)

    @property
    def is_over(self) -> bool:
        """Whether the run has a final state."""
        return self.state not in UNDER_WAY  # type: ignore[attr-defined] # of the model


Row = TypeVar("Row", bound=RunRow)


class RunLifeCycle(Generic[Row]):
    """The life cycle of the rows of one model.

    Args:
        model: The model.
        noun: Name of a row in messages.
        resource: Path of the list of rows below `/api/v1/`; by default the plural of the noun.
        over: Values of a row in a final state, except `state` and `ended_at`.
    """

    def __init__(self, model: type[Row], noun: str, resource: str = "", **over: object) -> None:
        self._model, self._noun, self._resource, self._over = model, noun, resource, over
        self._versions = ("state", "attempts") if hasattr(model, "attempts") else ("state",)

    def under_way(self) -> QuerySet[Row]:
        """Return the queued and running runs, the oldest first."""
        return self._model._default_manager.filter(state__in=UNDER_WAY)

    def is_over(self, pk: int) -> bool:
        """Whether a run has a final state, or does not exist."""
        return not self.under_way().filter(pk=pk).exists()

    def find(self, pk: int) -> Row:
        """Return a run by its id.

        Raises:
            Problem: The run does not exist (404).
        """
        row = self._model._default_manager.filter(pk=pk).first()
        if row is None:
            raise no_such(self._noun, pk, self._resource)
        return row

    def add(self, wake: Callable[[], None], /, **fields: Any) -> Row:
        """Add a run, and call `wake` for a worker when the caller's transaction commits."""
        row = self._model._default_manager.create(**fields)
        transaction.on_commit(wake)
        return row

    def held(self, row: Row) -> QuerySet[Row]:
        """Return the row if no other worker has started, returned or ended it since the read."""
        same = {name: getattr(row, name) for name in self._versions}
        return self.under_way().filter(pk=row.pk, **same)

    def begin(self, row: Row, /, **fields: Any) -> bool:
        """Start a run, and update its attributes; return False if another worker was faster."""
        changed = {"state": RUNNING, "started_at": timezone.now(), **fields}
        if "attempts" in self._versions:
            changed["attempts"] = row.attempts + 1  # type: ignore[attr-defined] # of the model
        taken = bool(self.held(row).update(**changed))
        if taken:
            for name, value in changed.items():
                setattr(row, name, value)
        return taken

    def put_back(self, row: Row, /, **fields: Any) -> None:
        """Let another worker start a run again, unless it no longer belongs to the caller."""
        self.held(row).update(**{"state": QUEUED, **fields})

    def end(self, row: Row, state: str, /, **fields: Any) -> bool:
        """Set the final state of a run; `row` itself does not change.

        Returns:
            False if the run no longer belongs to the caller.
        """
        return self.end_rows(self.held(row), state, **fields)

    def end_rows(self, rows: QuerySet[Row], state: str, /, **fields: Any) -> bool:
        """Set the final state of runs; return whether there were any."""
        over = {**self._over, "state": state, "ended_at": timezone.now(), **fields}
        return bool(rows.filter(state__in=UNDER_WAY).update(**over))


@contextmanager
def one_at_a_time(others: QuerySet[Row], subject: str, remedy: str) -> Iterator[None]:
    """Add a run in a transaction, unless another one is open.

    Args:
        others: Open runs that exclude the new one, by a constraint of the model.
        subject: Text after the run's number in messages, such as " of JOB"; may be empty.
        remedy: Remedy in messages.

    Raises:
        Problem: Another run is open (409 `under_way`).
    """
    other = others.first()
    if other is not None:
        raise _under_way(other, subject, remedy)
    try:
        with transaction.atomic():
            yield
    except IntegrityError:
        raise _under_way(others.first(), subject, remedy) from None


def _under_way(other: RunRow | None, subject: str, remedy: str) -> Problem:
    which = f"Run {other.pk}" if other else "A run"
    return conflict("under_way", f"{which}{subject} is in progress. {remedy}")


def prune(rows: QuerySet[Row], kept: int) -> None:
    """Delete all `rows` except the newest."""
    newest = rows.order_by("-id").values_list("id", flat=True)
    last = newest[kept - 1 : kept].first()
    if last is not None:
        rows.filter(id__lt=last).delete()
