"""Routes of log-in and log-out."""

from django.contrib.auth.views import LogoutView
from django.urls import path
from django.views.generic import RedirectView

from controlplane.accounts.login import LogIn

urlpatterns = [
    path("login/", LogIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("favicon.ico", RedirectView.as_view(url="/static/live/icon.svg"), name="favicon"),
]
