"""The live page and the stream that feeds it."""

from django.apps import AppConfig


class LiveConfig(AppConfig):
    """Reads the outbox and shows it; has no models of its own."""

    name = "controlplane.live"
