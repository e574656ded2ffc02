"""Drawings of PLEROMA (Middleware 2014): 3 and 4, with the flows that the text gives."""

from tests.support.drawn_networks import DrawnNetwork

LINKS = [
    ("R1", 1, "R3", 1),
    ("R3", 2, "R2", 1),
    ("R3", 3, "R4", 1),
    ("R4", 2, "R5", 1),
    ("R5", 2, "R6", 1),
]
HOSTS = {"p1": ("R1", 2), "s1": ("R2", 2), "s2": ("R5", 3), "s3": ("R6", 2)}


def deployed() -> DrawnNetwork:
    network = DrawnNetwork(LINKS, HOSTS)
    network.advertise("p1", "1")
    network.subscribe("s1", "1")
    network.subscribe("s2", "100")
    return network


def test_3_longer_dz_have_the_higher_priority_and_repeat_the_ports_of_shorter_ones() -> None:
    network = deployed()
    assert network.flows("R3") == {"1": {2}, "100": {2, 3}}
    entries = network.entries("R3")
    assert entries["100"].priority > entries["1"].priority


def test_3_terminal_switches_set_the_address_of_the_host() -> None:
    network = deployed()
    assert network.flows("R2") == {"1": {"s1"}}
    assert network.flows("R5") == {"100": {"s2"}}


def test_4_five_cases_when_s3_arrives() -> None:
    network = deployed()
    first = network.flows("R1")
    network.subscribe("s3", "10")
    assert network.flows("R6") == {"10": {"s3"}}  # case 1: added
    assert network.flows("R1") == first == {"1": {1}}  # case 2: covered
    assert network.flows("R4") == {"10": {2}}  # case 3: 100 is replaced
    assert network.flows("R3") == {"1": {2}, "10": {2, 3}}  # cases 3 and 4: with the ports of 1
    assert network.flows("R5") == {"10": {2}, "100": {2, "s2"}}  # case 5: 100 gets the new port


def test_4_flows_are_downgraded_when_s3_leaves() -> None:
    network = deployed()
    before = network.planner.tables()
    network.subscribe("s3", "10")
    network.unsubscribe("s3")
    assert network.planner.tables() == before
    assert network.flows("R6") == {}
