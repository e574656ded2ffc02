"""Periodic tasks: which rows can run, when, and what is shown of those that cannot."""

from django.apps import AppConfig


class PeriodicConfig(AppConfig):
    """Checks of the rows of django-celery-beat; it has no tables."""

    name = "controlplane.periodic"

    def ready(self) -> None:
        """Read crontabs whose time zone is unknown, too."""
        from controlplane.periodic.time_zones import accept_unknown_zones  # noqa: PLC0415 - models are there by now

        accept_unknown_zones()
