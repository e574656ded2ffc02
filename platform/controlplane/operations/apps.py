"""The app."""

import logging

from django.apps import AppConfig
from django.conf import settings


class ObserveConfig(AppConfig):
    """Health and metrics; it keeps nothing but watermarks."""

    name = "controlplane.operations"
    label = "observe"

    def ready(self) -> None:
        """Warnings are lines of the log where that is JSON."""
        if settings.ENV.log_format == "json":
            logging.captureWarnings(True)
