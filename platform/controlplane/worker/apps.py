"""Configuration of the app with Celery tasks and management commands."""

from django.apps import AppConfig


class WorkerConfig(AppConfig):
    """Registers the management commands with Django; the app has no tables."""

    name = "controlplane.worker"
    label = "worker"
