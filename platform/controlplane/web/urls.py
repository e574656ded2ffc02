"""Routes below `/api/`."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from rest_framework.routers import SimpleRouter

from controlplane.web.accounts import authentication_schema  # noqa: F401 - registers itself
from controlplane.web.accounts.trail_views import ActionViewSet
from controlplane.web.accounts.views import OwnPasswordView, TokenViewSet, UserViewSet
from controlplane.web.aggregation.views import (
    AggregatedViewSet,
    AggregationRunViewSet,
    BudgetCurveView,
    PolicyViewSet,
    StandsForViewSet,
    WhatIfView,
)
from controlplane.web.analytics.chart_views import (
    DelayView,
    DimensionSelectionView,
    FalsePositivesView,
    PublisherLoadView,
    RedundantCopiesView,
    RequestLatencyView,
    TableSizeView,
)
from controlplane.web.analytics.proposal_views import ProposalViewSet
from controlplane.web.analytics.views import AnalyticsRunViewSet, ScheduleViewSet
from controlplane.web.audits.views import AuditViewSet, CheckViewSet, DriftViewSet
from controlplane.web.demo.views import ConnectView, DemoView, LauncherView, TestEventViewSet
from controlplane.web.experiments.views import ExperimentListView, ExperimentView
from controlplane.web.explain.event_space_views import SpaceView
from controlplane.web.explain.impact_views import OF, view_of
from controlplane.web.explain.preview_views import PreviewView
from controlplane.web.explain.views import EntryOriginView, ExplainView
from controlplane.web.monitoring.alarm_views import AlarmViewSet, StandingAlarmsView
from controlplane.web.monitoring.health_views import HealthView
from controlplane.web.network.budget_views import BudgetsViewSet
from controlplane.web.network.found_views import FoundLinkViewSet
from controlplane.web.network.import_views import TopologyImportViewSet
from controlplane.web.network.map_views import LayoutView, TopologyView
from controlplane.web.network.table_views import (
    EntryCountersView,
    TableEntriesViewSet,
    TableViewSet,
    TreeViewSet,
)
from controlplane.web.network.views import HostViewSet, LinkViewSet, SwitchViewSet
from controlplane.web.registry.lease_views import LeaseViewSet, MoveViewSet
from controlplane.web.registry.source_views import SealKeyView, SourceViewSet
from controlplane.web.registry.topic_views import TopicViewSet
from controlplane.web.registry.views import (
    AdvertisementViewSet,
    PublisherViewSet,
    SubscriberViewSet,
    SubscriptionViewSet,
)
from controlplane.web.requests.views import (
    OperationResultsViewSet,
    OperationViewSet,
    RefusedItemsViewSet,
    RequestViewSet,
)
from controlplane.web.signalling.views import KeyViewSet, RefusalViewSet, SignallingViewSet
from controlplane.web.system_views import DocsView, MeView, NothingHereView, SchemaView
from controlplane.web.telemetry.traffic_views import (
    SampleEventsViewSet,
    SampleViewSet,
    TrafficTotalsView,
    TrafficViewSet,
)
from controlplane.web.telemetry.views import TelemetryViewSet

router = SimpleRouter()
for prefix, viewset in {
    "topics": TopicViewSet,
    "publishers": PublisherViewSet,
    "subscribers": SubscriberViewSet,
    "advertisements": AdvertisementViewSet,
    "subscriptions": SubscriptionViewSet,
    "switches": SwitchViewSet,
    "links": LinkViewSet,
    "found-links": FoundLinkViewSet,
    "hosts": HostViewSet,
    "tables": TableViewSet,
    "trees": TreeViewSet,
    "requests": RequestViewSet,
    "operations": OperationViewSet,
    "traffic": TrafficViewSet,
    "audits": AuditViewSet,
    "moves": MoveViewSet,
    "test-events": TestEventViewSet,
    "tokens": TokenViewSet,
    "users": UserViewSet,
    "alarms": AlarmViewSet,
}.items():
    router.register(prefix, viewset, basename=prefix)

CHARTS = (
    TableSizeView,
    DelayView,
    FalsePositivesView,
    PublisherLoadView,
    RequestLatencyView,
    RedundantCopiesView,
    DimensionSelectionView,
)
"""Views of charts. The address of each is the name of its job."""

v1: list[URLPattern | URLResolver] = [
    path("health/", HealthView.as_view(), name="health"),
    path("explain/", ExplainView.as_view(), name="explain"),
    path("alarms/standing/", StandingAlarmsView.as_view(), name="alarms-standing"),
    path("me/", MeView.as_view(), name="me"),
    path("topology/", TopologyView.as_view(), name="topology"),
    path("topology/layout/", LayoutView.as_view(), name="topology-layout"),
    path("me/password/", OwnPasswordView.as_view(), name="own-password"),
    path("topology/import/", TopologyImportViewSet.as_view({"post": "create"}), name="topology-import"),
    path("traffic/totals/", TrafficTotalsView.as_view(), name="traffic-totals"),
    path(
        "aggregation/",
        PolicyViewSet.as_view({"get": "list", "patch": "partial_update"}),
        name="aggregation",
    ),
    path(
        "aggregation/runs/",
        AggregationRunViewSet.as_view({"get": "list", "post": "create"}),
        name="runs",
    ),
    path("aggregation/runs/<str:pk>/", AggregationRunViewSet.as_view({"get": "retrieve"}), name="run"),
    path(
        "aggregation/runs/<str:pk>/revert/",
        AggregationRunViewSet.as_view({"post": "revert"}),
        name="run-revert",
    ),
    path(
        "analytics/runs/",
        AnalyticsRunViewSet.as_view({"get": "list", "post": "create"}),
        name="analytics-runs",
    ),
    path("analytics/runs/<str:pk>/", AnalyticsRunViewSet.as_view({"get": "retrieve"}), name="analytics-run"),
    path(
        "analytics/runs/<str:pk>/cancel/",
        AnalyticsRunViewSet.as_view({"post": "cancel"}),
        name="analytics-run-cancel",
    ),
    path(
        "analytics/runs/<str:pk>/log/", AnalyticsRunViewSet.as_view({"get": "log"}), name="analytics-run-log"
    ),
    path("analytics/schedules/", ScheduleViewSet.as_view({"get": "list"}), name="analytics-schedules"),
    path(
        "analytics/schedules/<str:pk>/",
        ScheduleViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="analytics-schedule",
    ),
    path(
        "analytics/proposals/",
        ProposalViewSet.as_view({"get": "list", "post": "create"}),
        name="proposals",
    ),
    path("analytics/proposals/<str:pk>/", ProposalViewSet.as_view({"get": "retrieve"}), name="proposal"),
    path(
        "analytics/proposals/<str:pk>/apply/",
        ProposalViewSet.as_view({"post": "apply"}),
        name="proposal-apply",
    ),
    path(
        "analytics/proposals/<str:pk>/revert/",
        ProposalViewSet.as_view({"post": "revert"}),
        name="proposal-revert",
    ),
    *(
        path(f"analytics/{view.job.path}/", view.as_view(), name=f"analytics-{view.job.path}")
        for view in CHARTS
    ),
    path(
        "switches/<str:pk>/aggregated/",
        AggregatedViewSet.as_view({"get": "list"}),
        name="aggregated",
    ),
    path(
        "switches/<str:pk>/aggregated/<str:entry>/subscriptions/",
        StandsForViewSet.as_view({"get": "list"}),
        name="aggregated-subscriptions",
    ),
    *(
        path(
            f"found-links/<str:pk>/{action}/",
            FoundLinkViewSet.as_view({"post": action}),
            name=f"found-links-{action}",
        )
        for action in ("approve", "reject")
    ),
    path("switches/budgets/", BudgetsViewSet.as_view({"post": "create"}), name="switches-budgets"),
    path("switches/<str:pk>/budget-curve/", BudgetCurveView.as_view(), name="budget-curve"),
    path(
        "hosts/<str:pk>/key/",
        KeyViewSet.as_view({"post": "create", "delete": "destroy"}),
        name="host-key",
    ),
    path(
        "signalling/",
        SignallingViewSet.as_view({"get": "list", "patch": "partial_update"}),
        name="signalling",
    ),
    path("signalling/refusals/", RefusalViewSet.as_view({"get": "list"}), name="signalling-refusals"),
    path(
        "advertisements/<str:pk>/lease/",
        LeaseViewSet.as_view({"post": "create", "delete": "destroy"}),
        name="lease",
    ),
    path("topics/<str:pk>/space/", SpaceView.as_view(), name="topic-space"),
    path("topics/<str:pk>/keys/", SealKeyView.as_view(), name="topic-keys"),
    path("topics/<str:pk>/sources/", SourceViewSet.as_view({"get": "list"}), name="topic-sources"),
    *(path(f"{name}/<str:pk>/affected/", view_of(name).as_view(), name=f"{name}-affected") for name in OF),
    path("connect/", ConnectView.as_view(), name="connect"),
    path("demo/", DemoView.as_view(), name="demo"),
    path("demo/launcher/", LauncherView.as_view(), name="demo-launcher"),
    path("filters/preview/", PreviewView.as_view(), name="filters-preview"),
    path("what-if/", WhatIfView.as_view(), name="what-if"),
    path(
        "traffic/samples/",
        SampleViewSet.as_view({"get": "list", "post": "create"}),
        name="traffic-samples",
    ),
    path(
        "traffic/samples/events/",
        SampleEventsViewSet.as_view({"get": "list"}),
        name="traffic-samples-events",
    ),
    path("telemetry/", TelemetryViewSet.as_view({"get": "list", "post": "create"}), name="telemetry"),
    path("experiments/", ExperimentListView.as_view(), name="experiments"),
    path("experiments/<str:pk>/", ExperimentView.as_view(), name="experiment"),
    path("audit/actions/", ActionViewSet.as_view({"get": "list"}), name="actions"),
    path("audit/actions/<str:pk>/", ActionViewSet.as_view({"get": "retrieve"}), name="action"),
    path("audits/<str:pk>/checks/", CheckViewSet.as_view({"get": "list"}), name="audits-checks"),
    path("audits/<str:pk>/drift/", DriftViewSet.as_view({"get": "list"}), name="audits-drift"),
    path("tables/<str:pk>/counters/", EntryCountersView.as_view(), name="tables-counters"),
    path(
        "tables/<str:pk>/entries/<str:entry>/origin/", EntryOriginView.as_view(), name="tables-entry-origin"
    ),
    path("tables/<str:pk>/entries/", TableEntriesViewSet.as_view({"get": "list"}), name="tables-entries"),
    path(
        "operations/<str:pk>/results/",
        OperationResultsViewSet.as_view({"get": "list"}),
        name="operations-results",
    ),
    path(
        "operations/<str:pk>/refused/",
        RefusedItemsViewSet.as_view({"get": "list"}),
        name="operations-refused",
    ),
    *router.urls,
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("v1/", include(v1)),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(url_name="schema"), name="docs"),
    re_path(r"", NothingHereView.as_view()),
]
