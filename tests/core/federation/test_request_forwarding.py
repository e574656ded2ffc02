"""Requests as the paper forwards them, on a tree of partitions."""

from tercast.eventspace.dz import parse
from tercast.federation.world.request_forwarding import RequestForwarding


def test_figure_5_of_pleroma() -> None:
    run = RequestForwarding(["N1", "N2", "N3"], [("N1", "N2"), ("N2", "N3")])
    run.advertise("N1", (parse("0"),))
    assert run.received == {"N1": 1, "N2": 1, "N3": 1}
    run.subscribe("N3", (parse("00"),))
    assert run.received == {"N1": 2, "N2": 2, "N3": 2}
    run.subscribe("N2", (parse("000"),))
    assert run.received == {"N1": 2, "N2": 3, "N3": 2}, "covered: not sent to N1"


def test_a_subscription_without_an_advertisement_and_a_covered_advertisement_stay() -> None:
    run = RequestForwarding(["A", "B"], [("A", "B")])
    run.subscribe("B", (parse("1"),))
    run.advertise("A", (parse("0"),))
    run.advertise("A", (parse("01"),))
    assert sum(run.forwarded.values()) == 1
