"""App of topics, publishers, subscribers and their announcements."""

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    """App of topics, publishers, subscribers and their announcements."""

    name = "controlplane.registry"
    label = "registry"
