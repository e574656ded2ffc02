"""Periods between a time in the database and now, which end although the clock of a machine jumps."""

from datetime import datetime, timedelta

from django.db.models import Q

MARGIN = timedelta(minutes=1)
"""A time later than this is of a clock that was wrong; machines may differ by less."""


def is_over(began: datetime, period: timedelta, now: datetime) -> bool:
    """Whether a period has passed, or began in the future: the clock was set back, by any amount."""
    return not now - period <= began <= now + MARGIN


def over(field: str, period: timedelta, now: datetime) -> Q:
    """Return the condition that `is_over` for the time in a field."""
    return Q(**{f"{field}__lt": now - period}) | Q(**{f"{field}__gt": now + MARGIN})
