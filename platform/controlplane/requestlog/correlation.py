"""The name under which a change of tables goes through the logs, from the worker to the controller.

A change that carries out one request is called by its number in the log (`r42`), one that carries out several
by the first and the last (`r42-r57`); behind it stands the id of the call that logged them, where it is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.requestlog.models import Request

_current: ContextVar[str] = ContextVar("change", default="")


def current() -> str:
    """The name of what is under way; empty outside of changes."""
    return _current.get()


@contextmanager
def named(name: str) -> Iterator[None]:
    """Within, table changes and log lines go by this name."""
    token = _current.set(name)
    try:
        yield
    finally:
        _current.reset(token)


def of_requests(rows: Sequence[Request]) -> str:
    """The name of a change that carries out requests, which are in the order of the log."""
    first, last = f"r{rows[0].pk}", f"r{rows[-1].pk}"
    calls = calls_of(rows)
    name = first if first == last else f"{first}-{last}"
    return f"{name}:{calls[0]}" if len(calls) == 1 and calls[0] else name


def calls_of(rows: Sequence[Request]) -> list[str]:
    """The ids of the calls that logged requests, each once."""
    return list(dict.fromkeys(row.call for row in rows))


def spans(numbers: Iterable[int]) -> str:
    """Requests by their numbers, those in a row together: `r4,r7-r9`."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"r{first}" if first == last else f"r{first}-r{last}" for first, last in found)
