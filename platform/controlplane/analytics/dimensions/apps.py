"""Configuration of the app that proposes indexed attributes."""

from django.apps import AppConfig


class DimensionsConfig(AppConfig):
    """Proposals of indexed attributes, and their reversal."""

    name = "controlplane.analytics.dimensions"
    label = "dimensions"
