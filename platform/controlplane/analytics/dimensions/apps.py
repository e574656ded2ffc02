"""Which attributes topics should index, and the way back."""

from django.apps import AppConfig


class DimensionsConfig(AppConfig):
    """Proposals of indexed attributes."""

    name = "controlplane.analytics.dimensions"
    label = "dimensions"
