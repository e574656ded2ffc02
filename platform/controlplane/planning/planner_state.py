"""The planner as of the log: the latest snapshot, and the tail of the log after it."""

import json
import logging
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from threading import Lock

from django.db import transaction

from controlplane.common.address_plan import MAX_DZ_PER_FILTER, MAX_TREES, address_plan
from controlplane.common.background_thread import BackgroundThread
from controlplane.requestlog import checkpoints
from controlplane.requestlog.logged_rows import Payload
from controlplane.requestlog.models import PlannerSnapshot, Request, State
from tercast.encoding.limits import Limits
from tercast.errors import TercastError
from tercast.planner.planner import Planner

SNAPSHOT_EVERY = 5000
"""Positions between snapshots, which limit what a restart applies again (plus one batch)."""

_KEPT = 2
_PAGE = 2000

logger = logging.getLogger(__name__)


class ReplayError(Exception):
    """The log does not result in the same state again, because the planner has changed since."""


@dataclass(slots=True)
class PlannerAtPosition:
    """A planner, and the position of the log up to which it has applied requests."""

    planner: Planner
    position: int
    snapshot: int | None = None
    """Position of the newest stored snapshot, if it has been read."""


def load(snapshots: bool = True) -> PlannerAtPosition:
    """Return a new planner at the last decided position.

    Without `snapshots`, only the log is used.

    A compacted log starts with a snapshot.

    Raises:
        ReplayError: This snapshot cannot be read, or a request is refused now.
    """
    state = _begun(_stored_snapshots() if snapshots else _stored_snapshots(base()), base())
    bring_forward(state)
    state.planner.take_diff()
    return state


def bring_forward(state: PlannerAtPosition, until: int | None = None) -> None:
    """Apply what was decided after `state.position`, up to the first undecided request.

    With `until`, no later position is applied. Failed requests changed nothing and are omitted, for any
    reason of the failure. The exception is a request that failed after its execution, which a later request
    reverts.
    """
    while page := _page(state.position):
        left = [row for row in page if until is None or row[0] <= until]
        _apply(state, left)
        if len(left) < len(page):
            break


Page = list[tuple[int, str, Payload, int | None]]


def _page(position: int) -> Page:
    """Return the next decided requests of the log: position, state, payload, reverting request."""
    rows = Request.objects.filter(position__gt=position).order_by("position")
    fields = rows.values_list("position", "state", "payload", "undone_by")[:_PAGE]
    page: Page = [(at or 0, stage, payload, undone_by) for at, stage, payload, undone_by in fields]
    if page and base() > position:  # checked after the rows: the base moves before rows are removed
        raise ReplayError(f"the log after position {position} was compacted meanwhile; start again")
    return list(takewhile(lambda row: row[1] not in (State.QUEUED, State.PLANNING), page))


def _apply(state: PlannerAtPosition, page: Page) -> None:
    for position, stage, payload, undone_by in page:
        if stage != State.FAILED or undone_by is not None:
            outcome = state.planner.apply(payload)
            if not outcome.ok:
                raise ReplayError(
                    f"the request at log position {position} was accepted earlier, but is refused now: "
                    f"{outcome.reason}"
                )
        state.position = position


def decided() -> int:
    """Return the newest decided position, or 0."""
    rows = Request.objects.filter(position__isnull=False).exclude(state__in=(State.QUEUED, State.PLANNING))
    return max(rows.order_by("-position").values_list("position", flat=True).first() or 0, base())


def keep_snapshot(state: PlannerAtPosition, every: int = SNAPSHOT_EVERY) -> bool:
    """Store the state if the last snapshot is `every` positions behind.

    The two newest snapshots stay, and the one at the base.

    Returns:
        Whether the state was stored.
    """
    if state.snapshot is None:
        positions = PlannerSnapshot.objects.order_by("-position").values_list("position", flat=True)
        state.snapshot = positions.first() or 0
    if state.position - state.snapshot < every:
        return False
    data = zlib.compress(json.dumps(state.planner.snapshot(), separators=(",", ":")).encode(), 1)
    with transaction.atomic():
        PlannerSnapshot.objects.get_or_create(position=state.position, defaults={"data": data})
        kept = PlannerSnapshot.objects.order_by("-position").values_list("pk", flat=True)[:_KEPT]
        PlannerSnapshot.objects.exclude(pk__in=list(kept)).exclude(position=base()).delete()
    state.snapshot = state.position
    return True


_COMPACTED = "compacted"


def base() -> int:
    """Return the position of the snapshot that the log starts with.

    Earlier requests may have been removed. 0 means that none have.
    """
    return int(checkpoints.recall(_COMPACTED, {}).get("position", 0))


def pin(position: int) -> None:
    """Start the log with the snapshot at `position` from now on; this snapshot stays."""
    checkpoints.store(_COMPACTED, {**checkpoints.recall(_COMPACTED, {}), "position": position})


def note_removed(request: int) -> None:
    """Record that requests up to this id may have been removed."""
    before = checkpoints.recall(_COMPACTED, {})
    checkpoints.store(_COMPACTED, {**before, "request": max(request, before.get("request", 0))})


def last_removed() -> int:
    """Return the highest id of a request that may have been removed."""
    return int(checkpoints.recall(_COMPACTED, {}).get("request", 0))


def restored(snapshot: PlannerSnapshot) -> PlannerAtPosition:
    """Return the state of one snapshot.

    Raises:
        ReplayError: The snapshot cannot be read.
    """
    return _begun([(snapshot.position, bytes(snapshot.data))], snapshot.position)


def _stored_snapshots(position: int | None = None) -> list[tuple[int, bytes]]:
    """Return the snapshots, the newest first; with `position`, only the one there."""
    rows = PlannerSnapshot.objects.order_by("-position").values_list("position", "data")
    rows = rows if position is None else rows.filter(position=position)
    return [(at, bytes(data)) for at, data in rows]


def _begun(kept: Iterable[tuple[int, bytes]], begins: int) -> PlannerAtPosition:
    """Return the state to apply the log to: the newest snapshot, or an empty planner."""
    state = _restored(kept)
    if state is None and begins:
        raise ReplayError(
            f"the log starts with the snapshot at position {begins}, but no snapshot can be read: use the "
            "version that created it, or restore a backup"
        )
    return state or _empty()


def _restored(kept: Iterable[tuple[int, bytes]]) -> PlannerAtPosition | None:
    """Return the newest snapshot that this version can read, or None."""
    for position, data in kept:
        try:
            planner = Planner.restore(json.loads(zlib.decompress(data)))
        except (ValueError, KeyError, zlib.error, TercastError) as error:
            logger.warning("the snapshot at position %d cannot be read: %s", position, error)
        else:
            return PlannerAtPosition(planner, position)
    return None


def _empty() -> PlannerAtPosition:
    limits = Limits(max_dz_per_filter=MAX_DZ_PER_FILTER, max_trees=MAX_TREES)
    return PlannerAtPosition(Planner(address_plan(), limits, hitless=True), 0)


RESTORED = "restored"
"""Watermark that changes when a backup replaces the log."""

_reader: PlannerAtPosition | None = None
_reads = ""
_reader_lock = Lock()


class PlannerBehind(Exception):  # noqa: N818 - named by meaning
    """The planner for readers was in use, or not at the end of the log, within the given time."""


@contextmanager
def reading(seconds: float | None = None) -> Iterator[Planner]:
    """Yield the planner that all readers of this process share, one reader at a time.

    It is for reading and dry runs, never for `apply`.

    Args:
        seconds: Longest wait for the planner at the end of the log; None is unlimited. After it, the update
            continues in the background, and the next reader waits for its end.

    Raises:
        PlannerBehind: The time was not sufficient.
    """
    end = None if seconds is None else time.monotonic() + seconds
    if not _reader_lock.acquire(timeout=-1 if seconds is None else seconds):
        raise PlannerBehind
    left = False
    try:
        for step in _steps():
            if end is None:
                step()
            else:
                left = not BackgroundThread(step, _reader_lock.release).wait(end - time.monotonic())
            if left:
                raise PlannerBehind
        assert _reader is not None
        yield _reader.planner
    finally:
        if not left:
            _reader_lock.release()


def _steps() -> Iterator[Callable[[], object]]:
    """Yield the steps that update the reader; the steps themselves need no database."""
    log, begins = str(checkpoints.recall(RESTORED, "")), base()
    if _reader is None or log != _reads or _reader.position < begins:
        yield partial(_begin, _stored_snapshots(), begins, log)
    assert _reader is not None
    while page := _page(_reader.position):
        yield partial(_apply, _reader, page)
    yield _reader.planner.take_diff


def _begin(kept: list[tuple[int, bytes]], begins: int, log: str) -> None:
    global _reader, _reads
    _reader, _reads = _begun(kept, begins), log


def current_planner() -> Planner:
    """Return the planner of `reading`, for a process with a single reader."""
    with reading() as planner:
        return planner
