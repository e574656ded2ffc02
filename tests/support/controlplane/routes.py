"""Every route of the API, for tests that apply to all routes."""

from controlplane.web.explain.impact_views import OF as AFFECTED
from controlplane.web.urls import CHARTS, router

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
    "tokens",
)
FILES = ("topology/import",)
"""POSTs whose body is a file."""

ALONE = {
    "aggregation": ("GET", "PATCH"),
    "aggregation/runs": ("GET", "POST"),
    "traffic/samples": ("GET", "POST"),
    "switches/budgets": ("POST",),
    "telemetry": ("GET", "POST"),
    "signalling": ("GET", "PATCH"),
    "signalling/refusals": ("GET",),
}
"""Addresses without objects with ids below them, or outside of the router."""

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
LISTS = tuple(prefix for prefix, _, _ in router.registry if prefix != "users")
"""Lists that every viewer may read."""
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
    "tables/1/counters/",
    "tables/1/entries/1/origin/",
    "operations/1/results/",
    "audits/1/checks/",
    "audits/1/drift/",
    "switches/1/aggregated/",
    "switches/1/aggregated/1/subscriptions/",
    "switches/1/budget-curve/",
    "traffic/samples/events/",
    "topics/1/space/",
    "topics/1/sources/",
    *(f"{resource}/1/affected/" for resource in AFFECTED),
)
CHART_PATHS = tuple(f"analytics/{view.job.path}/" for view in CHARTS)
SINGLES = (
    "me/",
    "alarms/standing/",
    "topology/",
    "demo/",
    "connect/",
    "traffic/totals/",
    "aggregation/",
    "traffic/samples/",
    "telemetry/",
    "signalling/",
    *CHART_PATHS,
)

_READ, _ASK, _SELF, _WRITE, _ADMIN = "read", "ask", "self", "write", "admin"
_R, _RW = {"GET": _READ}, {"GET": _READ, "POST": _WRITE}
_CHANGED = {"GET": _READ, "PATCH": _WRITE}
_ONE, _KEPT = {"GET": _READ, "PATCH": _WRITE, "DELETE": _WRITE}, {"GET": _READ, "DELETE": _WRITE}

NEEDS = {
    "health/": {"GET": "open"},
    "experiments/": _R,
    "experiments/{id}/": _R,
    "explain/": _R,
    "me/": _R,
    "me/password/": {"POST": _SELF},
    "topology/": _R,
    "topology/layout/": {"POST": _WRITE},
    "topology/import/": {"POST": _WRITE},
    "traffic/totals/": _R,
    "aggregation/": _CHANGED,
    "aggregation/runs/": _RW,
    "aggregation/runs/{id}/": _R,
    "aggregation/runs/{id}/revert/": {"POST": _WRITE},
    "analytics/runs/": _RW,
    "analytics/runs/{id}/": _R,
    "analytics/runs/{id}/cancel/": {"POST": _WRITE},
    "analytics/runs/{id}/log/": _R,
    "analytics/schedules/": _R,
    "analytics/schedules/{id}/": _CHANGED,
    "analytics/proposals/": _RW,
    "analytics/proposals/{id}/": _R,
    "analytics/proposals/{id}/apply/": {"POST": _WRITE},
    "analytics/proposals/{id}/revert/": {"POST": _WRITE},
    "analytics/flow-table-size/": _R,
    "analytics/delay/": _R,
    "analytics/false-positives/": _R,
    "analytics/publisher-load/": _R,
    "analytics/request-latency/": _R,
    "analytics/needless-copies/": _R,
    "analytics/dimension-selection/": _R,
    "switches/{id}/aggregated/": _R,
    "switches/{id}/aggregated/{entry}/subscriptions/": _R,
    "switches/{id}/budget-curve/": _R,
    "switches/budgets/": {"POST": _WRITE},
    "traffic/samples/events/": _R,
    "found-links/": _R,
    "found-links/{id}/": _R,
    "found-links/{id}/approve/": {"POST": _WRITE},
    "found-links/{id}/reject/": {"POST": _WRITE},
    "hosts/{id}/key/": {"POST": _WRITE, "DELETE": _WRITE},
    "signalling/": _CHANGED,
    "signalling/refusals/": _R,
    "advertisements/{id}/lease/": {"POST": _WRITE, "DELETE": _WRITE},
    "what-if/": {"POST": _ASK},
    "traffic/samples/": _RW,
    "telemetry/": _RW,
    "audit/actions/": {"GET": _ADMIN},
    "audit/actions/{id}/": {"GET": _ADMIN},
    "audits/{id}/checks/": _R,
    "audits/{id}/drift/": _R,
    "tables/{id}/entries/": _R,
    "tables/{id}/counters/": _R,
    "tables/{id}/entries/{entry}/origin/": _R,
    "operations/{id}/results/": _R,
    "operations/{id}/refused/": _R,
    "topics/{id}/space/": _R,
    "topics/{id}/sources/": _R,
    "topics/{id}/keys/": {"POST": _WRITE},
    **{f"{resource}/{{id}}/affected/": _R for resource in AFFECTED},
    "filters/preview/": {"POST": _ASK},
    **{f"{resource}/{{id}}/affected/": _R for resource in AFFECTED},
    "demo/": _RW,
    "demo/launcher/": {"POST": _WRITE},
    "connect/": _R,
    "test-events/": _RW,
    "test-events/{id}/": _R,
    "topics/": _RW,
    "topics/{id}/": _ONE,
    **dict.fromkeys(("publishers/", "subscribers/", "advertisements/", "subscriptions/"), _RW),
    **dict.fromkeys(("publishers/{id}/", "subscribers/{id}/"), _KEPT),
    **dict.fromkeys(("advertisements/{id}/", "subscriptions/{id}/"), _KEPT),
    **dict.fromkeys(("switches/", "links/", "hosts/"), _RW),
    **dict.fromkeys(("switches/{id}/", "links/{id}/", "hosts/{id}/"), _ONE),
    **dict.fromkeys(("tables/", "tables/{id}/", "trees/", "trees/{id}/"), _R),
    **dict.fromkeys(("requests/", "requests/{id}/", "operations/", "operations/{id}/"), _R),
    "traffic/": _RW,
    "traffic/{id}/": _R,
    "alarms/": _R,
    "alarms/{id}/": _R,
    "alarms/standing/": _R,
    "audits/": _RW,
    "audits/{id}/": _R,
    "moves/": _R,
    "moves/{id}/": _R,
    "tokens/": {"GET": _READ, "POST": _SELF},
    "tokens/{id}/": {"GET": _READ, "DELETE": _SELF},
    "users/": {"GET": _ADMIN, "POST": _ADMIN},
    "users/{id}/": {"GET": _ADMIN, "PATCH": _ADMIN},
}
"""What each method of each address needs: nothing for `open`; the role viewer for `read` and `ask` (scope
read) and for own objects (`self`, scope write); operator for `write`; administrator for `admin`."""

_ANNOUNCED = ("GET", "POST", "DELETE")
_BOTH = {
    "me/": ("GET",),
    "topics/": ("GET",),
    "hosts/": ("GET",),
    "requests/": ("GET",),
    "operations/": ("GET",),
    "operations/{id}/results/": ("GET",),
    "operations/{id}/refused/": ("GET",),
    "traffic/": ("POST",),
    "telemetry/": ("POST",),
}
CLIENTS = {
    "publisher": {
        **_BOTH,
        "publishers/": ("GET",),
        "advertisements/": _ANNOUNCED,
        "advertisements/{id}/lease/": ("POST", "DELETE"),
        "traffic/samples/": ("POST",),
    },
    "subscriber": {
        **_BOTH,
        "subscribers/": ("GET",),
        "subscriptions/": _ANNOUNCED,
        "topics/{id}/sources/": ("GET",),
    },
}
"""What client tokens may use, by resource: a list together with its objects."""
