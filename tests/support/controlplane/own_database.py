"""Separate databases for tests: a migrated one is a copy of a template that is migrated once."""

import fcntl
import hashlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import django
import psycopg
from django.apps import apps
from django.db import connection

SERVER = os.environ.get("TERCAST_DATABASE_URL", "")
"""URL of PostgreSQL, if the tests have one; `scripts/with_servers.sh` sets it."""

ROOT = Path(__file__).resolve().parents[3]

TEMPLATES = Path(tempfile.gettempdir()) / f"tercast-templates-{os.getuid()}"
"""Folder of migrated SQLite files, with the lock for all processes that create or copy a template."""


def has_server() -> bool:
    """Whether there is a PostgreSQL for databases."""
    return SERVER.startswith("postgres")


def _server() -> closing:
    return closing(psycopg.connect(SERVER, autocommit=True))


@contextmanager
def server_database(template: str = "template1") -> Iterator[str]:
    """Yield the URL of a new database of the server, a copy of `template`, which is removed at the end."""
    name = f"own_{secrets.token_hex(4)}"
    with _server() as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlunsplit(urlsplit(SERVER)._replace(path=f"/{name}"))
    finally:
        with _server() as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def empty_database(folder: Path) -> Iterator[str]:
    """Yield the URL of an empty database: of the server if there is one, else a file in `folder`."""
    if has_server():
        with server_database() as url:
            yield url
    else:
        yield f"sqlite://{folder / 'own.sqlite3'}"


@contextmanager
def migrated_database(folder: Path) -> Iterator[str]:
    """Yield the URL of a database with all tables and no rows, like `empty_database`.

    Callers need the fixture `django_db_setup`, which creates the template.
    """
    if has_server():
        with server_database(server_template()) as url:
            yield url
    else:
        yield f"sqlite://{migrated_file(folder / 'own.sqlite3')}"


def migrated_file(path: Path) -> Path:
    """Create an SQLite file with all tables and no rows."""
    with _locked():
        template = TEMPLATES / f"{_digest()}.sqlite3"
        if not template.exists():
            unfinished = TEMPLATES / f"{template.name}.new"
            unfinished.unlink(missing_ok=True)
            own = {
                "TERCAST_STATE_DIR": str(TEMPLATES / "state"),
                "TERCAST_DATABASE_URL": f"sqlite://{unfinished}",
            }
            command = [sys.executable, str(ROOT / "manage.py"), "migrate", "--verbosity", "0"]
            subprocess.run(command, env=os.environ | own, check=True, timeout=600)
            unfinished.rename(template)
        shutil.copyfile(template, path)
    path.chmod(0o600)
    return path


def server_template() -> str:
    """Return the name of the migrated template of the server, which is created if it does not exist."""
    name = f"template_{_digest()}"
    with _locked(), _server() as server:
        known = "SELECT FROM pg_database WHERE datname = %s"
        if server.execute(known, [name]).fetchone() is None:
            _migrate(f"{name}_new")
            server.execute(f"ALTER DATABASE {name}_new RENAME TO {name}")
    return name


def _migrate(name: str) -> None:
    """Create a database like Django's tests, and replace an unfinished one."""
    database = connection.settings_dict
    before, database["TEST"]["NAME"] = (database["NAME"], database["TEST"]["NAME"]), name
    connection.close()
    try:
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
    finally:
        connection.close()
        database["NAME"], database["TEST"]["NAME"] = before


@contextmanager
def _locked() -> Iterator[None]:
    TEMPLATES.mkdir(mode=0o700, exist_ok=True)
    with (TEMPLATES / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _digest() -> str:
    """Return a digest of what determines the tables: all migrations, and the version of Django."""
    found = hashlib.sha256(django.__version__.encode())
    for app in apps.get_app_configs():
        for path in sorted((Path(app.path) / "migrations").glob("*.py")):
            found.update(f"{app.label}/{path.name}".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def name_of(url: str) -> str:
    """Return the name of the database in a URL, as in Django's settings."""
    path = urlsplit(url).path
    return path if url.startswith("sqlite") else path.removeprefix("/")
