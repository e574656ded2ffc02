"""App of the dashboard."""

from django.apps import AppConfig


class DashboardConfig(AppConfig):
    """App with one page. The browser does the rest over REST and the live stream."""

    name = "controlplane.web.dashboard"
    label = "dashboard"
