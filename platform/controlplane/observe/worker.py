"""A Celery worker's signs of life."""

from typing import Any

from celery import signals

_pulses: list[Any] = []


@signals.worker_ready.connect(weak=False)  # type: ignore[untyped-decorator] # celery has no types
def begin(**_: Any) -> None:
    """From now on."""
    from controlplane.observe.heartbeats import Pulse  # noqa: PLC0415 - models are there by now

    pulse = Pulse()
    _pulses.append(pulse)
    pulse.start()


@signals.worker_shutdown.connect(weak=False)  # type: ignore[untyped-decorator]
def end(**_: Any) -> None:
    """Until now."""
    while _pulses:
        _pulses.pop().stop()
