"""Celery tasks and management commands."""

from django.apps import AppConfig


class WorkerConfig(AppConfig):
    """Makes the management commands known to Django; it has no tables."""

    name = "controlplane.worker"
    label = "worker"
