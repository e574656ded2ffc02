"""Whether anything of the installation still runs beside what needs the database alone."""

import time
from collections.abc import Callable
from datetime import timedelta

from django.db import DatabaseError

from controlplane.operations import heartbeats
from controlplane.operations.backup.errors import UpkeepError

_SILENCE = timedelta(seconds=heartbeats.SECONDS * 1.5)
_STEP = 0.5


def check(say: Callable[[str], None]) -> None:
    """Raise UpkeepError when a worker or beat lives: waits until one that was there lately is silent."""
    for name in heartbeats.NAMES:
        before = age = _age(name)
        if age is not None and age < _SILENCE:
            say(f"{name} gave a sign of life {age.total_seconds():.0f} s ago; looking whether it still runs")
        while age is not None and age < _SILENCE:
            if before is not None and age < before:
                raise UpkeepError(
                    f"{name} runs: stop web server, workers and beat first, and start them again afterwards"
                )
            before = age
            time.sleep(_STEP)
            age = _age(name)


def _age(name: str) -> timedelta | None:
    try:
        return heartbeats.age(name)
    except DatabaseError:  # no such table yet
        return None
