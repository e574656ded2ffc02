"""Scheduled Spark jobs, their runs, and what they found."""

from django.apps import AppConfig


class AnalyticsConfig(AppConfig):
    """From telemetry to results in the database."""

    name = "controlplane.analytics"
    label = "analytics"
