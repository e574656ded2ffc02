"""Prometheus metrics of the controller: counters since its start, and gauges.

Counters start at 0 with the process, as Prometheus expects. Labels are datapath ids and names of a fixed set.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Sequence
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from controller_app.errors import SwitchError

METRICS_TYPE = CONTENT_TYPE_PLAIN_0_0_4

MOST_SWITCHES = 10_000
"""Datapath ids that have their own labels. This is a limit, because a peer may claim many ids."""

OTHER = "other"

MOST_WORDS = 200
"""Kinds of errors that have their own labels. This is a limit, because switches choose the kinds."""

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class SwitchOutcome(NamedTuple):
    """Outcome of a change at a switch, with its numbers of additions and removals."""

    dpid: int
    adds: int
    removes: int
    state: str
    removed: bool
    refused: Sequence[SwitchError]


class Metrics:
    """Counters of events; `text` renders them together with registered collectors."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._connections = self._counter("switch_connections", "Accepted connections of switches", "dpid")
        self._losses = self._counter("switch_disconnects", "Accepted connections that ended", "dpid")
        text = "Accepted connections of a switch after its first one"
        self._reconnects = self._counter("switch_reconnects", text, "dpid")
        self._errors = self._counter("openflow_errors", "Errors from switches", "dpid", "type", "code")
        self._flow_mods = self._counter(
            "flow_mods",
            "Entries of changes, by kind of request and outcome",
            "dpid",
            "kind",
            "state",
        )
        self._refused = self._counter("refused_entries", "Entries that switches refused", "dpid", "code")
        self._changes = self._counter("changes", "Changes, by the worst outcome at a switch", "state")
        self._seconds = Histogram(
            "tercast_controller_change_seconds",
            "Seconds from the start of a change to the reply to its last barrier",
            registry=self._registry,
            buckets=SECONDS,
        )
        self._known: set[str] = set()
        self._words: set[tuple[str, str]] = set()

    def register(self, collector: Collector) -> None:
        """Add the metrics of a collector."""
        self._registry.register(collector)

    def connected(self, dpid: str) -> None:
        """Count a switch that was accepted."""
        dpid = self._label(dpid)
        self._connections.labels(dpid).inc()
        if dpid in self._known:
            self._reconnects.labels(dpid).inc()
        if dpid != OTHER:
            self._known.add(dpid)

    def gone(self, dpid: str) -> None:
        """Count a switch in service that disconnected."""
        self._losses.labels(self._label(dpid)).inc()

    def failed(self, dpid: str, failure: SwitchError) -> None:
        """Count a message that a switch refused."""
        words = failure.type, failure.code
        if len(self._words) < MOST_WORDS:
            self._words.add(words)
        label = self._label(dpid)
        self._errors.labels(label, *(words if words in self._words else (OTHER, OTHER))).inc()

    def record_change(self, outcomes: Sequence[SwitchOutcome], seconds: float) -> None:
        """Count a change that was attempted, with its outcome at each switch."""
        states = [outcome.state for outcome in outcomes]
        worst = next((state for state in ("unreachable", "failed") if state in states), "confirmed")
        self._changes.labels(worst).inc()
        self._seconds.observe(seconds)
        for one in outcomes:
            dpid = f"{one.dpid:016x}"
            undone = "held_back" if one.state == "confirmed" and not one.removed else one.state
            for kind, number, state in (("add", one.adds, one.state), ("remove", one.removes, undone)):
                if number:
                    self._flow_mods.labels(dpid, kind, state).inc(number)
            for code, number in Tally(failure.code for failure in one.refused).items():
                self._refused.labels(dpid, code).inc(number)

    def text(self) -> str:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self._registry).decode()

    def _label(self, dpid: str) -> str:
        """Return the datapath id, or `other` if there are too many."""
        return dpid if dpid in self._known or len(self._known) < MOST_SWITCHES else OTHER

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(f"tercast_controller_{name}", text, labels, registry=self._registry)
