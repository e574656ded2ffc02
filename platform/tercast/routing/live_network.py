"""The network for plans: switches, live paths, places of hosts, and the load of links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from tercast.routing.port_semantics import PortMask
from tercast.routing.spanning_tree import Tree, span
from tercast.routing.switch_ports import SwitchPorts
from tercast.topology.elements import Attachment, Link, Switch
from tercast.topology.topology import Edge, Topology, components


class LiveNetwork:
    """Data derived from a topology; `refresh` updates it after a change of the topology."""

    __slots__ = ("_edges", "_live", "_numbers", "_places", "load", "next_tree", "sites", "topology")

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self.sites: dict[str, SwitchPorts] = {}
        self.load: Counter[Link] = Counter()
        self.next_tree = 1
        self._edges: dict[str, list[Edge]] = {}
        self._live: set[Link] = set()
        self._numbers: dict[str, int] = {}
        self._places: dict[str, Attachment | None] = {}
        self.refresh()

    @property
    def own_sites(self) -> dict[str, SwitchPorts]:
        """The switches without the stubs behind borders."""
        borders = self.topology.borders
        return {name: site for name, site in self.sites.items() if name not in borders}

    def refresh(self) -> list[str]:
        """Read the topology again; return the hosts whose place changed, appeared or disappeared."""
        topology = self.topology
        for name in topology.switches:
            if name not in self.sites:
                self.sites[name] = SwitchPorts(name)
        self.read_budgets()
        self._edges = topology.edges()
        self._live = {edge.link for edges in self._edges.values() for edge in edges}
        self._numbers = components(self._edges)
        before = self._places
        self._places = {host: topology.live_attachment(host) for host in topology.hosts}
        return [host for host in {**before, **self._places} if before.get(host) != self._places.get(host)]

    def read_budgets(self) -> None:
        """Read the budgets of all switches again."""
        for switch in self.topology.switches.values():
            self.sites[switch.id].budget = switch.usable_budget

    def add_switches(self, switches: Iterable[Switch]) -> None:
        """Add the switches that are missing here, including those that the topology no longer has."""
        for switch in switches:
            if switch.id not in self.sites:
                site = self.sites[switch.id] = SwitchPorts(switch.id)
                site.budget = switch.usable_budget

    def remove_unused(self) -> list[str]:
        """Remove links and switches that the topology no longer has; return these switches."""
        for name, site in self.sites.items():
            for port in list(site.link_bits):
                if (name, port) not in self.topology.links:
                    site.drop_link(port)
        gone = [name for name in self.sites if name not in self.topology.switches]
        for name in gone:
            del self.sites[name]
        return gone

    def places(self) -> dict[str, Attachment | None]:
        """Return the attachment of every host at the last `refresh`."""
        return dict(self._places)

    def place(self, host: str) -> Attachment | None:
        """Return the attachment where a host can be reached, or None."""
        return self._places.get(host)

    def component(self, host: str) -> int | None:
        """Return the component in which a host can be reached, or None."""
        place = self._places.get(host)
        return None if place is None else self._numbers[place.switch]

    def component_of(self, switch: str) -> int | None:
        """Return the component of a switch; None while it is down."""
        return self._numbers.get(switch)

    def create_tree(self, root: str) -> Tree:
        """Return a new tree that spans the component of switch `root`."""
        tree = Tree(self.next_tree, root)
        self.next_tree += 1
        tree.links = span(self._edges, root, self.load)
        self.load.update(tree.links)
        return tree

    def spans(self, tree: Tree) -> bool:
        """Whether the links of `tree` are all up and reach every switch of its root's component."""
        number = self._numbers[tree.root]
        size = sum(1 for other in self._numbers.values() if other == number)
        return len(tree.links) == size - 1 and tree.links <= self._live

    def repaired_links(self, tree: Tree) -> frozenset[Link]:
        """Return the links with which `tree` spans the current component of its root."""
        others = self.load.copy()
        others.subtract(tree.links)
        return span(self._edges, tree.root, others, tree.links)

    def set_links(self, tree: Tree, links: Sequence[Link]) -> None:
        """Set the links of `tree`: its masks at all switches, and the load.

        New ports get their bits in the order of `links`, so the order must be the same in every process.
        """
        self.load.subtract(tree.links)
        tree.links = frozenset(links)
        self.load.update(tree.links)
        tree.masks = self._masks(links)

    def _masks(self, links: Sequence[Link]) -> dict[SwitchPorts, PortMask]:
        """Return the ports of `links` at every switch; equal sequences have equal bits."""
        masks: dict[SwitchPorts, PortMask] = {}
        for link in links:
            for switch, port in ((link.a, link.a_port), (link.b, link.b_port)):
                site = self.sites[switch]
                masks[site] = masks.get(site, 0) | site.link_bit(port)
        return masks

    def dissolve_tree(self, tree: Tree) -> None:
        """Remove the tree from the load of its links; its masks stay for pending updates."""
        self.load.subtract(tree.links)

    def revive_tree(self, tree: Tree) -> None:
        """Undo `dissolve_tree`."""
        self.load.update(tree.links)
