"""Name of a change of tables in the logs of worker and controller.

A change that carries out one request has the number of the request in the log (`r42`). A change that carries
out several has the first and the last number (`r42-r57`). The id of the call that logged them follows if one
call logged all of them.
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
    """Return the name of the present change; empty outside of changes."""
    return _current.get()


@contextmanager
def named(name: str) -> Iterator[None]:
    """Set the name of table changes and log lines within the context."""
    token = _current.set(name)
    try:
        yield
    finally:
        _current.reset(token)


def of_requests(rows: Sequence[Request]) -> str:
    """Return the name of a change that carries out these requests, in the order of the log."""
    first, last = f"r{rows[0].pk}", f"r{rows[-1].pk}"
    calls = calls_of(rows)
    name = first if first == last else f"{first}-{last}"
    return f"{name}:{calls[0]}" if len(calls) == 1 and calls[0] else name


def calls_of(rows: Sequence[Request]) -> list[str]:
    """Return the ids of the calls that logged these requests, each once."""
    return list(dict.fromkeys(row.call for row in rows))


def spans(numbers: Iterable[int]) -> str:
    """Return request numbers as text, with ranges for consecutive ones: `r4,r7-r9`."""
    found: list[list[int]] = []
    for number in sorted(set(numbers)):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(f"r{first}" if first == last else f"r{first}-r{last}" for first, last in found)
