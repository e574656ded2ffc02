"""Crontabs in time zones that this machine does not know: they are read and listed, and forms refuse them.

The field of django-celery-beat raises while a row is read. One crontab whose zone is missing from the time
zone database would fail every query over crontabs: those of beat, of the admin pages and of a backup.
"""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import ValidationError
from django_celery_beat.models import CrontabSchedule


class UnknownZone(str):
    """The name of a time zone that is not known here."""

    __slots__ = ()


def accept_unknown_zones() -> None:
    """Let the time zone field of crontabs carry unknown names. Forms refuse them all the same."""
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
