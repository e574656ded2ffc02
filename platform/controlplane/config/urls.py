"""Routes of the control plane."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include("controlplane.live.urls")),
]
