"""Configuration of the app with scheduled Spark jobs, their runs and results."""

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    """Computation of results in the database from telemetry."""

    name = "controlplane.analytics"
    label = "analytics"
