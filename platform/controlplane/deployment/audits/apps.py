"""Configuration of the app that compares switches with the plan and repairs them."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """Audits of the network."""

    name = "controlplane.deployment.audits"
    label = "audit"

    def ready(self) -> None:
        """Connect the receiver of losses that hosts report."""
        from controlplane.deployment.audits import loss_signs  # noqa: F401, PLC0415 - connects its receiver
