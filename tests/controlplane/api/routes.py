"""Every route of the API: for tests that hold of all of them."""

from controlplane.api.urls import router

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
PATCHES = ("topics", "switches", "links", "hosts")
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
    "tables/1/entries/",
    "operations/1/results/",
    "audits/1/checks/",
    "audits/1/drift/",
    "switches/1/aggregated/",
    "switches/1/aggregated/1/subscriptions/",
    "switches/1/budget-curve/",
)
SINGLES = (
    "me/",
    "traffic/totals/",
    "aggregation/",
    "traffic/samples/",
    "telemetry/",
    "signalling/",
    "signalling/refusals/",
)
