"""A simulator of single events and copies: the oracle of the simulator of many events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.errors import Refused, shown
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.offline.plan_file import PlanFile
from tercast.offline.scenario import Scenario
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.runtime.strict_json import expect_keys, expect_object, expect_text
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.tables.entries import Entry
from tercast.topology.topology import Port
from tercast.verification.forwarding import ForwardingModel, ForwardingStep

MAX_COPIES = 100_000
"""Number of copies after which an event counts only as a loop."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of an event: where it enters a switch, from which link port, and from which copy."""

    at: Port
    sent: Port | None = None
    parent: int = -1


@dataclass(slots=True)
class Way:
    """All copies of an event, and the deliveries, each with its copy."""

    copies: list[Copy]
    deliveries: list[tuple[str, int]] = field(default_factory=list)
    loops: bool = False


class Tables:
    """Tables for look-ups of addresses: the matching entry with the highest priority."""

    def __init__(
        self, flows: Mapping[str, Iterable[Entry]], address: AddressPlan, world: ForwardingModel
    ) -> None:
        self._world = world
        self._room = address.dz_room
        self._lengths: dict[str, list[int]] = {}
        self._entries: dict[str, dict[tuple[int, Dz], list[tuple[Entry, tuple[ForwardingStep, ...]]]]] = {}
        for switch, entries in flows.items():
            table = self._entries.setdefault(switch, {})
            for entry in entries:
                try:
                    where = address.parse_match(entry.dst)
                except Refused:
                    continue  # no event has such an address; the verifier reports it
                table.setdefault(where, []).append((entry, world.steps(switch, entry)))
            self._lengths[switch] = sorted({dz.bit_length() - 1 for _, dz in table})

    def steps(self, at: Port, code: int, dz: Dz) -> list[ForwardingStep]:
        """Return the actions of a switch for an event with a full-length dz, from an ingress port."""
        switch, in_port = at
        best: tuple[Entry, tuple[ForwardingStep, ...]] | None = None
        table = self._entries.get(switch, {})
        for length in self._lengths.get(switch, ()):
            for candidate in table.get((code, dz >> self._room - length), ()):
                entry = candidate[0]
                if entry.in_port in (None, in_port) and (best is None or entry.priority > best[0].priority):
                    best = candidate
        if best is None:
            return []
        return [
            *(step for step in best[1] if step.port != in_port),
            *self._world.back(switch, in_port, best[0]),
        ]


class PlainSimulator:
    """Follows events of a scenario through the tables of a plan."""

    def __init__(self, scenario: Scenario, plan: PlanFile) -> None:
        failed = {failure.id for failure in plan.failed}
        self._scenario = scenario
        self._world = ForwardingModel(scenario.final.topology)
        self._tables = Tables(plan.flows, scenario.address, self._world)
        self._ways: dict[tuple[Port, int, Dz], Way] = {}
        self._live = {name: reg for name, reg in scenario.final.live.items() if name not in failed}
        filters: dict[str, list[tuple[str, Filter]]] = {topic: [] for topic in scenario.final.topics}
        for name, registration in self._live.items():
            if registration.kind != ADVERTISEMENT:
                filters[registration.topic].append((registration.host, scenario.filters[name]))
        self._filters = filters
        self.counts = DeliveryCounts()

    def take(self, event: object) -> None:
        """Follow an event (JSON); raises Refused if its publisher may not send it."""
        ad, topic, values = self._read(event)
        counts, world = self.counts, self._world
        counts.events += 1
        dz = topic.event_dz(values, self._scenario.depth)
        wanted = {host for host, filter_ in self._filters[topic.name] if filter_.matches(values)}
        counts.wanted += len(wanted)
        counts.wanted_by.update(wanted)
        place = world.place.get(ad.host)
        if place is None:
            return  # a host that is not attached reaches no other host
        room = self._scenario.address.dz_room
        way = self._way(place, topic.code, dz << room - dz.bit_length() + 1)
        self._count(way, wanted, world.components[place[0]])

    def _read(self, event: object) -> tuple[Registration, Topic, dict[str, Any]]:
        fields = expect_keys(event, (), ("publisher", "values"))
        name = expect_text(fields["publisher"], ("publisher",))
        ad = self._live.get(name)
        if ad is None or ad.kind != ADVERTISEMENT:
            rule = (
                f"there is no active advertisement {shown(name)}; use the id of an active advertisement, "
                "for example a1"
            )
            raise Refused(("publisher",), "unknown_publisher", rule, name)
        topic = self._scenario.final.topics[ad.topic]
        values = topic.check_json(expect_object(fields["values"], ("values",)), ("values",))
        if not self._scenario.filters[name].matches(values):
            detail = f"the event does not match advertisement {shown(name)}: {ad.filter or 'true'}"
            raise Refused(("values",), "outside_advertisement", detail)
        return ad, topic, values

    def _way(self, place: Port, code: int, dz: Dz) -> Way:
        key = place, code, dz
        way = self._ways.get(key)
        if way is None:
            if len(self._ways) > MAX_COPIES:
                self._ways.clear()
            way = self._ways[key] = self._walk(place, code, dz)
        return way

    def _walk(self, place: Port, code: int, dz: Dz) -> Way:
        way = Way([Copy(place)])
        for number, copy in enumerate(way.copies):
            for step in self._tables.steps(copy.at, code, dz):
                if step.far is not None:
                    if self._circles(way, number, step.far):
                        way.loops = True
                    else:
                        way.copies.append(Copy(step.far, (copy.at[0], step.port), number))
                way.deliveries += ((host, number) for host in self._world.hosts(step.hosts))
            if len(way.copies) > MAX_COPIES:
                way.loops = True
                break
        return way

    def _circles(self, way: Way, number: int, at: Port) -> bool:
        """Whether a copy has been at a switch port before on its path."""
        return any(copy.at == at for copy in _ancestry(way, number))

    def _count(self, way: Way, wanted: set[str], component: int) -> None:
        counts, world = self.counts, self._world
        got = Counter(host for host, _ in way.deliveries)
        counts.loops += way.loops
        counts.delivered += got.total()
        counts.doubled += sum(number - 1 for number in got.values())
        unwanted = got.keys() - wanted
        counts.unwanted += len(unwanted)
        counts.unwanted_by.update(unwanted)
        for host in wanted - got.keys():
            place = world.place.get(host)
            counts.lost += place is not None and world.components[place[0]] == component
        useful: set[int] = set()
        for host, number in way.deliveries:
            if host in wanted:
                for copy_number in _numbers(way, number):
                    if copy_number in useful:
                        break
                    useful.add(copy_number)
        for number, copy in enumerate(way.copies):
            if copy.sent is not None:
                counts.copies[copy.sent] += 1
                counts.needless[copy.sent] += number not in useful


def _numbers(way: Way, number: int) -> Iterator[int]:
    """Yield a copy and those that it came from."""
    while number >= 0:
        yield number
        number = way.copies[number].parent


def _ancestry(way: Way, number: int) -> Iterator[Copy]:
    return (way.copies[i] for i in _numbers(way, number))
