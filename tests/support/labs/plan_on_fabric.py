"""A test scenario on real Open vSwitch: tables of the planner, events of the host library, and the result.

`expected` comes from the offline simulator and the exact matcher; `observed` is what hosts got and ports
counted.
"""

from __future__ import annotations

import ipaddress
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from mininet_labs.fabric import Fabric, FlowReading
from mininet_labs.install import FIELDS, actions, install
from tercast.offline.plan_check import check_plan
from tercast.offline.plan_file import PlanFile, plan_json, read_plan
from tercast.offline.scenario import Scenario, read_scenario
from tercast.offline.simulate_plan import PlanSimulator
from tercast.planner.planner import Planner
from tests.support.judge import World
from tests.support.labs.plan_on_fabric_counters import Counters
from tests.support.labs.plan_on_fabric_events import Event, draw_events
from tests.support.labs.plan_on_fabric_scenes import Object, Scene
from tests.support.labs.plan_on_fabric_traffic import Carrier, Port, Traffic


class Lab:
    """The network of a test scenario on a fabric, and a planner for its requests."""

    def __init__(self, scene: Scene, folder: Path) -> None:
        self.scene = scene
        self.requests: list[Object] = []
        beginning = self.scenario().beginning()
        self.planner = Planner(
            self.scenario().address, self.scenario().limits, beginning.topology, beginning.topics.values()
        )
        self.is_exact = self.scenario().aggregation.method == "none"
        if not self.is_exact:
            self.planner.apply({"op": "set_aggregation", "method": self.scenario().aggregation.method})
        self.world = _world(scene, self.scenario())
        self.wires = self.world.wires()
        self.places = _places(scene)
        self.fabric = Fabric(folder, _wired(scene, self.places), links=scene.links)

    def __enter__(self) -> Lab:
        self.fabric.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.fabric.stop()

    def apply(self, requests: Sequence[Object]) -> None:
        """Carry out requests, set links down and up as they say, and install the changes."""
        before = self.wires
        self.plan_only(requests)
        for ends in {frozenset((port, far)) for port, far in before.items() ^ self.wires.items()}:
            port = min(ends)
            self.fabric.set_link(*port, up=port in self.wires)
        install(self.fabric, self.planner.take_diff(), self.planner.topology.hosts)

    def plan_only(self, requests: Sequence[Object]) -> None:
        """Carry out requests only in the planner."""
        for request in requests:
            outcome = self.planner.apply(request)
            assert outcome.ok, (request, outcome)
            self.world.follow(request)
        self.requests += requests
        self.wires = self.world.wires()

    def scenario(self) -> Scenario:
        """Return the scenario with the requests so far."""
        return read_scenario({**self.scene.scenario, "requests": self.requests})

    def plan(self) -> PlanFile:
        """Return the plan as in a file."""
        return read_plan(plan_json(self.planner))

    def check_tables(self) -> None:
        """Check that the verifier finds no fault, and that the switches have the planned entries.

        Within budgets, entries and copies may serve no host.
        """
        found = check_plan(self.scenario(), self.plan())
        assert [violation for violation in found if self.is_exact or not violation.is_surplus] == []
        hosts, tables = self.planner.topology.hosts, self.planner.tables()
        for switch in self.planner.topology.switches:
            planned = {
                (entry.priority, entry.in_port, ipaddress.ip_network(entry.dst), actions(entry, hosts))
                for entry in tables.get(switch, ())
            }
            assert {_reading(flow) for flow in self.fabric.dump_flows(switch)} == planned, switch

    def events(self, rng: random.Random) -> list[Event]:
        """Return events of advertisements whose host is attached."""
        drawn = draw_events(self.scenario(), rng)
        return [event for event in drawn if self._place(self._host(event.publisher)) is not None]

    def observed(self, events: Sequence[Event]) -> Traffic:
        """Publish events, and return what hosts got and ports counted."""
        sockets = {}
        for host, places in self.places.items():
            place = self._place(host)
            if place is not None:
                sockets[host] = place, self.fabric.host_socket(host, places.index(place))
        publishers = {event.publisher: self._host(event.publisher) for event in events}
        with (
            Counters.of(self._management()) as counters,
            Carrier.over(counters, self.scenario(), sockets, self.wires) as carrier,
        ):
            return carrier.carry(publishers, events)

    def expected(self, events: Sequence[Event]) -> Traffic:
        """Return what exact matcher and simulator expect of every event: deliveries and counts."""
        traffic, simulator = Traffic(), PlanSimulator(self.scenario(), self.plan())
        for number, event in enumerate(events):
            before = Counter(simulator.counts.unwanted_by)
            simulator.take(self._as_json(event))
            unwanted = (simulator.counts.unwanted_by - before).keys()
            reached = self._reached(event)
            traffic.wanted.update(reached)
            traffic.unwanted.update(unwanted)
            traffic.deliveries.update((number, host) for host in reached | unwanted)
            traffic.into[self._place(self._host(event.publisher))] += 1
        assert simulator.counts.holds, simulator.counts
        for port, copies in simulator.counts.copies.items():
            traffic.out[port] += copies
            traffic.into[self.wires[port]] += copies
        traffic.out.update(self._place(host) for _, host in traffic.deliveries)
        return traffic

    def simulated(self, events: Sequence[Event], plan: PlanFile | None = None) -> Object:
        """Return the simulator's report for a plan, with its `loops`, without what only it knows."""
        simulator = PlanSimulator(self.scenario(), plan or self.plan())
        for event in events:
            simulator.take(self._as_json(event))
        report = simulator.counts.report()
        for key in ("needless_link_copies", "network_fpr"):
            del report[key]
        by_link = {name: row["copies"] for name, row in report["by_link"].items()}
        return {**report, "by_link": by_link, "loops": simulator.counts.loops}

    def reported(self, traffic: Traffic, events: Sequence[Event]) -> Object:
        """Return the same kind of report for observed traffic."""
        wanted = Counter(host for event in events for host in event.wanted)
        pairs = {(number, host) for number, event in enumerate(events) for host in self._reached(event)}
        unwanted = Counter(host for number, host in traffic.deliveries if host not in events[number].wanted)
        by_link = {port: traffic.out[port] for port in sorted(self.wires) if traffic.out[port]}
        return {
            "format": "report/1",
            "events": len(events),
            "wanted": wanted.total(),
            "delivered": traffic.deliveries.total(),
            "lost": len(pairs - traffic.deliveries.keys()),
            "doubled": sum(copies - 1 for copies in traffic.deliveries.values()),
            "unwanted": unwanted.total(),
            "loops": 0,
            "link_copies": sum(by_link.values()),
            "by_host": {
                host: {"wanted": wanted[host], "unwanted": unwanted[host]} for host in {*wanted, *unwanted}
            },
            "by_link": {f"{switch}:{port}": copies for (switch, port), copies in by_link.items()},
        }

    def _as_json(self, event: Event) -> Object:
        topic = self.planner.topics[event.topic]
        return {"publisher": event.publisher, "values": topic.values_json(event.values)}

    def _host(self, publisher: str) -> str:
        return self.planner.registry.live[publisher].host

    def _place(self, host: str) -> Port | None:
        return self.world.place(host)

    def _reached(self, event: Event) -> set[str]:
        """Return the hosts that expect an event and that a path reaches."""
        start = self._place(self._host(event.publisher))
        assert start is not None, event
        island = self.world.island(start[0])
        return {host for host in event.wanted if (place := self._place(host)) and place[0] in island}

    def _management(self) -> Iterator[tuple[str, Path]]:
        folder = self.fabric.host_socket(next(iter(self.places))).parent
        for switch in self.planner.topology.switches:
            yield switch, folder / f"{self.fabric.bridge(switch)}.mgmt"


def _world(scene: Scene, scenario: Scenario) -> World:
    """Return the network in a form that shares no code with the planner."""
    address = scenario.address
    fields = scene.scenario
    return World.of(address.family, address.topic_bits, scenario.depth, fields["topology"], fields["topics"])


def _places(scene: Scene) -> dict[str, list[Port]]:
    """Return all ports of each host: its own, standby ports, and those that it moves to."""
    places = {
        host["id"]: [(place["switch"], place["port"]) for place in (host, *host.get("standby", ()))]
        for host in scene.scenario["topology"]["hosts"]
    }
    for requests in scene.stages:
        for request in requests:
            if request["op"] == "host_move":
                places[request["host"]].append((request["switch"], request["port"]))
    return places


def _wired(scene: Scene, places: dict[str, list[Port]]) -> Object:
    """Return the topology with sockets at all ports."""
    topology = scene.scenario["topology"]
    hosts = [
        {
            **host,
            "standby": [{"switch": switch, "port": port} for switch, port in places[host["id"]][1:]],
        }
        for host in topology["hosts"]
    ]
    return {**topology, "hosts": hosts}


def _reading(flow: FlowReading) -> tuple[Any, ...]:
    field = next(name for _, name, _ in FIELDS.values() if name in flow.match)
    in_port = flow.match.get("in_port")
    network = ipaddress.ip_network(flow.match[field])
    return flow.priority, None if in_port is None else int(in_port), network, flow.actions
