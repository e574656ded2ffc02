"""What keeps an installation going over years: backup, restore, and a log that does not grow for ever."""

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    """Commands and periodic work; it has no tables of its own."""

    name = "controlplane.upkeep"

    def ready(self) -> None:
        """Know the checks."""
        from controlplane.upkeep import checks, deployment, hardening  # noqa: F401, PLC0415 - registers itself
