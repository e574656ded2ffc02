"""Wall-clock time in the format of the northbound."""

from __future__ import annotations

from time import time

from tercast.runtime.log_format import iso

__all__ = ["iso", "utc_now"]


def utc_now() -> str:
    """Return the current time in ISO 8601 with milliseconds and a Z."""
    return iso(time())
