"""Simulator of a plan: send events through its tables and count their deliveries."""

from __future__ import annotations

from collections.abc import Iterable

from tercast.offline.plan_file import PlanFile
from tercast.offline.scenario import Scenario
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.simulation.port_index import PortIndex
from tercast.simulation.publications import Publication, Publications
from tercast.simulation.simulator import Simulator, lookups


class PlanSimulator:
    """Simulation of a scenario's events in the tables of a plan."""

    def __init__(self, scenario: Scenario, plan: PlanFile) -> None:
        failed = {failure.id for failure in plan.failed}
        live = {name: reg for name, reg in scenario.final.live.items() if name not in failed}
        wiring = PortIndex(scenario.final.topology)
        self._publications = Publications(
            scenario.final.topics, live, scenario.filters, scenario.depth, wiring
        )
        self._lookups = lookups(plan.flows, scenario.address, wiring)
        self._sending = Simulator(wiring)

    @property
    def counts(self) -> DeliveryCounts:
        """The counts so far."""
        return self._sending.counts()

    def read(self, event: object) -> Publication:
        """Read an event from JSON; Refused if its publisher cannot send it."""
        return self._publications.read(event)

    def follow(self, publications: Iterable[Publication]) -> None:
        """Simulate events, in batches that fit in memory."""
        for parcels in self._publications.pack(publications):
            self._sending.send(parcels, self._lookups.get(parcels.code))

    def take(self, event: object) -> None:
        """Read one event and simulate it."""
        self.follow([self.read(event)])
