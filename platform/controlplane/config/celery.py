"""Alias of the Celery application for `celery -A controlplane.config.celery`."""

from controlplane.common.celery import app

__all__ = ["app"]
