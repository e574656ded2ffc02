"""Last ids of tables, so that no id is used again, also after a restore."""

from collections.abc import Mapping

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import AutoField, BigAutoField, Max, Model


def last_ids(model: type[Model], using: str) -> int:
    """Return the highest id that the model's table has assigned; 0 if it has assigned none."""
    own = connections[using]
    if not _gives_ids(model):
        return 0
    kept = _kept_sqlite(own, model) if own.vendor == "sqlite" else _kept_postgresql(own, model)
    highest = model._default_manager.using(using).aggregate(highest=Max("pk"))["highest"] or 0
    return max(kept, int(highest))


def set_last_ids(lasts: Mapping[type[Model], int], own: BaseDatabaseWrapper) -> None:
    """Make later ids of each model larger than its value in `lasts`."""
    for model, last in lasts.items():
        if _gives_ids(model) and last:
            if own.vendor == "sqlite":
                _set_sqlite(own, model, last)
            else:
                _set_postgresql(own, model, last)


def _gives_ids(model: type[Model]) -> bool:
    return isinstance(model._meta.pk, AutoField | BigAutoField)


def _kept_sqlite(own: BaseDatabaseWrapper, model: type[Model]) -> int:
    with own.cursor() as cursor:
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        found = cursor.fetchone()
    return int(found[0]) if found else 0


def _kept_postgresql(own: BaseDatabaseWrapper, model: type[Model]) -> int:
    with own.cursor() as cursor:
        cursor.execute("SELECT pg_get_serial_sequence(%s, 'id')", [own.ops.quote_name(model._meta.db_table)])
        (name,) = cursor.fetchone()
        if name is None:
            return 0
        cursor.execute(f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {name}")  # noqa: S608
        (last,) = cursor.fetchone()
    return int(last)


def _set_sqlite(own: BaseDatabaseWrapper, model: type[Model], last: int) -> None:
    table = model._meta.db_table
    with own.cursor() as cursor:
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])


def _set_postgresql(own: BaseDatabaseWrapper, model: type[Model], last: int) -> None:
    table = own.ops.quote_name(model._meta.db_table)
    with own.cursor() as cursor:
        cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, last])
