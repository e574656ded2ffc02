"""Conversion of rows of any table to JSON and back, for any database.

Values are those of Django's fields, not of a database: times are ISO texts with microseconds, bytes are
base64, and JSON stays JSON.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from django.apps.registry import Apps
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import Field, JSONField, Model
from timezone_field import TimeZoneField  # type: ignore[import-untyped] # it has no types

from controlplane.operations.backup.errors import BackupError

LEFT_OUT = frozenset({"django_session", "control_outboxevent"})
"""Sessions and live events, which are temporary: a backup omits them, and a restore deletes them."""

MADE_BY_MIGRATIONS = frozenset({"django_content_type", "auth_permission"})
"""Tables that migrations fill."""

_CHUNK = 2000

RowValues = list[Any]


def models(apps: Apps) -> list[type[Model]]:
    """Return every model that has a table, in a fixed order."""
    found = {m._meta.db_table: m for m in apps.get_models(include_auto_created=True) if m._meta.managed}
    return [found[name] for name in sorted(found) if not found[name]._meta.proxy]


def columns(model: type[Model]) -> list[str]:
    """Return the names of the model's columns."""
    return [str(field.column) for field in model._meta.concrete_fields]


def read(model: type[Model], using: str) -> Iterator[RowValues]:
    """Yield all rows in the order of their keys, ready for JSON; only a few are in memory."""
    fields = model._meta.concrete_fields
    names = [field.attname for field in fields]
    rows = model._default_manager.using(using).order_by("pk").values_list(*names)
    for row in rows.iterator(_CHUNK):
        yield [_plain(field, value) for field, value in zip(fields, row, strict=True)]


def write(model: type[Model], names: Sequence[str], rows: Iterable[RowValues]) -> int:
    """Insert rows with the columns `names` exactly as they are, and return their number.

    This does not use `bulk_create`, which would set creation times to now.
    """
    known = {str(field.column): field for field in model._meta.concrete_fields}
    fields = [known[name] for name in names]
    quote = connection.ops.quote_name
    into = f"{quote(model._meta.db_table)} ({', '.join(map(quote, names))})"
    statement = f"INSERT INTO {into} VALUES ({', '.join(['%s'] * len(names))})"  # noqa: S608 - own names
    rows, count = iter(rows), 0
    with connection.cursor() as cursor:
        while chunk := list(islice(rows, _CHUNK)):
            cursor.executemany(statement, [_stored(fields, row) for row in chunk])
            count += len(chunk)
    return count


def _plain(field: "Field[Any, Any]", value: Any) -> Any:
    if value is None or isinstance(field, JSONField) or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode("ascii")
    return str(field.get_prep_value(value))


def _stored(fields: "Sequence[Field[Any, Any]]", row: RowValues) -> RowValues:
    return [_prepared(field, value) for field, value in zip(fields, row, strict=True)]


def _prepared(field: "Field[Any, Any]", value: Any) -> Any:
    if isinstance(field, TimeZoneField):
        return value  # kept as a name, because this machine may not know the time zone
    try:
        found = value if isinstance(field, JSONField) else field.to_python(value)
        return field.get_db_prep_save(found, connection)
    except (ValidationError, ValueError, TypeError, OverflowError) as error:
        said = "; ".join(error.messages) if isinstance(error, ValidationError) else str(error)
        raise BackupError(
            f"the backup is damaged: {field.model._meta.db_table}.{field.column} has a bad value: {said}"
        ) from None
