"""Whether switches hold what the plan says: read back, compared, told, and repaired."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The network's audits."""

    name = "controlplane.deployment.audits"
    label = "audit"
