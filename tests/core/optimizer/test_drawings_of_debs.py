"""Drawings 2 and 3 of Bhowmik et al. (DEBS 2017): upstream filters, and merge points."""

from tercast.eventspace import dz as dzs
from tercast.optimizer.pipeline import aggregate
from tercast.simulation.delivery_counts import DeliveryCounts
from tercast.simulation.replay import Replay
from tests.support.drawn_networks import DrawnNetwork, value_in

LINKS = [("R1", 2, "R2", 1), ("R2", 2, "R3", 1)]
HOSTS = {"pub": ("R1", 1), "sub1": ("R3", 2), "sub2": ("R3", 3)}
EVENTS = [{"publisher": "pub", "values": value_in(dz)} for dz in ("1100", "1101", "1110", "1111")]


def merged_at(*switches: str) -> tuple[DrawnNetwork, DeliveryCounts, DeliveryCounts]:
    """Return the network with one flow at these switches, and the counts without and with merging."""
    network = DrawnNetwork(LINKS, HOSTS)
    network.advertise("pub", "11")
    network.subscribe("sub1", "1101")
    network.subscribe("sub2", "1110")
    planner = network.planner
    replay = Replay.of(planner, EVENTS)
    before = replay.through(planner.tables())
    result = aggregate(planner, "fa-pb", EVENTS, budgets=dict.fromkeys(switches, 1))
    network.request(**result.request)
    return network, before, replay.through(planner.tables())


def test_2a_flows_without_merging() -> None:
    network, before, _ = merged_at()
    assert network.flows("R2") == {"1101": {2}, "1110": {2}}
    assert network.flows("R3") == {"1101": {"sub1"}, "1110": {"sub2"}}
    assert (before.copies.total(), before.unwanted) == (4, 0)


def test_2b_a_merge_behind_precise_filters_adds_nothing() -> None:
    network, before, after = merged_at("R2")
    assert network.flows("R2") == {"11": {2}}
    assert after.copies == before.copies
    assert after.unwanted == 0


def test_2b_a_merge_of_different_ports_adds_what_the_other_port_wants() -> None:
    network, _, after = merged_at("R3")
    assert network.flows("R3") == {"11": {"sub1", "sub2"}}
    assert after.unwanted_by == {"sub1": 1, "sub2": 1}


def test_2c_false_positives_of_merged_upstream_filters_pass_on() -> None:
    network, before, after = merged_at("R1", "R2", "R3")
    assert [network.flows(switch).keys() for switch in ("R1", "R2", "R3")] == [{"11"}] * 3
    assert after.copies.total() == 2 * before.copies.total()
    assert after.unwanted_by == {"sub1": 3, "sub2": 3}


def test_3_a_merge_point_has_the_longest_common_prefix_and_all_ports() -> None:
    network = DrawnNetwork([("R1", 9, "R0", 1)], {"pub": ("R1", 1), "a": ("R1", 2), "b": ("R1", 3)})
    network.advertise("pub", "0000")
    network.subscribe("a", "0000101")
    network.subscribe("b", "0000101", "00001111")
    assert network.flows("R1") == {"0000101": {"a", "b"}, "00001111": {"b"}}
    events = [{"publisher": "pub", "values": value_in(dz)} for dz in ("00001000", "00001010", "00001111")]
    network.request(**aggregate(network.planner, "fa-pb", events, budgets={"R1": 1}).request)
    assert network.flows("R1") == {"00001": {"a", "b"}}
    found = Replay.of(network.planner, events).through(network.planner.tables())
    assert found.unwanted_by == {"a": 2, "b": 1}  # port 2 without fl1, port 3 without fl1 and fl2


def test_3_the_next_merge_point_joins_the_flow_with_the_longest_common_prefix() -> None:
    flows = [dzs.parse(dz) for dz in ("0000101", "00001111", "0001")]
    m1 = dzs.common_prefix(flows[0], flows[1])
    assert dzs.text(m1) == "00001"
    assert dzs.text(dzs.common_prefix(m1, flows[2])) == "000"
