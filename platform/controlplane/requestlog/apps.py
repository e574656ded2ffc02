"""App of the request log and the outbox of the live stream."""

from django.apps import AppConfig


class RequestLogConfig(AppConfig):
    """App of the request log and the outbox of the live stream."""

    name = "controlplane.requestlog"
    label = "control"
