"""App of the audit trail."""

from django.apps import AppConfig


class TrailConfig(AppConfig):
    """App of the audit trail: actions of users and programs. The middleware writes it."""

    name = "controlplane.accounts.trail"
    label = "trail"

    def ready(self) -> None:
        """Record log-ins on any page or by any program."""
        from controlplane.accounts.trail import login_events  # noqa: F401, PLC0415 - its receivers connect themselves
