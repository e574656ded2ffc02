"""What every test of the control plane has."""

import sys
from dataclasses import replace
from importlib import import_module
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


@pytest.fixture(autouse=True)
def nothing_read(monkeypatch):
    """A process that has read no log and no counters: those of another test have the same positions."""
    monkeypatch.setattr("controlplane.control.planner_state._reader", None)
    monkeypatch.setattr("controlplane.audit.signs._seen", {})


@pytest.fixture(autouse=True)
def patient_answers(monkeypatch):
    """Let answers take as long as they take: on a busy machine a second does not suffice for a small one."""
    preview = import_module("controlplane.preview.answer")
    monkeypatch.setattr(preview, "PATIENCE", replace(preview.PATIENCE, seconds=60.0))
    monkeypatch.setattr("controlplane.affected.answer.SECONDS", 60.0)
    monkeypatch.setattr("controlplane.explain.answer.SECONDS", 60.0)
    monkeypatch.setattr("controlplane.aggregation.beside.PATIENCE_SECONDS", 60.0)
