"""Drawings of Mishra's thesis 3450: 4.1 to 4.6, with the flows that the text gives."""

from tests.support.drawn_networks import DrawnNetwork

LINKS = [("R1", 1, "R4", 6), ("R1", 2, "R2", 1)]
HOSTS = {"P1": ("R1", 5), "S1": ("R4", 3), "S2": ("R2", 4), "S3": ("R2", 5), "P2": ("R4", 4)}


def in_a_tree(*subscribers: tuple[str, str]) -> DrawnNetwork:
    network = DrawnNetwork(LINKS, HOSTS, family="ipv4")
    network.advertise("P1", "00")
    for host, dz in subscribers:
        network.subscribe(host, dz)
    return network


def test_4_1_publishers_join_a_tree_and_found_one_for_the_rest() -> None:
    network = DrawnNetwork(LINKS, HOSTS)
    network.advertise("P1", "000")
    assert network.trees() == [{"000"}]
    network.advertise("P2", "0000")
    assert network.trees() == [{"000"}]
    network.advertise("S3", "00")  # the drawing's P3
    assert network.trees() == [{"000"}, {"001"}]


def test_4_1_a_publisher_that_covers_trees_founds_one_for_what_they_lack() -> None:
    """The text lists {010, 011, 00100, 00110, 00111}, which is the same space."""
    network = DrawnNetwork(LINKS, HOSTS)
    network.advertise("P1", "000")
    network.advertise("P2", "00101")
    network.advertise("S3", "0")
    assert network.trees() == [{"000"}, {"00101"}, {"01", "00100", "0011"}]


def test_4_2_the_first_subscriber_gets_the_flows_of_the_text() -> None:
    network = in_a_tree(("S1", "00"))
    (first,), (last,) = network.planner.table("R1"), network.planner.table("R4")
    assert (first.dst, last.dst) == ("225.128.0.0/11", "225.128.0.0/11")
    assert network.flows("R1") == {"00": {1}}
    assert network.flows("R4") == {"00": {"S1"}}


def test_4_3_a_wider_subscription_upgrades_flows() -> None:
    network = in_a_tree(("S1", "00"), ("S2", "0000"))
    assert network.flows("R1") == {"00": {1}, "0000": {1, 2}}
    assert network.flows("R2") == {"0000": {"S2"}}
    network.subscribe("S3", "00")
    assert network.flows("R1") == {"00": {1, 2}}
    assert network.flows("R2") == {"00": {"S3"}, "0000": {"S2", "S3"}}
    assert network.entries("R2")["0000"].priority > network.entries("R2")["00"].priority


def test_4_3_the_order_of_subscriptions_does_not_matter() -> None:
    one = in_a_tree(("S1", "00"), ("S2", "0000"), ("S3", "00"))
    other = in_a_tree(("S3", "00"), ("S1", "00"), ("S2", "0000"))
    assert one.planner.tables() == other.planner.tables()


def test_4_4_a_withdrawal_downgrades_flows() -> None:
    network = in_a_tree(("S1", "00"), ("S2", "0000"), ("S3", "00"))
    network.unsubscribe("S3")
    assert network.flows("R1") == {"00": {1}, "0000": {1, 2}}
    assert network.flows("R2") == {"0000": {"S2"}}


def test_4_4_a_withdrawal_stops_where_another_subscriber_covers_it() -> None:
    network = in_a_tree(("S1", "00"), ("S2", "0000"), ("S3", "00"))
    network.unsubscribe("S2")
    assert network.flows("R1") == {"00": {1, 2}}
    assert network.flows("R2") == {"00": {"S3"}}


def test_4_5_a_second_publisher_needs_one_more_flow() -> None:
    network = in_a_tree(("S1", "00"), ("S2", "0000"), ("S3", "00"))
    before = {switch: network.flows(switch) for switch in ("R1", "R2", "R4")}
    network.advertise("P2", "0000")
    assert network.flows("R4") == {"00": {"S1"}, "0000": {6, "S1"}}
    assert (network.flows("R1"), network.flows("R2")) == (before["R1"], before["R2"])
    network.unadvertise("P2")
    assert {switch: network.flows(switch) for switch in before} == before


def test_4_6_flows_are_downgraded_to_the_publisher_that_stays() -> None:
    network = in_a_tree(("S1", "00"), ("S2", "0000"), ("S3", "00"))
    network.advertise("P2", "0000")
    network.unadvertise("P1")
    assert network.flows("R4") == {"0000": {6, "S1"}}
    assert network.flows("R1") == {"0000": {2}}
    assert network.flows("R2") == {"0000": {"S2", "S3"}}
