"""The loop in a Celery worker: it begins and ends with it."""

import threading
from typing import Any

from celery import signals

from controlplane.common.celery import serves
from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.signalling.poll_loop import PollLoop

_loops: list[PollLoop] = []


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def begin(**_: Any) -> None:
    """Start the loop beside the worker's own, where that serves the control plane."""
    if not serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        return
    loop = PollLoop()
    _loops.append(loop)
    threading.Thread(target=loop.run, name="signalling", daemon=True).start()


@signals.worker_shutting_down.connect(weak=False)  # type: ignore[untyped-decorator]
def end(**_: Any) -> None:
    """It ends after the message at hand, and never holds the worker up."""
    for loop in _loops:
        loop.stop()
