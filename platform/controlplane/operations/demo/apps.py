"""Configuration of the app for the first steps with a new installation."""

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """Demo network on demand, test events, and the addresses for switches."""

    name = "controlplane.operations.demo"
    label = "firstuse"
