"""Drawing 1.3 of Kicherer's thesis 145: a request is divided by the trees that exist."""

from tercast.eventspace import dz as dzs
from tests.support.drawn_networks import DrawnNetwork

LINKS = [("R1", 1, "R2", 1)]
HOSTS = {f"h{n}": ("R1" if n < 4 else "R2", n + 1) for n in range(1, 7)}


def test_1_3_new_partitions_and_existing_trees_divide_the_request() -> None:
    """The text gives no dz: "the existing, affected partitions, and new partitions" are the result."""
    network = DrawnNetwork(LINKS, HOSTS)
    existing = ("000", "0110", "11")
    for host, dz in zip(HOSTS, existing, strict=False):
        network.advertise(host, dz)
    network.advertise("h5", "0")
    *before, new = network.trees()
    assert before == [{dz} for dz in existing]
    inside = dzs.canonical(dzs.parse(dz) for dz in (*new, "000", "0110"))
    assert inside == dzs.canonical([dzs.parse("0")])
    assert new == {"001", "010", "0111"}


def test_1_3_a_subscription_is_served_by_each_tree_that_it_overlaps() -> None:
    network = DrawnNetwork(LINKS, HOSTS)
    network.advertise("h1", "000")
    network.advertise("h4", "001")
    network.subscribe("h6", "00")
    assert network.flows("R1") == {"000": {1}}
    assert network.flows("R2") == {"000": {"h6"}, "001": {"h6"}}
