"""Restore of a backup: all rows in one transaction, then the secrets.

The complete backup is read and checked, and the secrets are written next to their final places, before
anything changes. A kill leaves either nothing changed, or all rows restored and possibly some secrets
missing. A second run completes it. Afterwards every switch is read back and receives the tables of the
restored log, because the tables of a switch do not depend on the time of the backup.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model
from django.utils import timezone
from django_celery_beat.models import PeriodicTask

from controlplane.common.process_locks import planner_lock
from controlplane.deployment import session_cache, switch_sync
from controlplane.network.models import Switch
from controlplane.operations.backup import (
    archive,
    backup,
    exclusive_access,
    free_space,
    row_codec,
    secret_staging,
    sequences,
)
from controlplane.operations.backup.archive import ArchiveReader, Manifest
from controlplane.operations.backup.errors import BackupError
from controlplane.periodic import row_faults, task_failures
from controlplane.planning import planner_state
from controlplane.requestlog import checkpoints, outbox
from controlplane.requestlog.models import OutboxEvent, Watermark
from controlplane.signalling import seals

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class RestoreOptions:
    """`replace` the rows in the database; keep this installation's `own_secrets`."""

    replace: bool = False
    own_secrets: bool = False


def restore(path: Path, say: Say, options: RestoreOptions) -> Manifest:
    """Restore the database and the secrets from the backup at `path`.

    Raises:
        UpkeepError: The restore is not possible; the text has the remedy.
    """
    with archive.reading(path) as file:
        manifest = file.manifest
        made = f"{manifest.created_at:%Y-%m-%d %H:%M:%S} UTC, version {manifest.version}"
        say(f"{path}: created {made}, {sum(manifest.rows.values())} rows")
        free_space.check(file)
        older = _older(manifest)
        found = _filled()
        if found and not options.replace:
            raise BackupError(
                f"the database is not empty ({', '.join(found)}); add --replace to delete its contents"
            )
        if found:
            exclusive_access.check(say)
        if older and backup.applied():
            raise BackupError(
                f"the backup is from a database without the migration {older[0]}; it can be restored only "
                "into a database without tables: set TERCAST_DATABASE_URL (or TERCAST_STATE_DIR) to a new one"
            )
        say("reading the complete backup")
        file.check()
        if options.own_secrets:
            _load(file, say, older)
            return manifest
        with secret_staging.staged(file, settings.ENV.secrets_dir) as secrets:
            _load(file, say, older)
            secrets.move()
        say(f"secrets: {', '.join(manifest.secrets) or 'none'}")
        return manifest


def _older(manifest: Manifest) -> list[str]:
    """Return the migrations of this version that the backup does not have.

    Raises:
        UpkeepError: The backup or the database is from a newer version.
    """
    known = {f"{app}.{name}" for app, name in MigrationExecutor(connection).loader.disk_migrations}
    newer = sorted(set(manifest.migrations) - known)
    if newer:
        raise BackupError(
            f"the backup is from version {manifest.version} with migrations that this version "
            f"({backup.release()}) does not have ({newer[0]}, ...); restore it with that version"
        )
    unknown = sorted(set(backup.applied()) - known)
    if unknown:
        raise BackupError(f"the database is from a newer version (it has {unknown[0]}); use that version")
    return sorted(known - set(manifest.migrations))


def _filled() -> list[str]:
    """Return the tables that have rows, with the numbers of rows."""
    there = set(connection.introspection.table_names())
    found = []
    for model in row_codec.models(current_apps):
        table = model._meta.db_table
        if table in there - row_codec.LEFT_OUT - row_codec.MADE_BY_MIGRATIONS:
            with connection.cursor() as cursor:
                quoted = connection.ops.quote_name(table)
                cursor.execute(f"SELECT COUNT(*) FROM {quoted}")  # noqa: S608 - own names
                (count,) = cursor.fetchone()
            if count:
                found.append(f"{count} rows in {table}")
    return [*found[:5], *(["..."] if len(found) > 5 else [])]


def _load(file: ArchiveReader, say: Say, older: list[str]) -> None:
    apps = _schema(file.manifest, say, older)
    with planner_lock() as held:
        if held is None:
            raise BackupError("a worker is using the database; stop it first")
        with transaction.atomic():
            used = {} if older else seals.used_counters()  # an older backup needs a database without tables
            _replace_rows(file, apps, say)
            if not older:
                _invalidate(file.manifest, used, say)
        if older:
            say(f"migrating the database: {len(older)} migrations")
            call_command("migrate", interactive=False, verbosity=0)
            with transaction.atomic():
                _invalidate(file.manifest, used, say)


def _schema(manifest: Manifest, say: Say, older: list[str]) -> Apps:
    """Create the tables of the backup's version, and return their models."""
    if not older:
        call_command("migrate", interactive=False, verbosity=0)
        return current_apps
    say("creating the tables of the backup's version")
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    done = [(app, name) for app, _, name in (text.partition(".") for text in manifest.migrations)]
    targets = [key for key in done if not any(child.key in done for child in graph.node_map[key].children)]
    executor.migrate(targets)
    apps: Apps = executor.loader.project_state(targets).apps
    return apps


def _replace_rows(file: ArchiveReader, apps: Apps, say: Say) -> None:
    """Empty every table and fill it; later ids are larger than those of both databases."""
    models = row_codec.models(apps)
    lasts = {model: _last_id(model, file.manifest) for model in models}
    live = next(model for model in models if model._meta.db_table == OutboxEvent._meta.db_table)
    lasts[live] += 1  # so that pages that saw the last event read everything again
    with connection.cursor() as cursor:
        for model in models:
            quoted = connection.ops.quote_name(model._meta.db_table)
            cursor.execute(f"DELETE FROM {quoted}")  # noqa: S608 - own names
    for model in models:
        table = model._meta.db_table
        if table in file.manifest.rows:
            _fill(file, model, file.manifest.rows[table])
            say(f"{table}: {file.manifest.rows[table]} rows")
    sequences.set_last_ids(lasts, connection)


def _last_id(model: type[Model], manifest: Manifest) -> int:
    return max(sequences.last_ids(model, "default"), manifest.last_ids.get(model._meta.db_table, 0))


def _fill(file: ArchiveReader, model: type[Model], expected: int) -> None:
    table = model._meta.db_table
    columns, found = file.table(table)
    strange = sorted(set(columns) - set(row_codec.columns(model)))
    if strange:
        raise BackupError(f"the backup has a column {table}.{strange[0]}, which this version does not have")
    count = row_codec.write(model, columns, found)
    if count != expected:
        raise BackupError(f"the backup is damaged: {table} has {count} rows instead of {expected}")


def _invalidate(manifest: Manifest, used: seals.Used, say: Say) -> None:
    """Invalidate former state: sessions, readers, seals, and the state of switches."""
    seals.skip_counters(used, max(timezone.now(), manifest.created_at))
    Watermark.objects.filter(name__startswith="life of ").delete()
    task_failures.forget()
    session_cache.forget()
    checkpoints.store(planner_state.RESTORED, uuid4().hex)
    Switch.objects.update(connected=False, epoch=0, reconciled_epoch=0)
    switch_sync.ask_for(Switch.objects.values_list("name", flat=True))
    when = f"{manifest.created_at:%Y-%m-%d %H:%M:%S}"
    outbox.alarm(f"restored from a backup of {when} UTC at {timezone.now():%Y-%m-%d %H:%M:%S} UTC")
    _disable_bad_tasks(say)


def _disable_bad_tasks(say: Say) -> None:
    """Disable restored periodic tasks that cannot run, so that they do not stop the restore."""
    for name, why in row_faults.bad_rows().items():
        PeriodicTask.objects.filter(name=name).update(enabled=False, last_run_at=None)
        say(f"periodic task {name} is disabled because it cannot run: {why}")
        outbox.alarm(f"periodic task {name} is restored as disabled because it cannot run: {why}")
