"""Metrics of the control plane for Prometheus (`/metrics`), all read from the database."""

from collections.abc import Iterator
from itertools import accumulate

from django.db.models import Count, Max, Min, Sum
from django.utils import timezone
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from controlplane.deployment.audits.models import Audit, Check
from controlplane.network.models import InstalledEntry, Switch
from controlplane.operations import heartbeats, missing_paths, stage_histograms
from controlplane.registry.transitions.models import UNFINISHED, Move, Stage
from controlplane.requestlog.models import OPEN_STATES, Request, SwitchSync
from controlplane.telemetry.models import TrafficReport

Families = Iterator[Metric]


def text() -> bytes:
    """Return all metrics in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Database())
    return generate_latest(registry)


class _Database:
    """A collector that reads the database at each scrape."""

    def describe(self) -> list[Metric]:
        """Describe nothing, so that registration reads nothing."""
        return []

    def collect(self) -> Families:
        """Yield all metric families."""
        for part in (requests, moves, switches, paths, audits, events, processes):
            yield from part()


def requests() -> Families:
    """Yield requests by state and stage."""
    open_now = dict.fromkeys((state.value for state in OPEN_STATES), 0)
    rows = Request.objects.filter(state__in=OPEN_STATES)
    open_now |= dict(rows.values_list("state").annotate(number=Count("id")).order_by())
    family = _gauge("requests_open", "Requests that have not reached a final state.", "state")
    for state, number in open_now.items():
        family.add_metric([state], number)
    yield family
    oldest = rows.aggregate(first=Min("received_at"))["first"]
    age = 0.0 if oldest is None else (timezone.now() - oldest).total_seconds()
    yield _gauge("requests_oldest_seconds", "Age of the oldest open request.", value=age)
    found = stage_histograms.totals()
    ended = _counter("requests_ended", "Requests that have reached a final state.", "kind", "state")
    for (kind, state), number in sorted(found.ended.items()):
        ended.add_metric([kind, state], number)
    yield ended
    name, description = "tercast_request_stage_seconds", "Time of requests in each stage."
    histogram = HistogramMetricFamily(name, description, labels=["stage"])
    for stage, counts in found.counts.items():
        bounds = [*map(str, stage_histograms.BUCKETS), "+Inf"]
        histogram.add_metric([stage], list(zip(bounds, accumulate(counts), strict=True)), found.sums[stage])
    yield histogram


def moves() -> Families:
    """Yield topics that move to another encoding, by stage, and completed changes."""
    rows = Move.objects.filter(stage__in=UNFINISHED).values_list("stage")
    found = dict(rows.annotate(number=Count("id")).order_by())
    family = _gauge("moves_open", "Topics that are migrating to their other code.", "stage")
    for stage in Stage:
        if stage != Stage.DONE:
            family.add_metric([stage.value], found.get(stage.value, 0))
    yield family
    ended = _counter(
        "moves_ended",
        "Completed changes of encodings; in_place: without a transition, so events may be lost.",
        "way",
    )
    over = Move.objects.filter(stage=Stage.DONE).values_list("in_place")
    done = dict(over.annotate(number=Count("id")).order_by())
    for in_place, way in ((False, "moved"), (True, "in_place")):
        ended.add_metric([way], done.get(in_place, 0))
    yield ended


def switches() -> Families:
    """Yield entries, budgets, connections and unconfirmed changes of switches."""
    entries = _gauge("switch_entries", "Content entries that the switch has confirmed.", "switch")
    exact = _gauge("switch_exact_entries", "Entries of the switch without aggregation.", "switch")
    budgets = _gauge("switch_budget", "Largest number of content entries; absent: unlimited.", "switch")
    connected = _gauge("switch_connected", "1 while the switch is connected.", "switch")
    held = dict(InstalledEntry.objects.values_list("switch").annotate(number=Count("id")).order_by())
    for switch in Switch.objects.order_by("name"):
        entries.add_metric([switch.name], held.get(switch.pk, 0))
        exact.add_metric([switch.name], switch.exact_entries)
        connected.add_metric([switch.name], int(switch.connected))
        if switch.tcam_budget is not None:
            budgets.add_metric([switch.name], switch.tcam_budget)
    owing = SwitchSync.objects.filter(dirty=True).count()
    yield from (entries, exact, budgets, connected)
    yield _gauge("switches_owing", "Switches that have not confirmed the complete plan.", value=owing)


def paths() -> Families:
    """Yield announcements without a path to some or all matching announcements."""
    text = "Announcements without a path to some (partial) or all (none) matching announcements."
    family = _gauge("announcements_out_of_reach", text, "kind", "reach")
    for (kind, found), number in missing_paths.counts().items():
        family.add_metric([kind, found], number)
    yield family


def audits() -> Families:
    """Yield the results of the last audit of each switch."""
    drift = _gauge("audit_drift", "Entries that differed at the last audit of a switch.", "switch", "kind")
    state = _gauge("audit_state", "1 for the state that the last audit found.", "switch", "state")
    at = _gauge("audit_timestamp_seconds", "Time of the last audit.", "switch")
    checks = Check.objects.filter(checked_at__isnull=False)
    last = checks.values("switch").annotate(last=Max("id")).values_list("last", flat=True).order_by()
    for check in Check.objects.filter(pk__in=list(last)).order_by("switch"):
        for kind in ("missing", "strange", "different"):
            drift.add_metric([check.switch, kind], getattr(check, kind))
        state.add_metric([check.switch, check.state], 1)
        if check.checked_at is not None:
            at.add_metric([check.switch], check.checked_at.timestamp())
    yield from (drift, state, at)
    family = _gauge("audits", "Stored audits by state.", "state")
    for name, number in Audit.objects.values_list("state").annotate(number=Count("id")).order_by("state"):
        family.add_metric([name], number)
    yield family


def events() -> Families:
    """Yield event counts and delays as hosts report them."""
    fields = ("published", "wanted", "delivered", "lost", "doubled", "unwanted")
    sums = TrafficReport.objects.aggregate(**{name: Sum(name) for name in fields})
    family = _gauge("events", "Events, summed over the latest report of each reporter.", "what")
    for name in fields:
        family.add_metric([name], sums[name] or 0)
    yield family
    delays = _gauge("event_delay_seconds", "Delays of events as reported.", "reporter", "kind", "quantile")
    for report in TrafficReport.objects.order_by("reporter", "kind"):
        for quantile, value in (("0.5", report.delay_p50_ms), ("0.99", report.delay_p99_ms)):
            if value is not None:
                delays.add_metric([report.reporter, report.kind, quantile], value / 1000)
    yield delays


def processes() -> Families:
    """Yield the age of each process' last heartbeat."""
    family = _gauge("process_seen_seconds", "Seconds since the last heartbeat; absent: never.", "process")
    for name in heartbeats.NAMES:
        age = heartbeats.age(name)
        if age is not None:
            family.add_metric([name], age.total_seconds())
    yield family


def _gauge(name: str, description: str, *labels: str, value: float | None = None) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"tercast_{name}", description, value=value, labels=labels or None)


def _counter(name: str, description: str, *labels: str) -> CounterMetricFamily:
    return CounterMetricFamily(f"tercast_{name}", description, labels=labels)
