"""Configuration of the app with health checks, alarms and metrics."""

import logging

from django.apps import AppConfig
from django.conf import settings


class OperationsConfig(AppConfig):
    """Health, alarms and metrics; the app has no tables and stores only watermarks."""

    name = "controlplane.operations"
    label = "observe"

    def ready(self) -> None:
        """Write Python warnings to the log if the log format is JSON."""
        if settings.ENV.log_format == "json":
            logging.captureWarnings(True)
