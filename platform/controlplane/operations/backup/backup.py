"""Backup of all rows as of one moment, while other processes may write, and of the secrets."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from controlplane.operations.backup import archive, row_codec, sequences
from controlplane.operations.backup.archive import Manifest
from controlplane.operations.backup.errors import BackupError

Say = Callable[[str], None]

_ALIAS = "tercast-backup"


def release() -> str:
    """Return the version of Tercast that runs."""
    return version("tercast")


def backup(path: Path, say: Say, replace: bool = False) -> Manifest:
    """Write a backup to `path`, and report the number of rows of each table.

    Raises:
        UpkeepError: The database has another version, or the file cannot be written.
    """
    _check_schema()
    counts: dict[str, int] = {}
    lasts: dict[str, int] = {}
    with archive.writing(path, replace) as file:
        with _one_moment() as using:
            for model in row_codec.models(apps):
                table = model._meta.db_table
                lasts[table] = sequences.last_ids(model, using)
                if table not in row_codec.LEFT_OUT:
                    counts[table] = file.table(table, row_codec.columns(model), row_codec.read(model, using))
                    say(f"{table}: {counts[table]} rows")
        names = secret_names()
        for name in names:
            file.secret(name, (settings.ENV.secrets_dir / name).read_bytes())
        say(f"secrets: {', '.join(names) or 'none'}")
        manifest = Manifest(
            release(), timezone.now(), connection.vendor, applied(), counts, lasts, tuple(names)
        )
        file.manifest(manifest)
    return manifest


def applied() -> tuple[str, ...]:
    """Return the migrations of the database, as `app.name`."""
    done = MigrationExecutor(connection).loader.applied_migrations
    return tuple(sorted(f"{app}.{name}" for app, name in done))


def secret_names() -> list[str]:
    """Return the files in the folder of secrets, as relative paths."""
    folder = settings.ENV.secrets_dir
    found = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    return sorted(str(path.relative_to(folder)) for path in found)


def _check_schema() -> None:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if waiting:
        first = waiting[0][0]
        raise BackupError(
            f"the database does not match this version: {len(waiting)} migrations are missing, the first is "
            f"{first.app_label}.{first.name}; run manage.py prepare, or back up with the previous version"
        )


@contextmanager
def _one_moment() -> Iterator[str]:
    """Open a separate connection that sees the database as of now, and blocks no writer."""
    own = connections.create_connection(DEFAULT_DB_ALIAS)
    own.settings_dict = copy.deepcopy(connection.settings_dict)
    options = own.settings_dict.setdefault("OPTIONS", {})
    if connection.vendor == "sqlite":
        options["transaction_mode"] = "DEFERRED"
    else:
        from psycopg import IsolationLevel  # noqa: PLC0415 - installed only if it is the driver

        options["isolation_level"] = IsolationLevel.REPEATABLE_READ
    connections[_ALIAS] = own
    try:
        with transaction.atomic(using=_ALIAS):
            yield _ALIAS
    finally:
        own.close()
        del connections[_ALIAS]
