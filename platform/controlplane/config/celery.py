"""Alias: `celery -A controlplane.config.celery` is how commands and units name the application."""

from controlplane.common.celery import app

__all__ = ["app"]
