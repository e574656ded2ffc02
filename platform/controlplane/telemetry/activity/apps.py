"""Configuration of the Django app of event counters by announcement and host."""

from django.apps import AppConfig


class ActivityConfig(AppConfig):
    """App of event counters by advertisement, subscription and host, from traffic reports."""

    name = "controlplane.telemetry.activity"
    label = "activity"
