"""Check that no process of the installation uses the database during a restore."""

import time
from collections.abc import Callable
from datetime import timedelta

from django.db import DatabaseError

from controlplane.operations import heartbeats
from controlplane.operations.backup.errors import BackupError

_SILENCE = timedelta(seconds=heartbeats.SECONDS * 1.5)
_STEP = 0.5


def check(say: Callable[[str], None]) -> None:
    """Check that no worker or beat runs; if a recent heartbeat exists, wait until it is old.

    Raises:
        UpkeepError: A new heartbeat arrived, so the process still runs.
    """
    for name in heartbeats.NAMES:
        before = age = _age(name)
        if age is not None and age < _SILENCE:
            say(f"{name} sent a heartbeat {age.total_seconds():.0f} s ago; checking whether it still runs")
        while age is not None and age < _SILENCE:
            if before is not None and age < before:
                raise BackupError(
                    f"{name} is running: stop web server, workers and beat first; start them again afterwards"
                )
            before = age
            time.sleep(_STEP)
            age = _age(name)


def _age(name: str) -> timedelta | None:
    try:
        return heartbeats.age(name)
    except DatabaseError:  # no such table yet
        return None
