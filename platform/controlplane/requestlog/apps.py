"""The request log, the planner session, and what leaves for the live stream."""

from django.apps import AppConfig


class ControlConfig(AppConfig):
    """From a logged request to confirmed tables."""

    name = "controlplane.requestlog"
    label = "control"
