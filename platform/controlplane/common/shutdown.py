"""Shutdown state of the worker in this process."""

from celery.worker import state


def stopping() -> bool:
    """Whether this worker must stop: long work then ends after its current step."""
    return any(flag is not None and flag is not False for flag in (state.should_stop, state.should_terminate))
