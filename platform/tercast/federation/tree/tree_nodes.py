"""The nodes of one partition in the tree: one for each connected part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tercast.federation.tree.border_ends import HeardHello, TreeAction
from tercast.federation.tree.offers import BridgeId, part_name
from tercast.federation.tree.partition_tree import PartitionTree
from tercast.planner.planner import Planner
from tercast.topology.borders import STUB_LINK


@dataclass(slots=True)
class TreeNodes:
    """Keeps one node for each part, and the pushes that confirm closed borders.

    A partition whose network is in several parts cannot forward between their borders. So each part is a node
    of its own, with the name of the partition or, for other parts than the first, of its first switch.
    """

    planner: Planner
    identity: BridgeId
    instance: int
    nodes: dict[str, PartitionTree] = field(default_factory=dict)
    _node_of: dict[str, str] = field(default_factory=dict)
    _closing: dict[str, int] = field(default_factory=dict)

    def at(self, border: str) -> PartitionTree | None:
        """Return the node of a border; None while its switch is down."""
        return self.nodes.get(self._node_of.get(border, ""))

    def regroup(self) -> list[TreeAction]:
        """Follow a change of the network: nodes appear and vanish, and borders change their node."""
        groups = self._groups()
        actions: list[TreeAction] = []
        now = {border: name for name, borders in groups.items() for border in borders}
        for border in [border for border, name in self._node_of.items() if now.get(border) != name]:
            actions += self._drop(border)
        for name in [name for name in self.nodes if name not in groups]:
            del self.nodes[name]
        for name, borders in groups.items():
            node = self.nodes.get(name)
            if node is None:
                self.instance += 1
                identity = replace(self.identity, uuid=name)
                node = self.nodes[name] = PartitionTree(identity, self.instance)
            new = [border for border in borders if border not in node.ends]
            actions += node.start({border: self._cost(border) for border in new})
        self._node_of = now
        return actions

    def hear(self, border: str, hello: HeardHello) -> list[TreeAction]:
        """Take a hello; the first one after a port came up brings its border up."""
        node = self.at(border)
        if node is None:
            return []
        actions = [] if node.ends[border].is_up else node.border_up(border)
        return actions + node.hear(border, hello)

    def border_down(self, border: str) -> list[TreeAction]:
        """Record that a border cannot be used."""
        node = self.at(border)
        return [] if node is None else node.border_down(border)

    def tick(self) -> list[TreeAction]:
        """Let all nodes do what they do once a second."""
        return [action for node in self.nodes.values() for action in node.tick()]

    def closing(self, border: str, push: int) -> None:
        """Record the push that closes a border."""
        self._closing[border] = push

    def waits_for(self, push: int) -> bool:
        """Return whether the confirmation of a push matters, even if it changes no table."""
        return push in self._closing.values()

    def confirmed(self, push: int) -> list[TreeAction]:
        """Record that a push is confirmed."""
        actions: list[TreeAction] = []
        for border in [border for border, number in self._closing.items() if number <= push]:
            del self._closing[border]
            node = self.at(border)
            if node is not None:
                actions += node.closed(border)
        return actions

    def _drop(self, border: str) -> list[TreeAction]:
        node = self.at(border)
        if node is None:
            return []
        actions = node.border_down(border)
        del node.ends[border]
        return actions

    def _groups(self) -> dict[str, list[str]]:
        topology, network = self.planner.topology, self.planner.network
        first: dict[int | None, str] = {}
        for switch in topology.switches:
            if switch not in topology.borders:
                first.setdefault(network.component_of(switch), switch)
        main = next(iter(topology.switches), None)
        groups: dict[str, list[str]] = {}
        for border, (switch, _) in topology.borders.items():
            component = network.component_of(switch)
            if component is not None:
                start = first[component]
                name = self.identity.uuid if start == main else part_name(self.identity.uuid, start)
                groups.setdefault(name, []).append(border)
        return groups

    def _cost(self, border: str) -> float:
        return self.planner.topology.links[border, STUB_LINK].cost
