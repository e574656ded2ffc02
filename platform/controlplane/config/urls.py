"""Routes of the control plane."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from controlplane.observe.views import MetricsView

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/", include("controlplane.api.urls")),
    path("metrics", MetricsView.as_view(), name="metrics"),
    path("admin/", admin.site.urls),
    path("", include("controlplane.live.urls")),
    path("", include("controlplane.dashboard.urls")),
]

handler400 = "controlplane.api.handler.bad_request"
handler403 = "controlplane.api.handler.permission_denied"
handler404 = "controlplane.api.handler.page_not_found"
handler500 = "controlplane.api.handler.server_error"
