"""Compaction of the request log: a planner snapshot replaces the part that ended long ago.

1. prove   Check that the new base (a snapshot) with the log after it results in the same tables as the old
           base with the whole log. This changes nothing.
2. pin     Make the snapshot the permanent start of the log. This is one transaction under the planner's
           lock, so that no session removes the snapshot meanwhile.
3. remove  Delete withdrawn and failed announcements, requests and bulk calls that ended before the retention
           time, in short transactions. A request stays while an object refers to it.

A kill at any point changes no table. Before the end of step 2 nothing has changed. After it, every row that
may be missing is older than the base.
"""

import logging
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, ForeignObjectRel, Max, Model, OuterRef, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from controlplane.common import fault_injection
from controlplane.common.chunks import chunks
from controlplane.common.process_locks import HeldLock, planner_lock
from controlplane.operations import stage_histograms
from controlplane.operations.backup.errors import BackupError
from controlplane.planning import planner_state
from controlplane.planning.planner_state import PlannerAtPosition, ReplayError
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import FINAL_STATES, Operation, PlannerSnapshot, Request, State
from controlplane.telemetry import request_rows

SNAPSHOT_EVERY = 500
"""Positions after the newest snapshot from which on a compaction creates a newer one."""

_PATIENCE = 60.0
_BLOCKING = {"PROTECT", "RESTRICT", "DO_NOTHING"}

logger = logging.getLogger(__name__)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Removed:
    """Numbers of removed rows, and the position at which the log starts."""

    base: int
    announcements: int
    requests: int
    operations: int


def compact(keep: timedelta, say: Say) -> Removed:
    """Remove what ended longer than `keep` ago and is covered by a snapshot.

    Raises:
        UpkeepError: The proof failed, or the planner was busy for a minute.
    """
    cutoff = timezone.now() - keep
    base = _new_base(say)
    fault_injection.point("compact:pinned")
    ended = _ended(base, cutoff)
    announcements = sum(_remove_announcements(model, ended) for model in (Subscription, Advertisement))
    fault_injection.point("compact:announcements")
    requests = _remove_requests(ended)
    fault_injection.point("compact:requests")
    operations = _remove_operations(cutoff)
    found = Removed(base, announcements, requests, operations)
    say(
        f"removed {requests} requests, {announcements} announcements and {operations} bulk calls that ended "
        f"before {cutoff:%Y-%m-%d %H:%M} UTC; the log starts with the snapshot at position {base}"
    )
    return found


def _new_base(say: Say) -> int:
    """Ensure that there is a snapshot to start the log with, prove it, and pin it.

    Returns:
        Its position.
    """
    replayed = planner_state.load(snapshots=False)
    say(f"replayed the log up to position {replayed.position}")
    with _locked():
        planner_state.keep_snapshot(replayed, every=SNAPSHOT_EVERY)
    oldest = PlannerSnapshot.objects.order_by("position").filter(position__gt=planner_state.base()).first()
    if oldest is None:
        return planner_state.base()
    _prove(oldest, replayed)
    with _locked(), transaction.atomic():
        if not PlannerSnapshot.objects.filter(pk=oldest.pk).exists():
            raise BackupError("newer snapshots have replaced the one that was checked; try again")
        planner_state.pin(oldest.position)
    return oldest.position


def _prove(snapshot: PlannerSnapshot, replayed: PlannerAtPosition) -> None:
    """Raise UpkeepError unless `snapshot` with the later log has the whole log's result."""
    try:
        state = planner_state.restored(snapshot)
        planner_state.bring_forward(state, until=replayed.position)
        if (state.position, state.planner.tables()) == (replayed.position, replayed.planner.tables()):
            return
        reason = "the tables differ from those of the whole log"
    except ReplayError as error:
        reason = str(error)
    raise BackupError(
        f"the snapshot at log position {snapshot.position} and the later requests are wrong: {reason}; "
        "nothing was removed. Run manage.py replay --check"
    )


def _locked() -> AbstractContextManager[HeldLock]:
    """Return the planner's lock, which waits for the current session: sessions are short."""
    return _Lock()


class _Lock(AbstractContextManager[HeldLock]):
    def __enter__(self) -> HeldLock:
        end = time.monotonic() + _PATIENCE
        while True:
            self._lock = planner_lock()
            held = self._lock.__enter__()
            if held is not None:
                return held
            self._lock.__exit__(None, None, None)
            if time.monotonic() > end:
                raise BackupError(f"the planner was busy for {_PATIENCE:.0f} s; try again later")
            time.sleep(0.05)

    def __exit__(self, *error: Any) -> None:
        self._lock.__exit__(*error)


def _ended(base: int, cutoff: datetime) -> QuerySet[Request]:
    """Return the ended requests that only objects that refer to them may still need.

    Only requests that the metrics have counted and telemetry has recorded are included. All others stay.
    """
    counted = stage_histograms.totals().last
    exported = int(checkpoints.recall(request_rows.POSITION, 0))
    rows = Request.objects.filter(
        position__lte=min(base, exported), pk__lte=counted, state__in=FINAL_STATES, exported=None
    )
    return rows.alias(ended=Coalesce("confirmed_at", "computed_at", "received_at")).filter(ended__lt=cutoff)


def _remove_announcements(model: type[Any], ended: QuerySet[Request]) -> int:
    """Remove closed announcements all of whose requests have ended; return their number."""
    rows = model.objects.filter(state__in=(State.WITHDRAWN, State.FAILED), request__in=ended)
    rows = rows.exclude(withdrawal__isnull=False, withdrawal__in=_others(ended))
    return _in_chunks(rows)


def _others(ended: QuerySet[Request]) -> QuerySet[Request]:
    return Request.objects.exclude(pk__in=ended.values("pk"))


def _remove_requests(ended: QuerySet[Request]) -> int:
    """Remove requests that no object refers to, a reverting request before the reverted one."""
    rows = ended
    for model, column in _referring():
        rows = rows.exclude(Exists(model._default_manager.filter(**{column: OuterRef("pk")})))
    newest = rows.aggregate(newest=Max("pk"))["newest"]
    if newest is not None:
        planner_state.note_removed(int(newest))
    removed = 0
    while some := _in_chunks(rows):
        removed += some
    return removed


def _referring() -> list[tuple[type[Model], str]]:
    """Return the fields that prevent removal of a request: neither cascade nor set to null."""
    found = []
    for relation in Request._meta.get_fields(include_hidden=True):
        if isinstance(relation, ForeignObjectRel):
            on_delete = getattr(relation.on_delete, "__name__", "")
            if on_delete in _BLOCKING:
                found.append((relation.field.model, str(relation.field.name)))
    return found


def _remove_operations(cutoff: datetime) -> int:
    rows = Operation.objects.alias(left=Count("requests")).filter(created_at__lt=cutoff, left=0)
    return _in_chunks(rows)


def _in_chunks(rows: QuerySet[Any]) -> int:
    """Delete `rows` in short transactions and return their number."""
    ids = list(rows.order_by("pk").values_list("pk", flat=True))
    for part in chunks(ids):
        with transaction.atomic():
            rows.model._default_manager.filter(pk__in=part).delete()
        fault_injection.point(f"compact:{rows.model._meta.model_name}")
    return len(ids)
