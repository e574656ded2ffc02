"""Switches, ports, links, hosts, and tables as installed."""

from django.apps import AppConfig


class NetworkConfig(AppConfig):
    """The network as it is known, and as it was confirmed."""

    name = "controlplane.network"
    label = "network"
