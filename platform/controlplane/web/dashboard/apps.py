"""The dashboard."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """One page; the browser does the rest over REST and the live stream."""

    name = "controlplane.web.dashboard"
    label = "dashboard"
