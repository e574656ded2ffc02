"""The page of analytics."""

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView


class AnalyticsPage(LoginRequiredMixin, TemplateView):
    """Two charts and the newest runs; the page reads them over REST."""

    template_name = "analytics/page.html"
