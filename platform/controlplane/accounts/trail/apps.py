"""The audit trail of what people and programs did."""

from django.apps import AppConfig


class TrailConfig(AppConfig):
    """Who did or tried what; other apps write to it by way of the middleware."""

    name = "controlplane.accounts.trail"
    label = "trail"

    def ready(self) -> None:
        """Note log-ins, whichever page or program they come by."""
        from controlplane.accounts.trail import login_events  # noqa: F401, PLC0415 - its receivers connect themselves
