"""The tree of partitions never has a cycle, whatever messages are lost, repeated, late or reordered."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tercast.federation.tree.border_ends import (
    BorderRole,
    CloseBorder,
    HeardHello,
    OpenBorder,
    OpeningAgreement,
    OpeningProposal,
    SessionId,
)
from tercast.federation.tree.offers import BridgeId, Offer
from tercast.federation.tree.partition_tree import PartitionTree
from tests.property_profiles import examples, some
from tests.support.tree_of_nodes import PERIOD, Edge, Item, TreeOfNodes, closes_cycle, connected_graphs

GRAPHS = [graph for count in (2, 3, 4) for graph in connected_graphs(count)]
DOUBLED = [[*graph, graph[0]] for graph in GRAPHS]
SPARSE_FIRST = sorted([*GRAPHS, *DOUBLED], key=len)
EVERYDAY = [[(0, 1), (0, 1)], [(0, 1), (0, 2), (1, 2)], [(0, 1), (0, 2), (1, 3), (2, 3)]]
ALL = [*EVERYDAY, *(graph for graph in SPARSE_FIRST if graph not in EVERYDAY)]


def run(network: TreeOfNodes, rounds: int) -> None:
    for _ in range(rounds):
        network.hello()
        network.deliver_all()


def life(network: TreeOfNodes) -> None:
    """Start, lose an edge, get it back, and restart the controller of the root."""
    run(network, 5)
    network.set_edge(0, False)
    run(network, 5)
    network.set_edge(0, True)
    run(network, 5)
    network.restart(0)
    run(network, 5)


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_every_connected_graph_is_spanned(graph: list[Edge]) -> None:
    network = TreeOfNodes(1 + max(map(max, graph)), graph)
    run(network, PERIOD)
    assert network.is_spanned()
    assert len(network.open_edges()) == len(network.nodes) - 1


def lose(number: int, late: int | None) -> Callable[[int, Item], list[Item]]:
    """Return a fault: a message is lost (None), or repeated after `late` others."""
    kept: list[Item] = []

    def fault(n: int, item: Item) -> list[Item]:
        if n == number:
            if late is None:
                return []
            kept.append(item)
        return [item, kept.pop()] if kept and late is not None and n >= number + late else [item]

    return fault


FAULTS = [(graph, late) for late in (None, 5, 0, 1, 40) for graph in ALL]
FAULTS.sort(key=lambda case: case not in [(EVERYDAY[1], None), (EVERYDAY[1], 5), (EVERYDAY[0], 5)])


@pytest.mark.parametrize("case", some(FAULTS, 3), ids=str)
def test_one_message_that_is_lost_or_repeated_late_never_closes_a_cycle(
    case: tuple[list[Edge], int | None],
) -> None:
    graph, late = case
    count = 1 + max(map(max, graph))
    whole = TreeOfNodes(count, graph)
    life(whole)
    assert whole.is_spanned()
    for number in range(1, whole.sent + 1):
        network = TreeOfNodes(count, graph)
        network.fault = lose(number, late)
        life(network)
        while network.sent < number + (late or 0):  # a small network sends few messages in its life
            run(network, 1)
        run(network, 4)
        assert network.is_spanned(), number


@examples(400)
@given(data=st.data())
def test_any_order_of_messages_has_no_cycle_and_ends_in_a_spanning_tree(data: st.DataObject) -> None:
    graph = data.draw(st.sampled_from(ALL))
    network = TreeOfNodes(1 + max(map(max, graph)), graph)
    for _ in range(data.draw(st.integers(5, 60))):
        step = data.draw(st.integers(0, 9))
        if step == 0:
            network.hello()
        elif step == 1 and network.pending:
            index = data.draw(st.integers(0, len(network.pending) - 1))
            if network.pending[index][0] != "closed":
                network.pending.insert(data.draw(st.integers(0, index)), network.pending[index])
        elif step == 2:
            network.set_edge(data.draw(st.integers(0, len(graph) - 1)), data.draw(st.booleans()))
        elif step == 3:
            network.restart(data.draw(st.integers(0, len(network.nodes) - 1)))
        elif network.pending:
            network.deliver(data.draw(st.integers(0, min(6, len(network.pending) - 1))))
    for edge in range(len(graph)):
        network.set_edge(edge, True)
    network.deliver_all()
    run(network, 3 * PERIOD)
    assert network.is_spanned()


class Federation(RuleBasedStateMachine):
    """Draws events for four nodes; `TreeOfNodes` checks the invariant after each of them."""

    @initialize(graph=st.sampled_from(ALL))
    def begin(self, graph: list[Edge]) -> None:
        self.network = TreeOfNodes(1 + max(map(max, graph)), graph)

    @rule()
    def second(self) -> None:
        self.network.hello()

    @rule(index=st.integers(0, 50))
    def deliver(self, index: int) -> None:
        if self.network.pending:
            self.network.deliver(index % len(self.network.pending))

    @rule(index=st.integers(0, 50))
    def lose(self, index: int) -> None:
        network = self.network
        if network.pending and network.pending[index % len(network.pending)][0] != "closed":
            del network.pending[index % len(network.pending)]

    @rule(edge=st.integers(0, 20), up=st.booleans())
    def change_edge(self, edge: int, up: bool) -> None:
        self.network.set_edge(edge % len(self.network.edges), up)

    @rule(node=st.integers(0, 3))
    def restart(self, node: int) -> None:
        self.network.restart(node % len(self.network.nodes))

    @invariant()
    def no_cycle(self) -> None:
        if hasattr(self, "network"):
            self.network.check()


TestFederation = Federation.TestCase
TestFederation.settings = examples(200)


def test_the_judge_of_cycles_sees_cycles() -> None:
    assert closes_cycle([(0, 1), (1, 2), (2, 0)]) and closes_cycle([(0, 1), (0, 1)])
    assert not closes_cycle([(0, 1), (1, 2), (3, 4)])


def test_an_offer_through_oneself_is_ignored() -> None:
    """Nothing counts to infinity: without a root, the last offer of a child is not believed."""
    network = TreeOfNodes(3, [(0, 1), (1, 2)])
    run(network, PERIOD)
    assert network.nodes[2].offer == Offer(BridgeId(0, "n0"), 2.0, ("n0", "n1", "n2"))
    network.set_edge(0, False)
    run(network, 2)
    assert network.nodes[1].offer == Offer.of_root(BridgeId(0, "n1"))
    assert network.nodes[2].offer.path == ("n1", "n2")


def test_standby_borders_are_states_not_errors() -> None:
    network = TreeOfNodes(2, [(0, 1), (0, 1)])
    run(network, PERIOD)
    assert network.open_edges() == [(0, 1)]
    assert [end.role for end in network.nodes[1].ends.values()] == ["root", "standby"]
    network.set_edge(0, False)
    run(network, PERIOD)
    assert network.is_spanned()


ROOT_HELLO = HeardHello(Offer.of_root(BridgeId(0, "a")), "far", 5, BorderRole.DESIGNATED, False)
CHILD_HELLO = HeardHello(Offer(BridgeId(0, "a"), 2.0, ("a", "n", "c")), "far", 6, BorderRole.ROOT, False)


def middle() -> tuple[PartitionTree, SessionId]:
    """Return node n with an open root border up and a proposal at down, and the session of this proposal."""
    node = PartitionTree(BridgeId(0, "n"), 1)
    node.start({"up": 1.0, "down": 1.0, "other": 1.0})
    for border in ("up", "down", "other"):
        node.closed(border)
        node.border_up(border)
    node.hear("up", ROOT_HELLO)
    node.take_proposal("up", (5, 1), ROOT_HELLO.offer)
    assert node.ends["up"].is_open
    (proposal,) = node.hear("down", CHILD_HELLO)
    assert isinstance(proposal, OpeningProposal)
    return node, proposal.session


def test_an_agreement_to_an_older_proposal_opens_nothing() -> None:
    node, session = middle()
    (again,) = node.take_proposal("up", (5, 1), ROOT_HELLO.offer)
    assert isinstance(again, OpeningAgreement), "the repeated proposal is agreed to, and nothing else happens"
    node.take_proposal("up", (5, 2), ROOT_HELLO.offer)
    assert node.take_agreement("down", session, node.offer) == []
    node.closed("up")
    assert node.ends["up"].session == (5, 2)
    assert node.take_agreement("down", session, node.offer) == [], (
        "the proposal ended when the root end opened"
    )
    newer = node.ends["down"].proposed
    assert newer is not None and newer[0] > session
    assert node.take_agreement("down", newer[0], CHILD_HELLO.offer) == [], "it quotes another offer"
    assert node.take_agreement("down", *newer) == [OpenBorder("down", newer[0])]


def test_an_old_proposal_is_ignored_and_one_of_another_instance_too() -> None:
    node, _ = middle()
    node.take_proposal("up", (5, 2), ROOT_HELLO.offer)
    node.closed("up")
    assert node.take_proposal("up", (5, 1), ROOT_HELLO.offer) == []
    assert node.take_proposal("up", (4, 9), ROOT_HELLO.offer) == []
    assert node.ends["up"].session == (5, 2)


def test_another_root_border_closes_all_others() -> None:
    node, session = middle()
    node.take_agreement("down", session, node.offer)
    better = HeardHello(Offer.of_root(BridgeId(0, "0")), "far", 7, BorderRole.DESIGNATED, False)
    assert node.hear("other", better) == [CloseBorder("up"), CloseBorder("down")]
    assert node.take_proposal("other", (7, 1), better.offer) == [], "the closings are not confirmed"
    assert node.closed("up") == []
    opened, agreed, *_ = node.closed("down")
    assert opened == OpenBorder("other", (7, 1)) and isinstance(agreed, OpeningAgreement)


def test_an_end_that_is_open_on_one_side_only_closes_and_proposes_again() -> None:
    node, session = middle()
    node.take_agreement("down", session, node.offer)
    node.hear("down", CHILD_HELLO)
    assert node.tick() == node.tick() == []
    assert node.tick() == [CloseBorder("down")]
    (proposal,) = node.closed("down")
    assert isinstance(proposal, OpeningProposal) and proposal.session > session
