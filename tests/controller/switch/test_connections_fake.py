"""Accepted and refused peers with their alarms, and the end of broken channels."""

from __future__ import annotations

import random
import socket
import struct

import pytest

from tests.support.controller.controller_harness import dpid, entry, eventually, output
from tests.support.controller.fake_switch import FLOW, PORT_DESC
from tests.waiting import LIMIT_SECONDS

A = 0xA1
LARGEST = (1 << 64) - 1


@pytest.mark.parametrize("number", [1, 1 << 63, LARGEST])
def test_large_datapath_ids_go_through_unchanged(network, controller, number) -> None:
    fake = network.add(number)
    controller.await_switches(dpid(number))
    wanted = entry("ff0e:4::/32", 18, output(1))
    result = controller.change({"dpid": dpid(number).upper(), "add": [wanted]})
    assert result[dpid(number)]["state"] == "confirmed"
    assert controller.entries(dpid(number)) == [wanted]
    assert len(fake.own()) == 1


def test_datapath_id_zero_is_refused_and_reported(network, controller) -> None:
    fake = network.add(0)
    assert fake.closed.wait(LIMIT_SECONDS)
    assert "bad_dpid" in controller.alarm_names()
    assert controller.dpids() == set()


def test_a_second_switch_with_one_id_is_refused_and_the_first_goes_on(network, controller) -> None:
    first = network.add(A)
    controller.await_switches(dpid(A))
    newest = controller.get("/v1/events")["newest"]
    seen = controller.get("/v1/switches")
    second = network.add(A)
    assert second.closed.wait(LIMIT_SECONDS)
    assert not first.closed.is_set()
    assert controller.get("/v1/switches") == seen
    assert controller.change({"dpid": dpid(A), "add": [entry("ff0e:4::/32", 18)]})[dpid(A)]["removed"]
    assert len(first.own()) == 1 and not second.own()
    events = controller.get(f"/v1/events?after={newest}")["events"]
    assert [(event["kind"], event["alarm"], event["dpid"]) for event in events] == [
        ("alarm", "duplicate_dpid", dpid(A))
    ]


def test_a_duplicate_may_take_over_after_the_first_is_gone(network, controller) -> None:
    first = network.add(A)
    controller.await_switches(dpid(A))
    epoch = controller.get("/v1/switches")[0]["epoch"]
    first.stop()
    assert eventually(lambda: not controller.dpids())
    network.add(A)
    controller.await_switches(dpid(A))
    assert controller.get("/v1/switches")[0]["epoch"] > epoch


def test_a_switch_that_speaks_only_1_0_is_refused_by_its_name(network, controller) -> None:
    fake = network.add(0x10, version=1)
    assert fake.closed.wait(LIMIT_SECONDS)
    alarms = [alarm for alarm in controller.get("/v1/alarms") if alarm["alarm"] == "openflow_version"]
    assert [alarm["dpid"] for alarm in alarms] == [dpid(0x10)]
    assert "OpenFlow13" in alarms[0]["detail"]
    assert controller.dpids() == set()


def test_a_switch_that_speaks_only_1_1_is_refused_and_reported(network, controller) -> None:
    fake = network.add(0x11, version=2)
    assert fake.closed.wait(LIMIT_SECONDS)
    assert eventually(lambda: any("version" in alarm["detail"] for alarm in controller.get("/v1/alarms")))
    assert controller.dpids() == set()


@pytest.mark.parametrize("mute", [PORT_DESC, FLOW])
def test_a_switch_that_does_not_answer_at_first_is_cut_off(network, controller, mute) -> None:
    fake = network.make(A)
    fake.faults.mute = frozenset({mute})
    fake.start()
    assert fake.closed.wait(LIMIT_SECONDS)
    assert controller.dpids() == set()


def test_garbage_ends_only_its_own_connection(network, controller) -> None:
    network.add(A)
    controller.await_switches(dpid(A))
    generator = random.Random(7)
    for length in (1, 7, 8, 9, 64, 5000):
        with socket.create_connection(("127.0.0.1", controller.openflow)) as peer:
            peer.sendall(generator.randbytes(length))
    with socket.create_connection(("127.0.0.1", controller.openflow)) as peer:
        peer.sendall(struct.pack("!BBHI", 4, 0, 8, 1) + struct.pack("!BBHI", 4, 19, 16, 2) + bytes(8))
    network.add(0xB2)
    controller.await_switches(dpid(A), dpid(0xB2))


def test_a_switch_that_falls_silent_is_closed(network, controller) -> None:
    fake = network.add(A)
    controller.await_switches(dpid(A))
    newest = controller.get("/v1/events")["newest"]
    fake.faults.deaf = True
    assert fake.closed.wait(LIMIT_SECONDS)
    events = controller.get(f"/v1/events?after={newest}&wait=5")["events"]
    assert [(event["kind"], event["epoch"] > 0) for event in events] == [("switch_gone", True)]
    assert "silent" in events[0]["reason"]


def test_what_a_switch_says_of_itself_is_reported(network, controller) -> None:
    network.add(A, ports=(1, 2))
    controller.await_switches(dpid(A))
    switch = controller.get("/v1/switches")[0]
    assert switch["tables"] == 2
    assert "flow_stats" in switch["capabilities"]
    assert switch["description"]["manufacturer"] == "fake"
    assert switch["problems"] == []
    assert switch["ports"] == [
        {"port": 1, "name": "p1", "up": True, "mac": "02:00:00:a1:00:01"},
        {"port": 2, "name": "p2", "up": True, "mac": "02:00:00:a1:00:02"},
    ]


def test_a_reserved_entry_that_is_refused_is_a_problem(network, controller) -> None:
    fake = network.make(A)
    fake.faults.refuse = lambda match: (5, 1) if 12 in match and 0 not in match else None
    fake.start()
    controller.await_switches(dpid(A))
    (problem,) = controller.get("/v1/switches")[0]["problems"]
    assert "225.128.0.0/9" in problem and "table_full" in problem
    assert "switch_problem" in controller.alarm_names()


def test_a_foreign_entry_in_the_place_of_a_reserved_one_stays_and_is_reported(network, controller) -> None:
    fake = network.make(A)
    foreign = fake.put(cookie=0x99, priority=1, dst=0xFF0E << 112, length=16)
    fake.start()
    controller.await_switches(dpid(A))
    (problem,) = controller.get("/v1/switches")[0]["problems"]
    assert "ff0e::/16" in problem
    assert foreign in fake.table and len(fake.own(kind=2)) == 1


def test_own_entries_from_before_stay_at_connect(network, controller) -> None:
    fake = network.make(A)
    kept = fake.put(cookie=0x7EC0A57E00000001, priority=18, dst=0xFF0E0004 << 96, length=32)
    fake.start()
    controller.await_switches(dpid(A))
    assert kept in fake.table
    assert controller.entries(dpid(A)) == [entry("ff0e:4::/32", 18)]


def test_ports_are_reported_as_they_change(network, controller) -> None:
    fake = network.add(A, ports=(1, 2))
    controller.await_switches(dpid(A))
    newest = controller.get("/v1/events")["newest"]
    fake.port_status(1, up=False)
    fake.port_status(1, up=True)
    fake.port_status(9, up=True, reason=0)
    fake.port_status(2, up=False, reason=1)
    wanted = [("port_down", 1), ("port_up", 1), ("port_up", 9), ("port_down", 2)]

    def is_reported() -> bool:
        events = controller.get(f"/v1/events?after={newest}")["events"]
        return [(event["kind"], event["port"]) for event in events] == wanted

    assert eventually(is_reported)
    assert [port["port"] for port in controller.get("/v1/switches")[0]["ports"]] == [1, 9]


def test_a_long_poll_answers_when_something_happens(network, controller) -> None:
    newest = controller.get("/v1/events")["newest"]
    network.add(A)
    kinds = []
    while "switch_connected" not in kinds:  # an earlier switch may still be reported as disconnected
        page = controller.get(f"/v1/events?after={newest}&wait=60")
        assert page["events"], "the poll ended without an event"
        kinds += [event["kind"] for event in page["events"]]
        newest = page["newest"]
