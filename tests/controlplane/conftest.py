"""What every test of the control plane has."""

import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.db import connection
from whitenoise.middleware import WhiteNoiseMiddleware

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

from tests.support.controlplane import own_database

DATABASE = {"db", "transactional_db", "django_db_reset_sequences", "live_server"}
"""The fixtures that give a test the database."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what uses the database: `make test-servers` runs these tests."""
    for item in items:
        if item.get_closest_marker("django_db") or DATABASE.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("servers")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment, django_db_blocker, tmp_path_factory):
    """A database of this process: a copy of the migrated template.

    SQLite uses a file, as in production: in memory, a read during a write fails with "table is locked".
    No commit waits for the disk: no test cuts the power.
    """
    with (
        django_db_blocker.unblock(),
        own_database.migrated_database(tmp_path_factory.mktemp("database")) as url,
    ):
        connection.close()
        connection.settings_dict["NAME"] = own_database.name_of(url)
        options = connection.settings_dict["OPTIONS"]
        if connection.vendor == "sqlite":
            options["init_command"] = options["init_command"].replace("synchronous=NORMAL", "synchronous=OFF")
        yield
        with pytest.MonkeyPatch.context() as patch:  # the event loop of Playwright may run in this thread
            patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "1")
            connection.close()


@pytest.fixture(scope="session", autouse=True)
def static_files_found_once():
    """Find the static files once: each test client makes a middleware, which would find them again."""
    found: dict[str, object] = {}
    find = WhiteNoiseMiddleware.add_files_from_finders

    def find_once(middleware):
        if not found:
            find(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", find_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords():
    """Hash passwords with few iterations: a usual hash takes a quarter of a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PBKDF2PasswordHasher, "iterations", 10)
        yield


@pytest.fixture(autouse=True)
def nothing_read(monkeypatch):
    """A process that has read no log and no counters: those of another test have the same positions."""
    monkeypatch.setattr("controlplane.planning.planner_state._reader", None)
    monkeypatch.setattr("controlplane.deployment.audits.loss_signs._seen", {})


@pytest.fixture(autouse=True)
def patient_answers(monkeypatch):
    """Remove the time limit of answers: on a busy machine a small one can take more than a second."""
    preview = import_module("controlplane.explain.filter_preview.preview")
    monkeypatch.setattr(preview, "PATIENCE", replace(preview.PATIENCE, seconds=60.0))
    monkeypatch.setattr("controlplane.explain.impact.counts.SECONDS", 60.0)
    monkeypatch.setattr("controlplane.explain.explanation.SECONDS", 60.0)
    monkeypatch.setattr("controlplane.aggregation.process_client.PATIENCE_SECONDS", 60.0)
