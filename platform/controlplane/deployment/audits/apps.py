"""Whether switches hold what the plan says: read back, compared, told, and repaired."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The network's audits."""

    name = "controlplane.deployment.audits"
    label = "audit"

    def ready(self) -> None:
        """Follow the losses that hosts report."""
        from controlplane.deployment.audits import loss_signs  # noqa: F401, PLC0415 - its receiver connects itself
