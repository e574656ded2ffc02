"""Routes of the control plane."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from controlplane.web.monitoring.views import MetricsView

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("controlplane.web.urls")),
    path("metrics", MetricsView.as_view(), name="metrics"),
    path("admin/", admin.site.urls),
    path("", include("controlplane.live.urls")),
    path("", include("controlplane.web.dashboard.urls")),
]

handler400 = "controlplane.rest.exception_handler.bad_request"
handler403 = "controlplane.rest.exception_handler.permission_denied"
handler404 = "controlplane.rest.exception_handler.page_not_found"
handler500 = "controlplane.rest.exception_handler.server_error"
