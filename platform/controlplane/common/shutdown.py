"""Whether the worker in this process was told to end."""

from celery.worker import state


def stopping() -> bool:
    """Return whether this worker was told to end: long work then ends after its current step."""
    return any(flag is not None and flag is not False for flag in (state.should_stop, state.should_terminate))
