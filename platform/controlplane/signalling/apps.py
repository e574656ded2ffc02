"""Configuration of the app for control messages of hosts, in band."""

from django.apps import AppConfig


class SignallingConfig(AppConfig):
    """Control messages of hosts in band."""

    name = "controlplane.signalling"
    label = "signalling"
