"""Where switches lie in the picture of the network."""

from django.apps import AppConfig


class LayoutConfig(AppConfig):
    """Positions of switches, and the picture in one call."""

    name = "controlplane.network.map"
    label = "layout"
