"""Routes of the page and of log-in."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path
from django.views.decorators.cache import never_cache

from controlplane.live.views import LivePage

urlpatterns = [
    path("", never_cache(LivePage.as_view()), name="page"),
    path("login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
]
