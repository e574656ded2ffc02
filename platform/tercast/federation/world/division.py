"""Division of a scenario: one planner for each partition, and the borders between them."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.offline.scenario import Scenario
from tercast.planner.planner import Planner
from tercast.requests.model import AddBorder, SetAggregation
from tercast.topology.borders import border_name
from tercast.topology.elements import Link
from tercast.topology.topology import Topology


@dataclass(frozen=True, slots=True)
class BorderLink:
    """A link between two partitions, and the names that its ends have as borders."""

    link: Link
    partitions: tuple[str, str]
    borders: tuple[str, str]

    @property
    def ends(self) -> tuple[tuple[str, str], ...]:
        """The partition and border of each end."""
        return tuple(zip(self.partitions, self.borders, strict=True))

    def far_end(self, border: str) -> tuple[str, str]:
        """Return the partition and border at the other end."""
        return self.ends[1 - self.borders.index(border)]


@dataclass(frozen=True, slots=True)
class DividedNetwork:
    """The planner of each partition before the first request, and all borders by name."""

    planners: dict[str, Planner]
    partition_of: dict[str, str]
    borders: dict[str, BorderLink]

    @property
    def border_links(self) -> list[BorderLink]:
        """All borders, each once."""
        return list({one.borders: one for one in self.borders.values()}.values())


def divide(scenario: Scenario, method: str = "none") -> DividedNetwork:
    """Make the planners of a scenario with `partitions`; without them, there is one partition."""
    beginning = scenario.beginning()
    whole = beginning.topology
    parts = scenario.partitions or {"all": tuple(whole.switches)}
    partition_of = {switch: name for name, switches in parts.items() for switch in switches}
    topologies = {name: _part(whole, set(switches)) for name, switches in parts.items()}
    planners = {
        name: Planner(
            scenario.address,
            scenario.limits,
            topology,
            beginning.topics.values(),
            enforce_budgets=method != "none",
        )
        for name, topology in topologies.items()
    }
    borders: dict[str, BorderLink] = {}
    for planner in planners.values():
        planner.apply(SetAggregation(method))
    for link in whole.all_links():
        a, b = partition_of[link.a], partition_of[link.b]
        if a == b:
            continue
        names = border_name(link.a, link.a_port), border_name(link.b, link.b_port)
        borders[names[0]] = borders[names[1]] = BorderLink(link, (a, b), names)
        for name, switch, port in ((a, link.a, link.a_port), (b, link.b, link.b_port)):
            outcome = planners[name].apply(AddBorder(switch, port, link.cost))
            if outcome.reason is not None:
                raise outcome.reason
    return DividedNetwork(planners, partition_of, borders)


def _part(whole: Topology, switches: set[str]) -> Topology:
    """Return the part of a network with these switches, and the links and hosts inside."""
    part = Topology(whole.family)
    for name, switch in whole.switches.items():
        if name in switches:
            part.add_switch(switch.to_json())
    for link in whole.all_links():
        if {link.a, link.b} <= switches:
            part.add_link(link.to_json())
    for host in whole.hosts.values():
        if host.primary.switch in switches:
            part.add_host(host.to_json())
    return part
