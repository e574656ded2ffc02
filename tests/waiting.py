"""How tests wait: for a condition, never for a time, and with one limit that only a hang reaches."""

import time
from collections.abc import Callable
from typing import TypeVar

LIMIT_SECONDS = 600.0
"""Limit of every wait: beside 20 busy processes, what takes seconds on a quiet machine takes minutes."""

PAUSE_SECONDS = 0.05

Found = TypeVar("Found")


def eventually(look: Callable[[], Found], limit: float = LIMIT_SECONDS) -> Found:
    """Return what `look` returns as soon as that is true; after the limit, its last value."""
    deadline = time.monotonic() + limit
    while not (found := look()) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    return found


def wait_until(what: str | Callable[[], object], look: Callable[[], Found]) -> Found:
    """Return what `look` returns as soon as that is true.

    Raises AssertionError after the limit with `what` it waited for, or with what that returns at the end.
    """
    found = eventually(look)
    assert found, f"{what() if callable(what) else what}: not within {LIMIT_SECONDS:.0f} s"
    return found
