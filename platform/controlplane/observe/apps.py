"""The app."""

from django.apps import AppConfig


class ObserveConfig(AppConfig):
    """Health and metrics; it keeps nothing but watermarks."""

    name = "controlplane.observe"
