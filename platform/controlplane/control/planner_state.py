"""The planner as the log has it: the latest snapshot, and the tail of the log behind it."""

import json
import zlib
from dataclasses import dataclass
from threading import Lock

from tercast.planner import Planner

from controlplane.config.planning import address_plan
from controlplane.control.models import PlannerSnapshot, Request, State


@dataclass(slots=True)
class Positioned:
    """A planner, and the position of the log up to which it has applied the requests."""

    planner: Planner
    position: int


def load() -> Positioned:
    """A planner of its own, brought to the last position that is decided."""
    snapshot = PlannerSnapshot.objects.order_by("-position").first()
    if snapshot is None:
        state = Positioned(Planner(address_plan()), 0)
    else:
        data = json.loads(zlib.decompress(snapshot.data))
        state = Positioned(Planner.restore(data), snapshot.position)
    bring_forward(state)
    return state


def bring_forward(state: Positioned) -> None:
    """Apply what was decided after `state.position`, up to the first request that is not decided yet."""
    rows = Request.objects.filter(position__gt=state.position).order_by("position")
    for position, stage, payload in rows.values_list("position", "state", "payload").iterator(2000):
        if stage in (State.QUEUED, State.PLANNING):
            break
        if stage != State.FAILED:
            state.planner.apply(payload)
        state.position = position


_reader: Positioned | None = None
_reader_lock = Lock()


def current_planner() -> Planner:
    """The planner that all of this process's readers share: for reading and dry runs, never for `apply`."""
    global _reader  # noqa: PLW0603 - one a process
    with _reader_lock:
        if _reader is None:
            _reader = load()
        else:
            bring_forward(_reader)
        return _reader.planner
