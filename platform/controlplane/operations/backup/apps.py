"""Configuration of the app with backup, restore and compaction of the request log."""

from django.apps import AppConfig


class BackupConfig(AppConfig):
    """Commands and periodic tasks; the app has no tables."""

    name = "controlplane.operations.backup"
    label = "upkeep"

    def ready(self) -> None:
        """Register the checks."""
        from controlplane.operations import deployment_checks, hardening_checks  # noqa: F401, PLC0415 - registers checks
        from controlplane.operations.backup import secret_checks  # noqa: F401, PLC0415 - registers checks
