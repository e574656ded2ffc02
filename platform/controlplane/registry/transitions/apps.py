"""App of the encodings of topics, their moves, and the leases of publishers."""

from django.apps import AppConfig


class TransitionsConfig(AppConfig):
    """App of the encodings of topics, their moves, and the leases of publishers."""

    name = "controlplane.registry.transitions"
    label = "moves"
