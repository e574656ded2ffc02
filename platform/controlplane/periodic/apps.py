"""Configuration of the app that checks periodic tasks."""

from django.apps import AppConfig


class PeriodicConfig(AppConfig):
    """Checks of the rows of django-celery-beat; the app has no tables."""

    name = "controlplane.periodic"

    def ready(self) -> None:
        """Make crontabs readable whose time zone is unknown."""
        from controlplane.periodic.time_zones import accept_unknown_zones  # noqa: PLC0415 - needs loaded models

        accept_unknown_zones()
