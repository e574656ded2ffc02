"""Crontabs in unknown time zones: they are read and listed, but forms refuse them.

The field of django-celery-beat raises an error while a row is read. One crontab whose zone is missing from
the time zone database would fail every query over crontabs, in beat, in the admin pages and in a backup.
"""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django_celery_beat.models import CrontabSchedule


class UnknownZone(str):
    """The name of a time zone that is unknown here."""

    __slots__ = ()


def accept_unknown_zones() -> None:
    """Make the time zone field of crontabs accept unknown names. Forms still refuse them."""
    field: Any = CrontabSchedule._meta.get_field("timezone")
    field.from_db_value = _lenient(field.from_db_value)
    field.to_python = _lenient(field.to_python)
    field.get_prep_value = _lenient(field.get_prep_value)


def _lenient(convert: Callable[..., Any]) -> Callable[..., Any]:
    def converted(value: Any, *rest: Any) -> Any:
        if isinstance(value, UnknownZone):
            return value
        try:
            return convert(value, *rest)
        except (ValidationError, ValueError, OSError):
            return UnknownZone(value)

    return converted
