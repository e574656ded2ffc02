"""Configuration of the app with positions of switches on the map."""

from django.apps import AppConfig


class MapConfig(AppConfig):
    """Positions of switches, and the topology in one call."""

    name = "controlplane.network.map"
    label = "layout"
