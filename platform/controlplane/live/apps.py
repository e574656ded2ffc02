"""Configuration of the app with the live stream of the dashboard."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Reads the outbox and sends it to clients; the app has no models."""

    name = "controlplane.live"
