"""Topics, publishers, subscribers, and what they announced."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """Who sends what, and who wants what."""

    name = "controlplane.registry"
    label = "registry"
