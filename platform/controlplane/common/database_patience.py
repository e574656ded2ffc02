"""Database settings of a web process: short waits for locks, and reads without disk space."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

CONNECT_SECONDS = 5
"""Time limit for PostgreSQL to accept a connection of a web process."""

_kept_open: list[sqlite3.Connection] = []


def shorten_waits() -> None:
    """Limit the wait for locks of later connections of this process to the setting.

    This is for web processes, whose callers wait. A worker has no waiting callers, so it waits longer.
    """
    database: dict[str, Any] = settings.DATABASES["default"]
    options: dict[str, Any] = database.setdefault("OPTIONS", {})
    seconds = settings.ENV.database_wait_seconds
    if "sqlite" in database["ENGINE"]:
        options["timeout"] = seconds
        return
    options.setdefault("connect_timeout", CONNECT_SECONDS)
    options["options"] = f"{options.get('options', '')} -c lock_timeout={round(seconds * 1000)}".strip()


def keep_readable() -> None:
    """Keep an unused connection to SQLite open during the life of the process.

    The last connection that closes removes the files `-wal` and `-shm`. The next one, even for reading,
    creates them again, which fails on a full disk.
    """
    database: dict[str, Any] = settings.DATABASES["default"]
    if "sqlite" not in database["ENGINE"] or not Path(str(database["NAME"])).is_file():
        return
    with suppress(sqlite3.Error):  # calls report the reason
        kept = sqlite3.connect(str(database["NAME"]), timeout=1, check_same_thread=False)
        _kept_open.append(kept)
        kept.execute("SELECT COUNT(*) FROM sqlite_master").fetchall()


@contextmanager
def waiting_at_most(milliseconds: int) -> Iterator[None]:
    """Limit the wait for locks of this thread's connection within the block.

    Raises:
        OperationalError: The database is unavailable.
    """
    before = _lock_wait()
    _set_lock_wait(str(milliseconds))
    try:
        yield
    finally:
        if connection.connection is not None:
            _set_lock_wait(before)


def _lock_wait() -> str:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout" if connection.vendor == "sqlite" else "SHOW lock_timeout")
        return str(cursor.fetchone()[0])


def _set_lock_wait(value: str) -> None:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(f"PRAGMA busy_timeout = {int(value)}")
        else:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [value])
