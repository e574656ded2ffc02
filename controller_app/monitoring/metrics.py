"""What Prometheus may know of the controller: counts since its start, and gauges as they are at the moment.

Counters begin anew with the process, as Prometheus expects. Labels are datapath ids and names of a fixed set.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric

from controller_app.errors import Failure
from controller_app.openflow.control_packets import Dropped
from controller_app.openflow.lldp import Fault

if TYPE_CHECKING:
    from controller_app.controller import Controller
    from controller_app.programming.change_request import Change
    from controller_app.programming.staged_execution import SwitchResult

METRICS_TYPE = CONTENT_TYPE_PLAIN_0_0_4

MOST_SWITCHES = 10_000
"""Datapath ids that are counted apart: any peer may claim one after the other."""

OTHER = "other"

MOST_WORDS = 200
"""Kinds of errors that are told apart: what a switch sends is not for it to grow without end."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Metrics:
    """Counts what happens; `text` renders it with what `watch` looks at."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._connections = self._counter("switch_connections", "Connections taken into service.", "dpid")
        self._losses = self._counter("switch_disconnects", "Connections in service that ended.", "dpid")
        self._reconnects = self._counter("switch_reconnects", "Connections after the first one.", "dpid")
        self._errors = self._counter("openflow_errors", "Errors from switches.", "dpid", "type", "code")
        self._flow_mods = self._counter(
            "flow_mods",
            "Entries of changes by what was asked and what became of it.",
            "dpid",
            "kind",
            "state",
        )
        self._refused = self._counter("refused_entries", "Entries that switches refused.", "dpid", "code")
        self._changes = self._counter("changes", "Changes by the worst state of a switch.", "state")
        self._seconds = Histogram(
            "tercast_controller_change_seconds",
            "From the start of a change to the last barrier's reply.",
            registry=self._registry,
            buckets=SECONDS,
        )
        self._known: set[str] = set()
        self._words: set[tuple[str, str]] = set()

    def watch(self, controller: Controller) -> None:
        """Gauges of a controller's parts."""
        self._registry.register(_State(controller))

    def connected(self, dpid: str) -> None:
        """A switch is in service."""
        dpid = self._label(dpid)
        self._connections.labels(dpid).inc()
        if dpid in self._known:
            self._reconnects.labels(dpid).inc()
        if dpid != OTHER:
            self._known.add(dpid)

    def gone(self, dpid: str) -> None:
        """A switch that was in service is gone."""
        self._losses.labels(self._label(dpid)).inc()

    def failed(self, dpid: str, failure: Failure) -> None:
        """A switch refused a message."""
        words = failure.type, failure.code
        if len(self._words) < MOST_WORDS:
            self._words.add(words)
        label = self._label(dpid)
        self._errors.labels(label, *(words if words in self._words else (OTHER, OTHER))).inc()

    def changed(self, change: Change, results: Sequence[SwitchResult], seconds: float) -> None:
        """A change was carried out, or tried."""
        states = [result.state for result in results]
        worst = next((state for state in ("unreachable", "failed") if state in states), "confirmed")
        self._changes.labels(worst).inc()
        self._seconds.observe(seconds)
        for part, result in zip(change.switches, results, strict=True):
            dpid = f"{part.dpid:016x}"
            undone = "held_back" if result.state == "confirmed" and not result.removed else result.state
            for kind, number, state in (("add", part.adds, result.state), ("remove", part.removes, undone)):
                if number:
                    self._flow_mods.labels(dpid, kind, state).inc(number)
            for code, number in Tally(failure.code for _, failure in result.errors or ()).items():
                self._refused.labels(dpid, code).inc(number)

    def text(self) -> str:
        """All of it in Prometheus' text format."""
        return generate_latest(self._registry).decode()

    def _label(self, dpid: str) -> str:
        """Return the datapath id, or `other` once there are too many."""
        return dpid if dpid in self._known or len(self._known) < MOST_SWITCHES else OTHER

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"tercast_controller_{name}", text, labels, registry=self._registry)


class _State:
    """What the parts of a controller are like at the moment."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    def collect(self) -> Iterator[Metric]:
        """The gauges; and the switches' own counters of ports."""
        controller = self._controller
        yield _gauge("switches", "Switches in service.", sum(1 for _ in controller.registry))
        yield _gauge("changes_waiting", "Changes under way or waiting.", controller.programmer.waiting)
        yield self._links()
        yield self._alarms()
        yield self._probes()
        yield from self._signals()
        yield from self._counters()

    def _links(self) -> Metric:
        family = _family("links", "Links found.", "state")
        tally = Tally(
            "silent" if row["silent"] else "heard" for row in self._controller.discovery.links_json()
        )
        for state in ("heard", "silent"):
            family.add_metric([state], tally[state])
        return family

    def _alarms(self) -> Metric:
        family = _family("alarms", "Alarms that stand.", "alarm")
        for name, number in sorted(Tally(one.name for one in self._controller.alarms.standing()).items()):
            family.add_metric([name], number)
        return family

    def _probes(self) -> Metric:
        refused = CounterMetricFamily(
            "tercast_controller_probes_refused",
            "Discovery frames that count for nothing.",
            labels=["reason"],
        )
        for fault in Fault:
            refused.add_metric([fault.value], self._controller.discovery.faults[fault])
        return refused

    def _signals(self) -> Iterator[Metric]:
        signals = self._controller.signalling.signals
        yield CounterMetricFamily(
            "tercast_controller_signals", "Control messages of hosts taken in.", value=signals.taken
        )
        dropped = CounterMetricFamily(
            "tercast_controller_signals_dropped", "Control messages dropped.", labels=["reason"]
        )
        for reason in Dropped:
            dropped.add_metric([reason.value], signals.dropped[reason])
        yield dropped

    def _counters(self) -> Iterator[Metric]:
        told = self._controller.counters.to_json()
        entries = _family("table_entries", "Own content entries, read last.", "dpid")
        foreign = _family("foreign_entries", "Entries of others, read last.", "dpid")
        for row in told["tables"]:  # type: ignore[attr-defined]
            entries.add_metric([row["dpid"]], row["entries"])
            foreign.add_metric([row["dpid"]], row["foreign"])
        yield from (entries, foreign, _dropped(told["sources"]))
        for what in ("packets", "bytes"):
            ports = CounterMetricFamily(
                f"tercast_controller_port_{what}",
                f"{what.capitalize()} by port, as the switch counts them.",
                labels=["dpid", "port", "direction"],
            )
            for row in told["ports"]:  # type: ignore[attr-defined]
                for direction, key in (("in", f"rx_{what}"), ("out", f"tx_{what}")):
                    ports.add_metric([row["dpid"], str(row["port"]), direction], row[key])
            yield ports


def _dropped(rows: Any) -> Metric:
    """What the source check dropped, as the switches count it."""
    family = CounterMetricFamily(
        "tercast_controller_source_dropped_packets",
        "Event packets of unknown sources that were dropped at a host port.",
        labels=["dpid", "port"],
    )
    for row in rows:
        family.add_metric([row["dpid"], str(row["port"])], row["dropped_packets"])
    return family


def _family(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"tercast_controller_{name}", text, labels=labels)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"tercast_controller_{name}", text, value=value)
