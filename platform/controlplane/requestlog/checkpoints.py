"""State of watchers between runs, stored in the transaction of their actions."""

import json
import logging
from datetime import datetime
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast
from django.utils.dateparse import parse_datetime

from controlplane.requestlog.models import Watermark

logger = logging.getLogger(__name__)


class MalformedCheckpoint(ValueError):  # noqa: N818 - named by meaning
    """Stored value that is not JSON, or has a type that its reader does not expect."""

    def __init__(self, name: str, rule: str) -> None:
        super().__init__(
            f"the row {name!r} of the table {Watermark._meta.db_table} is malformed: {rule}. "
            "Correct the row with SQL, or restore a backup."
        )


def recall(name: str, default: Any) -> Any:
    """Return the value stored under `name`, or `default` if there is none.

    Raises:
        MalformedCheckpoint: if the value cannot be read, or its type differs from that of `default`.
    """
    text = _texts().filter(name=name).values_list("text", flat=True).first()
    return default if text is None else _read(name, text, default)


def recall_or_default(name: str, default: Any) -> Any:
    """Return the value stored under `name`; `default` if there is none or it is malformed."""
    try:
        return recall(name, default)
    except MalformedCheckpoint as error:
        logger.warning("%s", error)
        return default


def recall_all(prefix: str) -> dict[str, Any]:
    """Return values by names with `prefix`; a `MalformedCheckpoint` replaces an unreadable one."""
    found: dict[str, Any] = {}
    for name, text in _texts().filter(name__startswith=prefix).order_by("name").values_list("name", "text"):
        try:
            found[name] = _read(name, text, None)
        except MalformedCheckpoint as error:
            found[name] = error
    return found


def hold(name: str, default: Any) -> Any:
    """Return the value stored under `name`, and lock `name` until the transaction ends.

    Raises:
        MalformedCheckpoint: if the value cannot be read, or its type differs from that of `default`.
    """
    Watermark.objects.bulk_create([Watermark(name=name, value=default)], ignore_conflicts=True)
    Watermark.objects.select_for_update().filter(name=name).values_list("pk", flat=True).get()
    return recall(name, default)


def hold_or_default(name: str, default: Any) -> Any:
    """Lock and return the value like `hold`; return `default` if the row is malformed."""
    try:
        return hold(name, default)
    except MalformedCheckpoint as error:
        logger.warning("%s", error)
        return default


def store(name: str, value: Any) -> None:
    """Store `value` under `name`, whatever the row contains."""
    if not Watermark.objects.filter(name=name).update(value=value):
        row = Watermark(name=name, value=value)
        Watermark.objects.bulk_create(
            [row], update_conflicts=True, unique_fields=["name"], update_fields=["value"]
        )


def read_time(value: object) -> datetime | None:
    """Return the time in a stored value; None for other values, which only SQL can have written."""
    try:
        found = parse_datetime(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return None if found is None or found.tzinfo is None else found


def _texts() -> Any:
    return Watermark.objects.annotate(text=Cast("value", TextField()))


def _read(name: str, text: str, default: Any) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError, TypeError) as error:
        raise MalformedCheckpoint(name, f"it is not JSON ({error})") from None
    if default is not None and not _alike(value, default):
        raise MalformedCheckpoint(
            name, f"it contains a {type(value).__name__} instead of a {type(default).__name__}"
        )
    return value


def _alike(value: Any, default: Any) -> bool:
    kind = (
        int | float if isinstance(default, int | float) and not isinstance(default, bool) else type(default)
    )
    return isinstance(value, kind)
