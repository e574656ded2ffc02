"""Periods between a time in the database and now, which end even if a clock is set."""

from datetime import datetime, timedelta

from django.db.models import Q

MARGIN = timedelta(minutes=1)
"""A time further in the future comes from a wrong clock; clocks of machines may differ by less."""


def is_over(began: datetime, period: timedelta, now: datetime) -> bool:
    """Whether a period has passed, or started in the future because the clock was set back."""
    return not now - period <= began <= now + MARGIN


def over(field: str, period: timedelta, now: datetime) -> Q:
    """Return the condition for rows whose period is over; see `is_over`."""
    return Q(**{f"{field}__lt": now - period}) | Q(**{f"{field}__gt": now + MARGIN})
