"""The live page."""

from django.contrib.auth.mixins import LoginRequiredMixin
from django.views.generic import TemplateView


class LivePage(LoginRequiredMixin, TemplateView):
    """Topology, counters, requests and alarms; the page reads them over REST and the live stream."""

    template_name = "live/page.html"
