"""What hosts report of the traffic."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """Counters of events, as reported by hosts."""

    name = "controlplane.telemetry"
    label = "telemetry"
