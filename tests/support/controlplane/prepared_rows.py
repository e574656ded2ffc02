"""Rows that a fixture writes in its first test, and that later tests of the process get as copies.

Calls of the API take more than ten times the time of inserting their rows.
"""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from django.db import connection

CONSTANT = {"auth_permission", "django_content_type", "django_migrations", "sqlite_sequence"}
"""Tables to which no fixture writes."""

Rows = dict[str, dict[int, tuple[Any, ...]]]
"""Values by table and row id."""


class Written(NamedTuple):
    """Statements that write the same rows again, each with its parameters, and when they were written."""

    at: datetime
    statements: list[tuple[str, list[tuple[Any, ...]]]]


_written: dict[tuple[object, ...], Written] = {}


def write_once(write: Callable[..., object], *arguments: object) -> None:
    """Call `write`, or insert the rows that it wrote when the database was in the same state.

    The state is the number of rows that each table has had: thus all ids are those that `write` would give.
    The database of a test that commits its transactions does not go back to an earlier state, nor does
    PostgreSQL.

    Args:
        write: A function that only writes rows, always the same ones.
        arguments: Its arguments.
    """
    if connection.vendor != "sqlite" or not connection.in_atomic_block:
        write(*arguments)
        return
    database: sqlite3.Connection = connection.connection
    sequences = database.execute("SELECT name, seq FROM sqlite_sequence ORDER BY name")
    state = (write.__module__, write.__qualname__, *sequences)
    if state in _written:
        _copy(database, _written[state])
        return
    at, before = datetime.now(UTC), rows_of(database)
    write(*arguments)
    _written[state] = Written(at, _statements(database, before, rows_of(database)))


def rows_of(database: sqlite3.Connection) -> Rows:
    """Return all rows that fixtures may write."""
    tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    return {
        table: {row[0]: row[1:] for row in database.execute(f'SELECT rowid, * FROM "{table}"')}
        for (table,) in tables
        if table not in CONSTANT
    }


def _statements(database: sqlite3.Connection, before: Rows, after: Rows) -> list[tuple[str, list[Any]]]:
    found: list[tuple[str, list[Any]]] = []
    for table, rows in after.items():
        old = before[table]
        assert not old.keys() - rows.keys(), f"a row of {table} was removed"
        columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
        if new := [values for key, values in rows.items() if key not in old]:
            found.append((f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(columns))})', new))
        for key in old.keys() & rows.keys():
            for column, was, value in zip(columns, old[key], rows[key], strict=True):
                if was != value:
                    found.append((f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', [(value, key)]))
    return found


def _copy(database: sqlite3.Connection, written: Written) -> None:
    """Insert the rows, as old as if they had just been written."""
    since = datetime.now(UTC) - written.at
    for statement, rows in written.statements:
        database.executemany(statement, [_later(row, since) for row in rows])


def _later(row: tuple[Any, ...], since: timedelta) -> tuple[Any, ...]:
    return tuple(value + since if isinstance(value, datetime) else value for value in row)
