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
    "experiments",
    "health",
    "account",
    "welcome",
)
"""First parts of the dashboard's addresses, as in `frontend/src/app/routes.tsx`."""

page = DashboardPage.as_view()

urlpatterns = [
    path("", page, name="page"),
    re_path(rf"^(?:{'|'.join(PAGES)})(?:/.*)?$", page, name="dashboard"),
]
