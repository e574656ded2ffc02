"""Locks for one planner session, aggregation and signalling loop at a time.

They are released when their holders end.
On a single host (SQLite), a lock is a locked file in the state directory. On PostgreSQL, it is a
session-level advisory lock on a separate connection. If the process is killed, the system releases both.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import Error as DatabaseError

_ADVISORY_KEYS = {"planner": 0x7EC0A57E02, "aggregation": 0x7EC0A57E03, "signalling": 0x7EC0A57E04}


class LockLost(Exception):  # noqa: N818 - named by meaning
    """The database closed the connection with the lock; another session may be running now."""


class HeldLock(Protocol):
    """A lock that this process holds."""

    def check(self) -> None:
        """Raise `LockLost` if this process no longer holds the lock."""


class _File:
    def check(self) -> None:
        """Do nothing, because a locked file cannot be lost."""


class _Advisory:
    def __init__(self, own: BaseDatabaseWrapper) -> None:
        self._own = own

    def check(self) -> None:
        """Check that the connection with the lock is still open."""
        try:
            with self._own.cursor() as cursor:
                cursor.execute("SELECT 1")
        except DatabaseError as error:
            raise LockLost(str(error)) from error


@contextmanager
def planner_lock() -> Iterator[HeldLock | None]:
    """Yield the planner's lock, or immediately None if another session holds it."""
    with _lock("planner") as held:
        yield held


@contextmanager
def aggregation_lock() -> Iterator[HeldLock | None]:
    """Yield the lock for computing covers, or immediately None if another process holds it."""
    with _lock("aggregation") as held:
        yield held


@contextmanager
def signalling_lock() -> Iterator[HeldLock | None]:
    """Yield the lock for control messages of hosts, or immediately None if another has it."""
    with _lock("signalling") as held:
        yield held


@contextmanager
def _lock(name: str) -> Iterator[HeldLock | None]:
    postgresql = connection.vendor == "postgresql"
    with _advisory_lock(_ADVISORY_KEYS[name]) if postgresql else _file_lock(name) as held:
        yield held


@contextmanager
def _file_lock(name: str) -> Iterator[HeldLock | None]:
    path = settings.ENV.state_dir / f"{name}.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield None
    else:
        yield _File()
    finally:
        os.close(descriptor)


@contextmanager
def _advisory_lock(key: int) -> Iterator[HeldLock | None]:
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    taken = False
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
            (taken,) = cursor.fetchone()
        yield _Advisory(own) if taken else None
    finally:
        if taken:
            _let_go(own, key)
        own.close()


def _let_go(own: BaseDatabaseWrapper, key: int) -> None:
    """Unlock before the connection closes: PostgreSQL notices its end only some time later."""
    with suppress(DatabaseError), own.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
