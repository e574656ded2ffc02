"""Each process of the tests has its own database and Redis database; `make test-servers` forgets no test."""

import ast
import os
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.support.controlplane import own_database
from tests.worker_redis import numbered

TESTS = Path(__file__).parents[1]
OWN_PROCESSES = {"tests.support.controlplane.own_database", "load_platform"}
"""Modules whose users start processes on the server without a fixture that gives the database."""


def test_the_database_is_a_migrated_copy_of_no_other_process(db):
    assert connection.settings_dict["NAME"] != own_database.name_of(own_database.SERVER)
    tables = set(connection.introspection.table_names())
    assert {"control_request", "django_celery_beat_periodictask", "auth_user"} <= tables


def test_what_uses_the_database_is_marked_for_the_servers(request, db):
    assert request.node.get_closest_marker("servers")


def test_what_does_not_use_the_database_is_not_marked(request):
    assert not request.node.get_closest_marker("servers")


def test_each_worker_has_a_redis_database():
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if not (worker and settings.ENV.redis_url):
        pytest.skip("needs Redis and xdist")
    assert settings.ENV.redis_url.endswith(f"/{int(worker.removeprefix('gw')) + 1}")


def test_a_url_names_another_database_of_its_redis():
    assert numbered("redis://:secret@127.0.0.1:6379/0", 3) == "redis://:secret@127.0.0.1:6379/3"


def imported(path: Path) -> set[str]:
    """The names of the modules that a file imports from."""
    nodes = list(ast.walk(ast.parse(path.read_text())))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    return names | {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}


def test_who_starts_processes_on_the_server_is_marked_by_hand():
    users = [path for path in TESTS.rglob("test_*.py") if imported(path) & OWN_PROCESSES]
    assert len(users) > 3
    assert not [path.name for path in users if "mark.servers" not in path.read_text()]
