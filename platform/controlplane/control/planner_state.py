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

from controlplane.config.planning import MAX_DZ_PER_FILTER, MAX_TREES, address_plan
from controlplane.control import watermarks
from controlplane.control.aside import Aside
from controlplane.control.changes import Payload
from controlplane.control.models import PlannerSnapshot, Request, State
from tercast.errors import TercastError
from tercast.limits import Limits
from tercast.planner import Planner

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
    """A planner of its own at the last position that is decided; without `snapshots`, from the log alone."""
    state = (_restored(_kept()) if snapshots else None) or _empty()
    bring_forward(state)
    state.planner.take_diff()
    return state


def bring_forward(state: Positioned) -> None:
    """Apply what was decided after `state.position`, up to the first request that is not decided yet.

    A failed request changed nothing, for whatever reason it failed, and is left out; but for one that failed
    when it had been carried out, which a later request takes back.
    """
    while page := _page(state.position):
        _apply(state, page)


Page = list[tuple[int, str, Payload, int | None]]


def _page(position: int) -> Page:
    """The next decided requests of the log: position, state, payload, who takes it back."""
    rows = Request.objects.filter(position__gt=position).order_by("position")
    fields = rows.values_list("position", "state", "payload", "undone_by")[:_PAGE]
    page: Page = [(at or 0, stage, payload, undone_by) for at, stage, payload, undone_by in fields]
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
    return rows.order_by("-position").values_list("position", flat=True).first() or 0


def keep_snapshot(state: Positioned, every: int = SNAPSHOT_EVERY) -> bool:
    """Store the state when the last snapshot is `every` positions behind; the two newest stay."""
    newest = PlannerSnapshot.objects.order_by("-position").values_list("position", flat=True).first() or 0
    if state.position - newest < every:
        return False
    data = zlib.compress(json.dumps(state.planner.snapshot(), separators=(",", ":")).encode(), 1)
    with transaction.atomic():
        PlannerSnapshot.objects.get_or_create(position=state.position, defaults={"data": data})
        kept = PlannerSnapshot.objects.order_by("-position").values_list("pk", flat=True)[:_KEPT]
        PlannerSnapshot.objects.exclude(pk__in=list(kept)).delete()
    return True


def _kept() -> list[tuple[int, bytes]]:
    """The snapshots, the newest first."""
    rows = PlannerSnapshot.objects.order_by("-position").values_list("position", "data")
    return [(position, bytes(data)) for position, data in rows]


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


class Behind(Exception):  # noqa: N818 - named by meaning
    """Within the time given, the planner that is read was not free, or not brought to the end of the log."""


@contextmanager
def reading(seconds: float | None = None) -> Iterator[Planner]:
    """The planner that all of this process's readers share, for one of them at a time.

    It is for reading and dry runs, never for `apply`. With `seconds`, `Behind` is raised where it takes
    longer to have it as the log says; what is under way goes on then, and the next reader waits for its end.
    """
    end = None if seconds is None else time.monotonic() + seconds
    if not _reader_lock.acquire(timeout=-1 if seconds is None else seconds):
        raise Behind
    left = False
    try:
        for step in _steps():
            if end is None:
                step()
            else:
                left = not Aside(step, _reader_lock.release).wait(end - time.monotonic())
            if left:
                raise Behind
        assert _reader is not None
        yield _reader.planner
    finally:
        if not left:
            _reader_lock.release()


def _steps() -> Iterator[Callable[[], object]]:
    """What brings the reader forward, in steps that need no database."""
    log = str(watermarks.recall(RESTORED, ""))
    if _reader is None or log != _reads:
        yield partial(_begin, _kept(), log)
    assert _reader is not None
    while page := _page(_reader.position):
        yield partial(_apply, _reader, page)
    yield _reader.planner.take_diff


def _begin(kept: list[tuple[int, bytes]], log: str) -> None:
    global _reader, _reads
    _reader, _reads = _restored(kept) or _empty(), log


def current_planner() -> Planner:
    """The planner of `reading`, for who is alone."""
    with reading() as planner:
        return planner
