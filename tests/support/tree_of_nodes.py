"""Nodes of the tree of partitions that exchange messages in any order, and the check for cycles."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import combinations

from tercast.federation.tree.border_ends import CloseBorder, OpenBorder, OpeningAgreement, OpeningProposal
from tercast.federation.tree.offers import BridgeId
from tercast.federation.tree.partition_tree import PartitionTree

Edge = tuple[int, int]
Item = tuple[str, int, str, object]
"""A pending message or confirmation: its kind, the node that gets it, the border, and its content."""

PERIOD = 8
"""Rounds of hellos within which four nodes agree; offers travel one edge a round."""


class TreeOfNodes:
    """Nodes and edges; messages wait in a list until `deliver` picks one."""

    def __init__(self, count: int, edges: Sequence[Edge]) -> None:
        self.edges = list(edges)
        self.instances = count
        self.up = set(range(len(self.edges)))
        self.forwards: set[tuple[int, str]] = set()
        """Ends where switches let events pass."""
        self.pending: deque[Item] = deque()
        self.sent = 0
        self.fault: Callable[[int, Item], list[Item]] = lambda number, item: [item]
        self.alive = set(range(count))
        self.nodes = [PartitionTree(BridgeId(0, f"n{i}"), i + 1) for i in range(count)]
        closings = [node.start(self.borders(i)) for i, node in enumerate(self.nodes)]
        for i, actions in enumerate(closings):
            self.act(i, actions)

    def borders(self, node: int) -> dict[str, float]:
        return {self.name(e, node): 1.0 for e, edge in enumerate(self.edges) if node in edge}

    def name(self, edge: int, node: int) -> str:
        return f"e{edge}@{node}"

    def far(self, node: int, border: str) -> tuple[int, str]:
        edge = int(border[1 : border.index("@")])
        a, b = self.edges[edge]
        other = b if node == a else a
        return other, self.name(edge, other)

    def act(self, node: int, actions: Sequence[object]) -> None:
        for action in actions:
            match action:
                case CloseBorder(border):
                    self.pending.append(("closed", node, border, self.nodes[node].instance))
                case OpenBorder(border, _):
                    self.forwards.add((node, border))
                case OpeningProposal(border, session, offer):
                    self.post("propose", node, border, (session, offer))
                case OpeningAgreement(border, session, offer):
                    self.post("agree", node, border, (session, offer))
        self.check()

    def post(self, kind: str, node: int, border: str, content: object) -> None:
        to, far = self.far(node, border)
        self.sent += 1
        self.pending.extend(self.fault(self.sent, (kind, to, far, content)))

    def hello(self) -> None:
        """Let each node tick and send a hello on each border, as once a second."""
        for i in sorted(self.alive):
            self.act(i, self.nodes[i].tick())
            for border in self.nodes[i].ends:
                if self.edge_of(border) in self.up:
                    self.post("hello", i, border, self.nodes[i].hello(border))

    def edge_of(self, border: str) -> int:
        return int(border[1 : border.index("@")])

    def deliver(self, index: int = 0) -> None:
        """Deliver the pending item at an index."""
        self.pending.rotate(-index)
        kind, node, border, content = self.pending.popleft()
        self.pending.rotate(index)
        tree = self.nodes[node]
        if kind == "closed":
            self.forwards.discard((node, border))
            if content == tree.instance and node in self.alive:
                self.act(node, tree.closed(border))
        elif node in self.alive and self.edge_of(border) in self.up:
            if kind == "hello":
                if not tree.ends[border].is_up:
                    self.act(node, tree.border_up(border))
                self.act(node, tree.hear(border, content))
            elif kind == "propose":
                self.act(node, tree.take_proposal(border, *content))
            else:
                self.act(node, tree.take_agreement(border, *content))
        self.check()

    def deliver_all(self, most: int = 5_000) -> None:
        for _ in range(most):
            if not self.pending:
                return
            self.deliver()
        raise AssertionError("the messages never end")

    def set_edge(self, edge: int, up: bool) -> None:
        (self.up.add if up else self.up.discard)(edge)
        if not up:
            for node in self.edges[edge]:
                if node in self.alive:
                    self.act(node, self.nodes[node].border_down(self.name(edge, node)))

    def restart(self, node: int) -> None:
        """Start a controller again: it knows nothing, and its switches forward as before."""
        self.instances += 1
        self.nodes[node] = PartitionTree(BridgeId(0, f"n{node}"), self.instances)
        self.act(node, self.nodes[node].start(self.borders(node)))

    def open_edges(self) -> list[Edge]:
        """Edges that events cross: switches forward them at both ends."""
        return [
            edge
            for e, edge in enumerate(self.edges)
            if e in self.up and all((node, self.name(e, node)) in self.forwards for node in edge)
        ]

    def check(self) -> None:
        """Invariant T, over the decisions and over what switches do."""
        decided = [
            edge
            for e, edge in enumerate(self.edges)
            if all(self.nodes[node].ends[self.name(e, node)].is_open for node in edge)
        ]
        assert not closes_cycle(decided), (decided, self.edges)
        assert not closes_cycle(self.open_edges()), (self.open_edges(), self.edges)

    def is_spanned(self) -> bool:
        """Whether open edges connect all that edges connect."""
        joined = groups(len(self.nodes), self.open_edges())
        return joined == groups(len(self.nodes), [self.edges[e] for e in self.up])


def groups(count: int, edges: Sequence[Edge]) -> set[frozenset[int]]:
    found = {i: {i} for i in range(count)}
    for a, b in edges:
        if found[a] is not found[b]:
            found[a] |= found[b]
            for node in found[b]:
                found[node] = found[a]
    return {frozenset(group) for group in found.values()}


def closes_cycle(edges: Sequence[Edge]) -> bool:
    nodes = 1 + max((node for edge in edges for node in edge), default=0)
    return len(edges) > nodes - len(groups(nodes, edges))


def connected_graphs(count: int) -> list[list[Edge]]:
    """Return all connected graphs on labelled nodes, without parallel edges."""
    pairs = list(combinations(range(count), 2))
    graphs = [[pair for i, pair in enumerate(pairs) if mask >> i & 1] for mask in range(1, 1 << len(pairs))]
    return [graph for graph in graphs if len(groups(count, graph)) == 1]
