"""Configuration of the app with switches, ports, links, hosts and installed tables."""

from django.apps import AppConfig


class NetworkConfig(AppConfig):
    """The network as declared and found, and its tables as confirmed."""

    name = "controlplane.network"
    label = "network"
