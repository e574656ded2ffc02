"""Metrics that are read from the parts of a controller at each scrape."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from controller_app.control_messages.handler import Signalling
from controller_app.discovery.prober import LinkProber
from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.port_counters import PortCounters
from controller_app.openflow.control_packets import Dropped
from controller_app.openflow.lldp import ProbeFault
from controller_app.programming.programmer import Programmer
from controller_app.switch.registry import SwitchRegistry


@dataclass(frozen=True, slots=True)
class StateCollector(Collector):
    """Reads the metrics from the parts of a controller at each scrape."""

    registry: SwitchRegistry
    programmer: Programmer
    discovery: LinkProber
    alarms: Alarms
    signalling: Signalling
    counters: PortCounters

    def collect(self) -> Iterator[Metric]:
        """Yield gauges of the parts, and the port counters of the switches."""
        yield _gauge("switches", "Switches in service", sum(1 for _ in self.registry))
        yield _gauge("changes_waiting", "Running and waiting changes", self.programmer.waiting)
        yield self._links()
        yield self._alarms()
        yield self._probes()
        yield from self._signals()
        yield from self._counters()

    def _links(self) -> Metric:
        family = _family("links", "Links that discovery has found, by state", "state")
        tally = Tally("silent" if row["silent"] else "heard" for row in self.discovery.links_json())
        for state in ("heard", "silent"):
            family.add_metric([state], tally[state])
        return family

    def _alarms(self) -> Metric:
        family = _family("alarms", "Active alarms", "alarm")
        for name, number in sorted(Tally(one.name for one in self.alarms.standing()).items()):
            family.add_metric([name], number)
        return family

    def _probes(self) -> Metric:
        refused = CounterMetricFamily(
            "tercast_controller_probes_refused",
            "Discovery frames that were ignored, by reason",
            labels=["reason"],
        )
        for fault in ProbeFault:
            refused.add_metric([fault.value], self.discovery.faults[fault])
        return refused

    def _signals(self) -> Iterator[Metric]:
        signals = self.signalling.signals
        yield CounterMetricFamily(
            "tercast_controller_signals", "Accepted control messages of hosts", value=signals.taken
        )
        dropped = CounterMetricFamily(
            "tercast_controller_signals_dropped", "Dropped control messages of hosts", labels=["reason"]
        )
        for reason in Dropped:
            dropped.add_metric([reason.value], signals.dropped[reason])
        yield dropped

    def _counters(self) -> Iterator[Metric]:
        counters = self.counters.to_json()
        entries = _family("table_entries", "Own content entries at the latest reading", "dpid")
        foreign = _family("foreign_entries", "Entries of other owners at the latest reading", "dpid")
        for row in counters["tables"]:  # type: ignore[attr-defined]
            entries.add_metric([row["dpid"]], row["entries"])
            foreign.add_metric([row["dpid"]], row["foreign"])
        yield from (entries, foreign, _dropped(counters["sources"]))
        for what in ("packets", "bytes"):
            ports = CounterMetricFamily(
                f"tercast_controller_port_{what}",
                f"{what.capitalize()} of ports, as counted by the switch",
                labels=["dpid", "port", "direction"],
            )
            for row in counters["ports"]:  # type: ignore[attr-defined]
                for direction, key in (("in", f"rx_{what}"), ("out", f"tx_{what}")):
                    ports.add_metric([row["dpid"], str(row["port"]), direction], row[key])
            yield ports


def _dropped(rows: Any) -> Metric:
    """Return the number of events that the source check dropped, as the switches count them."""
    family = CounterMetricFamily(
        "tercast_controller_source_dropped_packets",
        "Event packets of unknown sources that were dropped at a host port",
        labels=["dpid", "port"],
    )
    for row in rows:
        family.add_metric([row["dpid"], str(row["port"])], row["dropped_packets"])
    return family


def _family(name: str, text: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"tercast_controller_{name}", text, labels=labels)


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"tercast_controller_{name}", text, value=value)
