"""The planner as the log has it: the latest snapshot, and the tail of the log behind it."""

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
from controlplane.planning.background_thread import Aside
from controlplane.requestlog import checkpoints
from controlplane.requestlog.logged_rows import Payload
from controlplane.requestlog.models import PlannerSnapshot, Request, State
from tercast.encoding.limits import Limits
from tercast.errors import TercastError
from tercast.planner.planner import Planner

SNAPSHOT_EVERY = 5000
"""Positions between snapshots: what a restart has to apply again at most, but for one batch."""

_KEPT = 2
_PAGE = 2000

logger = logging.getLogger(__name__)


class ReplayError(Exception):
    """The log does not lead to the same state again: the planner has changed since it was carried out."""


@dataclass(slots=True)
class Positioned:
    """A planner, and the position of the log up to which it has applied the requests."""

    planner: Planner
    position: int


def load(snapshots: bool = True) -> Positioned:
    """A planner of its own at the last position that is decided; without `snapshots`, from the log alone.

    A log that was compacted begins with a snapshot. Raises ReplayError where that cannot be read.
    """
    state = _begun(_kept() if snapshots else _kept(base()), base())
    bring_forward(state)
    state.planner.take_diff()
    return state


def bring_forward(state: Positioned, until: int | None = None) -> None:
    """Apply what was decided after `state.position`, up to the first request that is not decided yet.

    With `until` no position behind that is applied.

    A failed request changed nothing, for whatever reason it failed, and is left out; but for one that failed
    when it had been carried out, which a later request takes back.
    """
    while page := _page(state.position):
        left = [row for row in page if until is None or row[0] <= until]
        _apply(state, left)
        if len(left) < len(page):
            break


Page = list[tuple[int, str, Payload, int | None]]


def _page(position: int) -> Page:
    """The next decided requests of the log: position, state, payload, who takes it back."""
    rows = Request.objects.filter(position__gt=position).order_by("position")
    fields = rows.values_list("position", "state", "payload", "undone_by")[:_PAGE]
    page: Page = [(at or 0, stage, payload, undone_by) for at, stage, payload, undone_by in fields]
    if page and base() > position:  # looked at after the rows: what goes is told before it goes
        raise ReplayError(f"what follows position {position} of the log was compacted meanwhile; begin anew")
    return list(takewhile(lambda row: row[1] not in (State.QUEUED, State.PLANNING), page))


def _apply(state: Positioned, page: Page) -> None:
    for position, stage, payload, undone_by in page:
        if stage != State.FAILED or undone_by is not None:
            outcome = state.planner.apply(payload)
            if not outcome.ok:
                raise ReplayError(
                    f"position {position} was carried out once and is refused now: {outcome.reason}"
                )
        state.position = position


def decided() -> int:
    """The newest position that was given out and decided, or 0."""
    rows = Request.objects.filter(position__isnull=False).exclude(state__in=(State.QUEUED, State.PLANNING))
    return max(rows.order_by("-position").values_list("position", flat=True).first() or 0, base())


def keep_snapshot(state: Positioned, every: int = SNAPSHOT_EVERY) -> bool:
    """Store the state when the last snapshot is `every` positions behind; the two newest stay."""
    newest = PlannerSnapshot.objects.order_by("-position").values_list("position", flat=True).first() or 0
    if state.position - newest < every:
        return False
    data = zlib.compress(json.dumps(state.planner.snapshot(), separators=(",", ":")).encode(), 1)
    with transaction.atomic():
        PlannerSnapshot.objects.get_or_create(position=state.position, defaults={"data": data})
        kept = PlannerSnapshot.objects.order_by("-position").values_list("pk", flat=True)[:_KEPT]
        PlannerSnapshot.objects.exclude(pk__in=list(kept)).exclude(position=base()).delete()
    return True


_COMPACTED = "compacted"


def base() -> int:
    """The position of the snapshot that the log begins with: requests before may be gone. 0: none are."""
    return int(checkpoints.recall(_COMPACTED, {}).get("position", 0))


def pin(position: int) -> None:
    """From now on the log begins with the snapshot at `position`, which stays."""
    checkpoints.keep(_COMPACTED, {**checkpoints.recall(_COMPACTED, {}), "position": position})


def note_removed(request: int) -> None:
    """Requests up to this id may be gone."""
    before = checkpoints.recall(_COMPACTED, {})
    checkpoints.keep(_COMPACTED, {**before, "request": max(request, before.get("request", 0))})


def last_removed() -> int:
    """The highest id of a request that may be gone."""
    return int(checkpoints.recall(_COMPACTED, {}).get("request", 0))


def restored(snapshot: PlannerSnapshot) -> Positioned:
    """The state that one snapshot has; raises ReplayError where it cannot be read."""
    return _begun([(snapshot.position, bytes(snapshot.data))], snapshot.position)


def _kept(position: int | None = None) -> list[tuple[int, bytes]]:
    """The snapshots, the newest first; with `position`, the one there alone."""
    rows = PlannerSnapshot.objects.order_by("-position").values_list("position", "data")
    rows = rows if position is None else rows.filter(position=position)
    return [(at, bytes(data)) for at, data in rows]


def _begun(kept: Iterable[tuple[int, bytes]], begins: int) -> Positioned:
    """What the log is applied to: the newest snapshot, or nothing where the log `begins` with nothing."""
    state = _restored(kept)
    if state is None and begins:
        raise ReplayError(
            f"the log begins with the snapshot at position {begins}, and no snapshot can be read: use the "
            "version that made it, or restore a backup"
        )
    return state or _empty()


def _restored(kept: Iterable[tuple[int, bytes]]) -> Positioned | None:
    """The newest snapshot that this version can read."""
    for position, data in kept:
        try:
            planner = Planner.restore(json.loads(zlib.decompress(data)))
        except (ValueError, KeyError, zlib.error, TercastError) as error:
            logger.warning("the snapshot at position %d cannot be read: %s", position, error)
        else:
            return Positioned(planner, position)
    return None


def _empty() -> Positioned:
    limits = Limits(max_dz_per_filter=MAX_DZ_PER_FILTER, max_trees=MAX_TREES)
    return Positioned(Planner(address_plan(), limits, hitless=True), 0)


RESTORED = "restored"
"""The watermark that is another one after the log was replaced by that of a backup."""

_reader: Positioned | None = None
_reads = ""
_reader_lock = Lock()


class PlannerBehind(Exception):  # noqa: N818 - named by meaning
    """Within the time given, the planner that is read was not free, or not brought to the end of the log."""


@contextmanager
def reading(seconds: float | None = None) -> Iterator[Planner]:
    """The planner that all of this process's readers share, for one of them at a time.

    It is for reading and dry runs, never for `apply`. With `seconds`, `PlannerBehind` is raised where it
    takes
    longer to have it as the log says; what is under way goes on then, and the next reader waits for its end.
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
                left = not Aside(step, _reader_lock.release).wait(end - time.monotonic())
            if left:
                raise PlannerBehind
        assert _reader is not None
        yield _reader.planner
    finally:
        if not left:
            _reader_lock.release()


def _steps() -> Iterator[Callable[[], object]]:
    """What brings the reader forward, in steps that need no database."""
    log, begins = str(checkpoints.recall(RESTORED, "")), base()
    if _reader is None or log != _reads or _reader.position < begins:
        yield partial(_begin, _kept(), begins, log)
    assert _reader is not None
    while page := _page(_reader.position):
        yield partial(_apply, _reader, page)
    yield _reader.planner.take_diff


def _begin(kept: list[tuple[int, bytes]], begins: int, log: str) -> None:
    global _reader, _reads
    _reader, _reads = _begun(kept, begins), log


def current_planner() -> Planner:
    """The planner of `reading`, for who is alone."""
    with reading() as planner:
        return planner
