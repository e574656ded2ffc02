"""Every route of the API: for tests that hold of all of them."""

from controlplane.api.urls import CHARTS, router

POSTS = (
    "topics",
    "publishers",
    "subscribers",
    "advertisements",
    "subscriptions",
    "switches",
    "links",
    "hosts",
    "traffic",
    "audits",
    "analytics/runs",
)
FILES = ("topology/import",)
"""POSTs whose body is a file."""

ALONE = {
    "aggregation": ("GET", "PATCH"),
    "aggregation/runs": ("GET", "POST"),
    "traffic/samples": ("GET", "POST"),
    "telemetry": ("GET", "POST"),
    "signalling": ("GET", "PATCH"),
    "signalling/refusals": ("GET",),
}
"""Addresses below which there is no object with an id of its own, or that stand beside the router."""

BULK = ("publishers", "subscribers", "advertisements", "subscriptions", "switches", "links", "hosts")
PATCHES = ("topics", "switches", "links", "hosts", "analytics/schedules")
DELETES = (
    "topics",
    "publishers",
    "subscribers",
    "advertisements",
    "subscriptions",
    "switches",
    "links",
    "hosts",
)
LISTS = tuple(prefix for prefix, _, _ in router.registry)
NESTED = (
    "aggregation/runs/",
    "analytics/runs/",
    "analytics/runs/1/",
    "analytics/runs/1/log/",
    "analytics/schedules/",
    "analytics/schedules/1/",
    "analytics/proposals/",
    "analytics/proposals/1/",
    "signalling/refusals/",
    "tables/1/entries/",
    "operations/1/results/",
    "audits/1/checks/",
    "audits/1/drift/",
    "switches/1/aggregated/",
    "switches/1/aggregated/1/subscriptions/",
    "switches/1/budget-curve/",
    "topics/1/space/",
)
CHART_PATHS = tuple(f"analytics/{view.job.path}/" for view in CHARTS)
SINGLES = (
    "me/",
    "topology/",
    "traffic/totals/",
    "aggregation/",
    "traffic/samples/",
    "telemetry/",
    "signalling/",
    *CHART_PATHS,
)
