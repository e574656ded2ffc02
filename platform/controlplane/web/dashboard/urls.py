"""Addresses of the dashboard's pages."""

from django.urls import path, re_path

from controlplane.web.dashboard.views import DashboardPage

PAGES = (
    "network",
    "topics",
    "participants",
    "requests",
    "budgets",
    "analytics",
    "explain",
    "health",
    "account",
    "welcome",
)
"""First parts of the addresses, as `frontend/src/app/routes.tsx` has them."""

page = DashboardPage.as_view()

urlpatterns = [
    path("", page, name="page"),
    re_path(rf"^(?:{'|'.join(PAGES)})(?:/.*)?$", page, name="dashboard"),
]
