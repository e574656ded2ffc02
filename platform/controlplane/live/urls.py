"""Routes of log-in."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.generic import RedirectView

log_in = LoginView.as_view(template_name="live/login.html", redirect_authenticated_user=True)

urlpatterns = [
    path("login/", log_in, name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("favicon.ico", RedirectView.as_view(url="/static/live/icon.svg"), name="favicon"),
]
