"""Fixtures that copy rows: the copies are the rows that the calls write."""

import re
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from tests.support.controlplane import prepared_rows
from tests.support.controlplane.api_fixtures import make_network, make_participants
from tests.support.controlplane.prepared_rows import rows_of, write_once

pytestmark = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL keeps its sequences")


@pytest.fixture(autouse=True)
def nothing_written(monkeypatch):
    monkeypatch.setattr(prepared_rows, "_written", {})


def rows_after(*steps):
    """Return the rows after the steps, which are undone."""
    with transaction.atomic():
        for step in steps:
            step()
        rows = rows_of(connection.connection)
        transaction.set_rollback(True)
    return rows


def values(rows):
    """Return all values but times and ids of calls, by table, row and number of the column."""
    return {
        (table, key, number): value
        for table, of_table in rows.items()
        for key, row in of_table.items()
        for number, value in enumerate(row)
        if not isinstance(value, datetime) and not re.fullmatch("[0-9a-f]{32}", str(value))
    }


def times(rows):
    return {
        value
        for of_table in rows.values()
        for row in of_table.values()
        for value in row
        if isinstance(value, datetime)
    }


def test_copies_are_the_rows_of_the_calls(operator):
    called = rows_after(lambda: make_network(operator), lambda: make_participants(operator))
    steps = [lambda: write_once(make_network, operator), lambda: write_once(make_participants, operator)]
    assert values(rows_after(*steps)) == values(called)
    operator.post = None
    begin = datetime.now(UTC).replace(tzinfo=None)
    copied = rows_after(*steps)
    assert values(copied) == values(called)
    assert min(times(copied) - times(rows_of(connection.connection))) >= begin


def test_another_state_of_the_database_gets_its_own_rows(operator, make_user):
    def write():
        made.append(make_user(f"user-{len(made)}", "viewer"))

    made = []
    for _ in range(2):
        rows_after(lambda: write_once(write))
    assert len(made) == 1
    make_user("another", "viewer")
    write_once(write)
    assert len(made) == 2
