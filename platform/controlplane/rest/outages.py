"""Answers with cause and remedy for errors of database, disk, memory, file descriptors."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from django.db import Error as DatabaseError
from django.db import InterfaceError, OperationalError, connection

from controlplane.common.problems import Problem


@dataclass(frozen=True, slots=True)
class OutageAnswer:
    """HTTP status and code of an outage, its cause and remedy, and the seconds until a retry."""

    status: HTTPStatus
    code: str
    cause: str
    remedy: str
    retry_seconds: int

    @property
    def detail(self) -> str:
        """Return cause and remedy in one text."""
        return f"{self.cause} {self.remedy}"

    def problem(self) -> Problem:
        """Return the problem answer, with `Retry-After`."""
        headers = {"Retry-After": str(self.retry_seconds)}
        return Problem(self.status, self.code, self.detail, headers=headers)


_UNAVAILABLE = HTTPStatus.SERVICE_UNAVAILABLE
FULL = OutageAnswer(
    HTTPStatus.INSUFFICIENT_STORAGE,
    "disk_full",
    "The server's disk is full, so nothing was stored.",
    "Free disk space on the server, then send the call again. A restart is not necessary.",
    30,
)
READ_ONLY = OutageAnswer(
    _UNAVAILABLE,
    "read_only",
    "The server's database is read-only, so nothing was stored.",
    "Make the database and its directory writable for the server, then send the call again.",
    30,
)
FAULTY = OutageAnswer(
    _UNAVAILABLE,
    "storage_fault",
    "The server's disk reports an I/O error, so nothing was stored.",
    "Check the disk and its free space (the kernel log names the device), then send the call again.",
    30,
)
LOCKED = OutageAnswer(
    _UNAVAILABLE,
    "busy",
    "Another process holds a lock in the database, so nothing was stored.",
    "Send the call again. If the error persists, find the process that keeps a transaction open.",
    2,
)
AWAY = OutageAnswer(
    _UNAVAILABLE,
    "busy",
    "The database is busy or unreachable.",
    "Send the call again in one second. If the error persists, check that the database server runs.",
    1,
)
DESCRIPTORS = OutageAnswer(
    _UNAVAILABLE,
    "no_descriptors",
    "The server has no free file descriptor or cannot open its database.",
    "Send the call again. If the error persists, raise the limit of open files (`ulimit -n`, LimitNOFILE), "
    "and check that the server can read the database file.",
    5,
)
MEMORY = OutageAnswer(
    _UNAVAILABLE,
    "no_memory",
    "The server has no memory left for this call, so nothing was stored.",
    "Send the call again, in smaller parts if it is large. If this persists, give the server more memory.",
    10,
)

LEAST_BYTES = 64 * 1024
"""With less free space, SQLite cannot create the shared memory of its write-ahead log (32 KiB) and a page."""

_SQLITE = {
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_IOERR: FAULTY,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CANTOPEN: DESCRIPTORS,
    sqlite3.SQLITE_NOMEM: MEMORY,
}
_POSTGRESQL = {
    "53100": FULL,
    "25006": READ_ONLY,
    "58030": FAULTY,
    "53200": MEMORY,
    "55P03": LOCKED,
}
_SYSTEM = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EIO: FAULTY,
    errno.EMFILE: DESCRIPTORS,
    errno.ENFILE: DESCRIPTORS,
    errno.ENOMEM: MEMORY,
}


def outage_of(error: BaseException) -> OutageAnswer | None:
    """Return the outage behind `error`; None if it has another cause.

    The driver's code decides for database errors. Django keeps the driver's error in `__cause__`. SQLite has
    no code for a lock that Django reports only in words. For PostgreSQL, all other operational errors mean
    that the server is unreachable.
    """
    for one in _chain(error):
        found = _direct(one)
        if found is not None:
            return found
    if isinstance(error, OperationalError | InterfaceError):
        if type(error.__cause__).__module__.startswith("psycopg"):
            return AWAY
        if "locked" in str(error):
            return LOCKED
    return None


def _direct(error: BaseException) -> OutageAnswer | None:
    match error:
        case MemoryError():
            return MEMORY
        case sqlite3.Error():
            found = _SQLITE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
            return FULL if found in (FAULTY, DESCRIPTORS) and _is_full() else found
        case OSError():
            return _SYSTEM.get(error.errno or 0)
        case _:
            return _POSTGRESQL.get(str(getattr(error, "sqlstate", "")))


def _is_full() -> bool:
    """Whether SQLite's disk is full. SQLite reports an I/O error if a file cannot grow."""
    try:
        found = os.statvfs(Path(str(connection.settings_dict["NAME"])).parent)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize < LEAST_BYTES


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the error, and for a database error also the driver's error behind it."""
    yield error
    if isinstance(error, DatabaseError) and error.__cause__ is not None:
        yield error.__cause__
