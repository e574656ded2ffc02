"""The live stream that feeds the dashboard."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Reads the outbox and shows it; has no models of its own."""

    name = "controlplane.live"
