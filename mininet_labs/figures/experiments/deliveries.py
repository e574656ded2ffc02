"""False positives and flows over the length of dz, with the planner's tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from mininet_labs.figures.experiments.algorithm1 import Algorithm1
from mininet_labs.figures.workloads.ranges import RangeTraffic, first_subscriptions
from mininet_labs.figures.workloads.synthetic import fat_tree
from tercast.dimensions.learned_space import learned_space
from tercast.dimensions.measured_cost import Measure
from tercast.dimensions.workload import Workload
from tercast.encoding.encoder import encode_dz
from tercast.encoding.limits import Limits
from tercast.eventspace import dz as dzs
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.filters.syntax_tree import tree_text
from tercast.planner.planner import Planner
from tercast.requests.kinds import ADD_TOPIC, ADVERTISE, SUBSCRIBE
from tercast.simulation.replay import Replay

Object = dict[str, Any]
LEARNED_CUTS = 256
"""Maximum number of learned cuts of an event space."""


@dataclass(frozen=True, slots=True)
class DeliveryCase:
    """Traffic, address family, maximum number of dz of a filter, and publishers."""

    traffic: RangeTraffic
    family: str
    cells: int
    publishers: int


class FilteringNetwork:
    """PLEROMA's fat tree: some hosts advertise everything, all hosts subscribe."""

    def __init__(self, case: DeliveryCase, workload: Workload, space: Topic, depth: int) -> None:
        self._workload, self._space, self._depth, self._cells = workload, space, depth, case.cells
        self._address = AddressPlan.default(case.family)
        self._network = network_of(case.family)
        hosts = [host["id"] for host in self._network["hosts"]]
        step = len(hosts) // case.publishers
        self._publishers = hosts[::step][: case.publishers]
        limits = Limits(max_dz_length=depth, max_dz_per_filter=case.cells)
        self._planner = Planner(self._address, limits)
        self._deployed = 0
        self._apply(self._construction())

    def grow(self, number: int) -> None:
        """Add subscriptions until there are `number`."""
        chosen = self._workload.subscriptions[self._deployed : number]
        requests = [
            {
                "op": SUBSCRIBE,
                "id": f"q{self._deployed + place}",
                "host": host,
                "topic": "t",
                "filter": tree_text(filter_.tree, self._space.attributes),
            }
            for place, (host, filter_) in enumerate(chosen)
        ]
        self._apply(requests)
        self._deployed = number

    def deliveries(self, number: int) -> dict[str, Any]:
        """Send all events through the tables; return false positives and flows.

        `outside_dz` counts deliveries that no dz of the host contains, by a computation without tables.
        `forward_flows` leaves out the flows that send an event back to its ingress port.
        """
        events = [
            {"publisher": f"a{place % len(self._publishers)}", "values": dict(values)}
            for place, values in enumerate(self._workload.events)
        ]
        tables = self._planner.exact_tables()
        counts = Replay.of(self._planner, events).through(tables)
        assert counts.holds, (counts.lost, counts.doubled, counts.loops)
        judge = Measure(first_subscriptions(self._workload, number), self._depth, self._cells)
        entries = [entry for table in tables.values() for entry in table]
        back = sum(entry.in_port is not None for entry in entries)
        switches = len(self._network["switches"])
        return {
            "fpr": round(100 * counts.unwanted / counts.delivered, 4) if counts.delivered else 0.0,
            "received": counts.delivered,
            "outside_dz": counts.delivered - judge.of_topic(self._space)[0].delivered,
            "flows": round(len(entries) / switches, 2),
            "forward_flows": round((len(entries) - back) / switches, 2),
        }

    def algorithm1_flows(self, number: int) -> float:
        """Return the mean number of flows of a switch after PLEROMA's algorithm 1."""
        baseline = Algorithm1(self._network, self._address, self._space.code, indexed=True)
        for host in self._publishers:
            baseline.advertise(host, [""])
        for host, filter_ in self._workload.subscriptions[:number]:
            cells = encode_dz(Filter(self._space, filter_.tree), self._depth, self._cells)
            baseline.subscribe(host, [dzs.text(dz) for dz in cells])
        total = sum(len(table.flows()) for table in baseline.tables.values())
        return round(total / len(self._network["switches"]), 2)

    def _construction(self) -> list[Object]:
        parts = (("switch", "switches"), ("link", "links"), ("host", "hosts"))
        return [
            *({"op": f"add_{kind}", kind: row} for kind, rows in parts for row in self._network[rows]),
            {"op": ADD_TOPIC, "topic": self._space.to_json()},
            *(
                {"op": ADVERTISE, "id": f"a{place}", "host": host, "topic": "t", "filter": ""}
                for place, host in enumerate(self._publishers)
            ),
        ]

    def _apply(self, requests: Sequence[Object]) -> None:
        for request, outcome in zip(requests, self._planner.apply_all(requests), strict=True):
            assert outcome.ok, (request, outcome.reason)


def network_of(family: str) -> Object:
    """Return the fat tree with host addresses of a family."""
    network = fat_tree()
    if family == "ipv4":
        for number, host in enumerate(network["hosts"], 1):
            host["ip"] = f"10.0.0.{number}"
    return network


def by_length(
    case: DeliveryCase, seed: int, lengths: Sequence[int], counts: Sequence[int], events: int
) -> Iterator[tuple[int, int, FilteringNetwork]]:
    """Yield a network for each length and number of subscriptions, with unseen events."""
    _, unseen = halves(case, seed, max(counts), events)
    for length in lengths:
        network = FilteringNetwork(case, unseen, unseen.topic, length)
        for number in counts:
            network.grow(number)
            yield length, number, network


def learned(case: DeliveryCase, seed: int, length: int, number: int, events: int) -> dict[str, Any]:
    """Return the deliveries in an event space that is learned from other events."""
    seen, unseen = halves(case, seed, number, events)
    space = learned_space(seen, length, case.cells, LEARNED_CUTS)
    network = FilteringNetwork(case, unseen, space, length)
    network.grow(number)
    return network.deliveries(number)


def halves(case: DeliveryCase, seed: int, subscriptions: int, events: int) -> tuple[Workload, Workload]:
    """Return two workloads with the same subscriptions and `events` different events each."""
    hosts = [host["id"] for host in fat_tree()["hosts"]]
    return case.traffic.workload(seed, hosts, subscriptions, 2 * events).halves()
