"""The signalling loop in a Celery worker, from its start to its end."""

import threading
from typing import Any

from celery import signals

from controlplane.common.celery import serves
from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.signalling.poll_loop import PollLoop

_loops: list[PollLoop] = []


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def begin(**_: Any) -> None:
    """Start the loop in a thread, if the worker serves the control plane."""
    if not serves(PLANNER_QUEUE, DEFAULT_QUEUE):
        return
    loop = PollLoop()
    _loops.append(loop)
    threading.Thread(target=loop.run, name="signalling", daemon=True).start()


@signals.worker_shutting_down.connect(weak=False)  # type: ignore[untyped-decorator]
def end(**_: Any) -> None:
    """Stop the loop after the current message, without delaying the worker."""
    for loop in _loops:
        loop.stop()
