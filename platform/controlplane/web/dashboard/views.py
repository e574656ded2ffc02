"""View of the page that starts the dashboard."""

from typing import Any

from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.generic import TemplateView

from controlplane.web.dashboard import vite_manifest


@method_decorator([never_cache, ensure_csrf_cookie], name="dispatch")
class DashboardPage(LoginRequiredMixin, TemplateView):
    """Document for every address of the dashboard. Its script shows the page for the address."""

    template_name = "dashboard/page.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the document, or 503 with the remedy if the dashboard is not built."""
        try:
            context = self.get_context_data(build=vite_manifest.current())
        except vite_manifest.NotBuilt as error:
            return HttpResponse(f"{error}\n", status=503, content_type="text/plain; charset=utf-8")
        return self.render_to_response(context)
