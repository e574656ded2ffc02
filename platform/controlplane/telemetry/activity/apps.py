"""What became of each announcement's events."""

from django.apps import AppConfig


class ActivityConfig(AppConfig):
    """Events by advertisement, subscription and host, as reports of traffic tell them."""

    name = "controlplane.telemetry.activity"
    label = "activity"
