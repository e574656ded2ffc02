"""What keeps an installation going over years: backup, restore, and a log that does not grow for ever."""

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    """Commands and periodic work; it has no tables of its own."""

    name = "controlplane.operations.backup"
    label = "upkeep"

    def ready(self) -> None:
        """Know the checks."""
        from controlplane.operations import deployment_checks, hardening_checks  # noqa: F401, PLC0415 - registers itself
        from controlplane.operations.backup import secret_checks  # noqa: F401, PLC0415 - registers itself
