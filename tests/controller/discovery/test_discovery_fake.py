"""Links that are found, lost and doubtful, over segments that a test can change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.controller.controller_harness import Controller, dpid, eventually, running
from tests.support.controller.fake_switch import FakeNetwork
from tests.support.controller.scraped_metrics import scrape, value

A, B, C = 0xA1, 0xB2, 0xC3


@pytest.fixture
def controller(run_dir: Path) -> Iterator[Controller]:
    """A separate controller for each test, because links outlive the connections of switches."""
    with running(run_dir, "--reply-timeout", "1") as started:
        yield started


@pytest.fixture
def joined(network: FakeNetwork, controller) -> FakeNetwork:
    """Two switches that are connected at their ports 1, with a found link."""
    network.join((A, 1), (B, 1))
    for number in (A, B):
        network.add(number)
    assert eventually(lambda: links(controller) == {(A, 1, B, 1)})
    return network


def links(controller) -> set[tuple[int, int, int, int]]:
    return {
        (int(link["a"], 16), link["a_port"], int(link["b"], 16), link["b_port"])
        for link in controller.get("/v1/links")
    }


def alarms(controller, name: str) -> list[dict]:
    return [alarm for alarm in controller.get("/v1/alarms") if alarm["alarm"] == name]


def kinds(controller, after: int) -> list[str]:
    return [event["kind"] for event in controller.get(f"/v1/events?after={after}")["events"]]


def test_a_link_added_while_both_switches_run_is_found(joined, controller) -> None:
    joined.join((A, 2), (B, 3))
    assert eventually(lambda: links(controller) == {(A, 1, B, 1), (A, 2, B, 3)})


def test_a_port_that_goes_down_ends_its_link_at_once(joined, controller) -> None:
    newest = controller.get("/v1/events")["newest"]
    joined.switches[1].port_status(1, up=False)
    assert eventually(lambda: links(controller) == set())
    assert kinds(controller, newest) == ["port_down", "link_lost"]
    joined.switches[1].port_status(1, up=True)
    assert eventually(lambda: links(controller) == {(A, 1, B, 1)})


def test_lost_probes_alone_move_nothing_but_raise_an_alarm(joined, controller) -> None:
    newest = controller.get("/v1/events")["newest"]
    joined.part((A, 1))
    assert eventually(lambda: alarms(controller, "link_silent"))
    assert "It stays in use" in alarms(controller, "link_silent")[0]["detail"]
    assert links(controller) == {(A, 1, B, 1)}
    assert controller.get("/v1/links")[0]["silent"]
    joined.join((A, 1), (B, 1))
    assert eventually(lambda: not alarms(controller, "link_silent"))
    assert kinds(controller, newest) == ["alarm", "alarm"]


def test_a_switch_that_leaves_the_controller_keeps_its_links(joined, controller) -> None:
    newest = controller.get("/v1/events")["newest"]
    joined.switches[1].stop()
    assert eventually(lambda: dpid(B) not in controller.dpids())
    joined.switches[1].start()
    controller.await_switches(dpid(B))
    assert links(controller) == {(A, 1, B, 1)}
    assert "link_lost" not in kinds(controller, newest)


def test_a_switch_that_comes_back_without_the_port_loses_the_link(joined, controller) -> None:
    joined.switches[1].stop()
    del joined.switches[1].ports[1]
    joined.switches[1].start()
    assert eventually(lambda: links(controller) == set())


def test_a_cable_that_moves_without_port_status_is_followed_by_what_answers(joined, controller) -> None:
    joined.part((A, 1))
    joined.join((A, 1), (B, 4))
    assert eventually(lambda: links(controller) == {(A, 1, B, 4)})


def test_one_way_hearing_is_no_link(network, controller) -> None:
    network.join((A, 1), (B, 1))
    deliver = network._deliver
    network._deliver = lambda number, port, frame: number == B and deliver(number, port, frame)
    for number in (A, B):
        network.add(number)
    controller.await_switches(dpid(A), dpid(B))
    eventually(lambda: links(controller), limit=1.5)
    assert network.frames.keys() >= {(A, 1), (B, 1)}
    assert links(controller) == set()


def test_a_hub_between_three_ports_is_no_link_but_an_alarm(network, controller) -> None:
    network.join((A, 1), (B, 1), (C, 1))
    network.join((A, 2), (B, 2))
    for number in (A, B, C):
        network.add(number)
    assert eventually(lambda: len(alarms(controller, "shared_segment")) == 3)
    assert eventually(lambda: links(controller) == {(A, 2, B, 2)})


def test_a_switch_that_floods_probes_makes_no_phantom_link(network, controller) -> None:
    """A is connected to B and C, and forwards what it receives: B and C hear each other through it."""
    network.join((A, 1), (B, 1))
    network.join((A, 2), (C, 1))
    carry = network._deliver

    def flood(number: int, port: int, frame: bytes) -> None:
        carry(number, port, frame)
        if number == A:
            other = {1: (C, 1), 2: (B, 1)}[port]
            carry(*other, frame)

    network._deliver = flood
    for number in (A, B, C):
        network.add(number)
    true = {(A, 1, B, 1), (A, 2, C, 1)}
    assert eventually(lambda: links(controller) == true)
    newest = controller.get("/v1/events")["newest"]
    eventually(lambda: kinds(controller, newest), limit=2.5)
    assert links(controller) == true
    assert kinds(controller, newest) == []


def test_foreign_forged_and_replayed_frames_make_no_link(network, controller) -> None:
    for number in (A, B):
        network.add(number)
    assert eventually(lambda: {(A, 1), (B, 1)} <= network.frames.keys())
    a, b = network.switches
    frame = network.frames[B, 1]
    forged = frame[:-20] + bytes(16) + frame[-4:]
    foreign = frame[:14] + bytes.fromhex("0207040000000000b20204070000000106020078") + b"\0\0"
    for bad in (forged, foreign, frame[:40], b"", frame[:13], b"\xff" * 2000):
        a.packet_in(1, bad)
    for good, sender in ((network.frames[A, 1], b), (frame, a)):
        sender.port_status(1, up=False)
        sender.packet_in(1, good)
    a.port_status(1, up=True)
    b.port_status(1, up=True)
    eventually(lambda: links(controller), limit=1.0)
    assert links(controller) == set()


def test_frames_from_an_earlier_life_of_a_port_make_no_link(network, controller) -> None:
    for number in (A, B):
        network.add(number)
    assert eventually(lambda: {(A, 1), (B, 1)} <= network.frames.keys())
    a, b = network.switches
    old = network.frames[A, 1], network.frames[B, 1]
    for up in (False, True):
        a.port_status(1, up=up)
        b.port_status(1, up=up)
    assert eventually(lambda: (network.frames[A, 1] != old[0]) and (network.frames[B, 1] != old[1]))
    for frames in (old, (network.frames[A, 1], old[1])):
        b.packet_in(1, frames[0])
        a.packet_in(1, frames[1])
    eventually(lambda: links(controller), limit=1.0)
    assert links(controller) == set()
    b.packet_in(1, network.frames[A, 1])
    a.packet_in(1, network.frames[B, 1])
    assert eventually(lambda: links(controller) == {(A, 1, B, 1)})


def test_a_port_that_hears_itself_is_no_link(network, controller) -> None:
    network.add(A)
    assert eventually(lambda: (A, 1) in network.frames)
    network.switches[0].packet_in(1, network.frames[A, 1])
    eventually(lambda: links(controller), limit=0.5)
    assert links(controller) == set()


def test_parallel_links_are_two(network, controller) -> None:
    network.join((A, 1), (B, 2))
    network.join((A, 2), (B, 1))
    for number in (A, B):
        network.add(number)
    assert eventually(lambda: links(controller) == {(A, 1, B, 2), (A, 2, B, 1)})


def test_a_flood_of_probes_at_a_port_hides_no_link_of_another_and_is_an_alarm(joined, controller) -> None:
    def flood() -> list[dict]:
        for _ in range(1000):
            joined.switches[0].packet_in(3, b"\1\x80\xc2\0\0\x0e" + bytes(6) + b"\x88\xcc" + bytes(46))
        return alarms(controller, "probe_flood")

    foreign = bytes(12) + b"\x08\x00" + bytes(46)
    for _ in range(3000):
        joined.switches[0].packet_in(4, foreign, cookie=0)  # another owner's table-miss entry
    (alarm,) = eventually(flood)
    assert (alarm["dpid"], alarm["port"]) == (dpid(A), 3)
    assert value(scrape(controller), "probes_refused_total", reason="rate")
    joined.join((A, 2), (B, 2))
    flood()
    assert eventually(lambda: links(controller) == {(A, 1, B, 1), (A, 2, B, 2)})
