"""Control messages of hosts: from the data network into the same registry and log as the API's calls."""

from django.apps import AppConfig


class SignallingConfig(AppConfig):
    """What hosts ask for in band."""

    name = "controlplane.signalling"
    label = "signalling"
