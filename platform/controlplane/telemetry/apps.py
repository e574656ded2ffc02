"""Configuration of the Django app of telemetry."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """App of telemetry: counters, batches and samples of events, mostly reported by hosts."""

    name = "controlplane.telemetry"
    label = "telemetry"
