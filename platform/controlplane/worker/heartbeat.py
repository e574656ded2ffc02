"""Heartbeats of a Celery worker."""

from typing import Any

from celery import signals

from controlplane.common.celery import serves
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.operations import heartbeats

_pulses: list[Any] = []


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def begin(**_: Any) -> None:
    """Start a heartbeat for each queue that this worker serves."""
    signs = {
        PLANNER_QUEUE: heartbeats.WORKER,
        DEFAULT_QUEUE: heartbeats.WATCHER,
        ANALYTICS_QUEUE: heartbeats.ANALYTICS,
    }
    pulse = heartbeats.Pulse([sign for queue, sign in signs.items() if serves(queue)])
    _pulses.append(pulse)
    pulse.start()


@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]
def end(**_: Any) -> None:
    """Stop the heartbeats."""
    while _pulses:
        _pulses.pop().stop()
