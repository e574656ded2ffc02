"""One planner session a network at a time, and one aggregation: locks that end with their holders.

A single host (SQLite) has a locked file in the state directory; PostgreSQL has a session-level advisory lock
on a connection that is used for nothing else. Either is let go by the system when the process is killed.
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
    """The database ended the connection that held the lock; another session may run by now."""


class HeldLock(Protocol):
    """A lock that this process holds."""

    def check(self) -> None:
        """Raise `LockLost` when it is held no more."""


class _File:
    def check(self) -> None:
        """A locked file cannot be lost."""


class _Advisory:
    def __init__(self, own: BaseDatabaseWrapper) -> None:
        self._own = own

    def check(self) -> None:
        """Ask the connection that holds the lock whether it still lives."""
        try:
            with self._own.cursor() as cursor:
                cursor.execute("SELECT 1")
        except DatabaseError as error:
            raise LockLost(str(error)) from error


@contextmanager
def planner_lock() -> Iterator[HeldLock | None]:
    """The network's lock, or None at once when another session has it."""
    with _lock("planner") as held:
        yield held


@contextmanager
def aggregation_lock() -> Iterator[HeldLock | None]:
    """The lock of who works out covers, or None at once when another one does."""
    with _lock("aggregation") as held:
        yield held


@contextmanager
def signalling_lock() -> Iterator[HeldLock | None]:
    """The lock of who carries out hosts' control messages, or None at once when another one does."""
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
    """Unlock before the connection goes: PostgreSQL sees its end only a moment later."""
    with suppress(DatabaseError), own.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock(%s)", [key])
