"""View of `/metrics`."""

from typing import Any

from django.http import HttpResponse
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

from controlplane.operations import metrics
from controlplane.rest.base_views import StrictView


class _AnyKind(BaseContentNegotiation):
    """Negotiation that ignores `Accept`: metrics have one type, and problems are JSON."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        """Return the first parser."""
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        """Return the first renderer."""
        return renderers[0], renderers[0].media_type


class MetricsView(StrictView):
    """Counters and gauges for Prometheus, for callers with the role viewer."""

    schema = None
    content_negotiation_class = _AnyKind

    def get(self, request: Request) -> HttpResponse:
        """Return all metrics as text."""
        return HttpResponse(metrics.text(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
