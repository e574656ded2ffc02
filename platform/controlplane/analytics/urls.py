"""Routes of the page."""

from django.urls import path
from django.views.decorators.cache import never_cache

from controlplane.analytics.pages import AnalyticsPage

urlpatterns = [path("", never_cache(AnalyticsPage.as_view()), name="analytics-page")]
