"""Topics that move to their other code, and the publishers that are to follow."""

from django.apps import AppConfig


class MovesConfig(AppConfig):
    """Encodings, moves between them, and leases of publishers."""

    name = "controlplane.registry.transitions"
    label = "moves"
