"""Division of long lists and long work into parts that suit a database."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from django.db import connection

LONGEST_PAUSE = 0.1  # s

Part = TypeVar("Part")


def chunks(ids: Sequence[Any], size: int = 500) -> Iterable[Sequence[Any]]:
    """Return `ids` in parts that fit as parameters of one statement."""
    return (ids[start : start + size] for start in range(0, len(ids), size))


def in_turns(parts: Iterable[Part]) -> Iterator[Part]:
    """Yield `parts`, each for its own transaction, with pauses for writes of other processes.

    SQLite has no queue of writers: waiting processes try again after up to 100 ms, and might find the next
    transaction each time. A pause takes half of the time of the previous part.
    """
    took = 0.0
    for number, part in enumerate(parts):
        if number and connection.vendor == "sqlite":
            time.sleep(min(took / 2, LONGEST_PAUSE))
        started = time.monotonic()
        yield part
        took = time.monotonic() - started
