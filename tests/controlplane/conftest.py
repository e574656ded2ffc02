"""What every test of the control plane has."""

import sys
from pathlib import Path

import pytest
from django.db import connections

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "benchmarks")]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """SQLite in a file, as it runs: in memory, a reader beside a writer fails with "table is locked"."""
    database = connections["default"].settings_dict
    if "sqlite" in database["ENGINE"]:
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")
