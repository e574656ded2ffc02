"""The first steps with a new installation."""

from django.apps import AppConfig


class FirstUseConfig(AppConfig):
    """The demo network on demand, test events, and where switches connect."""

    name = "controlplane.operations.demo"
    label = "firstuse"
