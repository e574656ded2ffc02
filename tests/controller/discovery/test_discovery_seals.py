"""Probes that hosts forge, record or relay, and unconfirmed links: over two switches in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from controller_app.discovery import probe_faults
from controller_app.discovery import prober as discovery_module
from controller_app.discovery.confirmed_topology import ConfirmedTopology
from controller_app.discovery.prober import LinkProber
from controller_app.monitoring.alarms import Alarms
from controller_app.monitoring.event_ring import EventRing
from controller_app.openflow import lldp
from controller_app.openflow.lldp import ProbeFault
from controller_app.switch.connection import Connection
from controller_app.switch.registry import SwitchRegistry

A, B, C = 0xA1, 0xB2, 0xC3
KEY, PERIOD, WINDOW = b"k" * 32, 5.0, 10.0
Pair = tuple[tuple[int, int], tuple[int, int]]


class Lab:
    """Switches with ports 1 to 3; each probe that leaves a port is stored for the test."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.registry, self.events = SwitchRegistry(), EventRing()
        self.alarms = Alarms(self.events, lambda: self.now)
        self.turns: list[tuple[Pair, bool]] = []
        self.sent: dict[tuple[int, int], bytes] = {}
        self.discovery = self.new_run()
        self.switches = {dpid: self.connect(dpid) for dpid in (A, B, C)}

    def new_run(self, key: bytes = KEY) -> LinkProber:
        changed = lambda pair, used: self.turns.append((pair, used))  # noqa: E731
        return LinkProber(self.registry, self.events, self.alarms, PERIOD, on_use_changed=changed, key=key)

    def connect(self, dpid: int) -> Connection:
        queue = SimpleNamespace(qsize=lambda: 0)
        datapath: Any = SimpleNamespace(address=("192.0.2.1", dpid), xid=0, send_q=queue)
        datapath.send = lambda frame: self.keep(dpid, frame)
        connection = Connection(datapath, dpid, self.registry.next_epoch(), 1.0)
        for number in (1, 2, 3):
            connection.on_port(number, b"p", f"02:00:00:00:00:0{number}", 0, 0)
        self.registry.claim(connection)
        connection.ready = True
        return connection

    def keep(self, dpid: int, frame: bytes) -> bool:
        probe = frame[40:]  # after the packet-out and its one action
        found = lldp.parse(KEY, probe)
        self.sent[dpid, found.port if isinstance(found, lldp.Probe) else 0] = probe
        return True

    def round(self) -> None:
        """Run one period: probes leave all ports, and links are updated."""
        for connection in self.registry:
            self.discovery.probe(connection, connection.up_ports())

    def carry(self, sender: tuple[int, int], receiver: tuple[int, int], frame: bytes | None = None) -> None:
        self.discovery.packet_in(self.switches[receiver[0]], receiver[1], frame or self.sent[sender])

    def join(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        self.round()
        self.carry(one, other)
        self.carry(other, one)

    def standing(self, name: str) -> list[dict[str, object]]:
        return [alarm.to_json() for alarm in self.alarms.standing() if alarm.name == name]

    def rows(self) -> list[dict[str, object]]:
        return self.discovery.links_json()


@pytest.fixture
def lab(monkeypatch) -> Lab:
    made: list[Lab] = []
    monkeypatch.setattr(discovery_module, "monotonic", lambda: made[0].now if made else 1000.0)
    made.append(Lab())
    made[0].now += 60
    return made[0]


CHASSIS = b"\x02\x11\x07" + b"%016x" % B
IMITATION = bytes(12) + b"\x88\xcc" + CHASSIS + bytes.fromhex("0402073106020078" + "0000")


def test_a_probe_carried_in_time_makes_a_link_and_no_alarm(lab) -> None:
    lab.join((A, 1), (B, 1))
    assert [(row["a_port"], row["confirmed"], row["edge"]) for row in lab.rows()] == [(1, False, False)]
    assert lab.alarms.standing() == [] and lab.discovery.faults.total() == 0


@pytest.mark.parametrize(
    ("fault", "late", "change"),
    [
        (ProbeFault.UNSEALED, 0.0, lambda frame: IMITATION),
        (ProbeFault.FORGED, 0.0, lambda frame: frame[:-20] + bytes(16) + frame[-4:]),
        (ProbeFault.STALE, WINDOW + 0.1, lambda frame: frame),
    ],
)
def test_a_faulty_probe_is_counted_and_named_with_switch_and_port(lab, fault, late, change) -> None:
    lab.round()
    lab.now += late
    for sender, receiver in (((A, 1), (B, 1)), ((B, 1), (A, 1))):
        lab.carry(sender, receiver, change(lab.sent[sender]))
    assert lab.rows() == [] and lab.discovery.faults == {fault: 2}
    alarms = {(one["dpid"], one["port"], one["reason"]) for one in lab.standing("bad_probe")}
    assert alarms == {(f"{A:016x}", 1, fault.value), (f"{B:016x}", 1, fault.value)}
    lab.now += 61
    lab.alarms.sweep()
    assert lab.standing("bad_probe") == []


def test_a_recorded_probe_does_not_keep_a_link_alive(lab) -> None:
    lab.join((A, 1), (B, 1))
    recorded = dict(lab.sent)
    for _ in range(6):
        lab.now += PERIOD
        lab.carry((A, 1), (B, 1), recorded[A, 1])
        lab.carry((B, 1), (A, 1), recorded[B, 1])
        lab.discovery._update_links()
    assert [row["silent"] for row in lab.rows()] == [True]
    assert lab.discovery.faults[ProbeFault.REPLAYED] and lab.discovery.faults[ProbeFault.STALE]
    assert lab.standing("link_silent")


def test_a_probe_of_an_earlier_run_is_no_alarm_right_after_the_start(lab) -> None:
    lab.round()
    old = lab.sent[A, 1]
    lab.discovery = lab.new_run()
    lab.carry((A, 1), (B, 1), old)
    assert lab.discovery.faults == {ProbeFault.STALE: 1} and lab.alarms.standing() == []
    lab.now += WINDOW
    lab.carry((A, 1), (B, 1), old)
    assert [one["reason"] for one in lab.standing("bad_probe")] == ["stale"]


def test_frames_of_other_systems_and_reflections_are_counted_only(lab) -> None:
    lab.round()
    lab.carry((A, 1), (A, 1))
    lab.carry(
        (A, 1), (B, 1), bytes(12) + bytes.fromhex("88cc0207040000000000b20204070000000106020078" + "0000")
    )
    assert lab.discovery.faults == {ProbeFault.REFLECTED: 1, ProbeFault.FOREIGN: 1}
    assert lab.alarms.standing() == []


def test_alarms_of_faulty_probes_are_bounded(lab, monkeypatch) -> None:
    monkeypatch.setattr(probe_faults, "MOST_FAULTS", 3)
    for dpid in (A, B, C):
        for port in (1, 2, 3, 77):
            lab.carry((A, 1), (dpid, port), IMITATION)
    names = [one["dpid"] for one in lab.standing("bad_probe")]
    assert len(names) == 4 and names[-1] == "others"


def test_a_port_with_a_host_raises_an_alarm_and_is_never_the_end_of_a_link_in_use(lab) -> None:
    lab.discovery.confirm(ConfirmedTopology("one", frozenset(), frozenset({(A, 3), (B, 3)})))
    lab.join((A, 3), (B, 3))
    assert [(row["edge"], row["confirmed"]) for row in lab.rows()] == [(True, False)]
    assert {(one["dpid"], one["port"]) for one in lab.standing("probe_at_edge")} == {
        (f"{A:016x}", 3),
        (f"{B:016x}", 3),
    }
    assert lab.turns == []
    lab.discovery.confirm(ConfirmedTopology("two"))
    assert lab.standing("probe_at_edge") == []


def test_a_link_is_in_use_once_found_and_confirmed_in_either_order(lab) -> None:
    pair = ((A, 1), (B, 1))
    lab.join(*pair)
    assert lab.turns == []
    lab.discovery.confirm(ConfirmedTopology("one", frozenset({pair, ((A, 2), (C, 2))})))
    assert lab.turns == [(pair, True)]
    lab.join((A, 2), (C, 2))
    assert lab.turns[1:] == [(((A, 2), (C, 2)), True)]
    lab.discovery.port_down(lab.switches[A], 2)
    lab.discovery.confirm(ConfirmedTopology("two"))
    assert lab.turns[2:] == [(((A, 2), (C, 2)), False), (pair, False)]


def test_a_confirmed_link_that_no_probe_crosses_is_an_alarm_until_one_does(lab) -> None:
    pair = ((A, 1), (B, 1))
    lab.discovery.confirm(ConfirmedTopology("one", frozenset({pair})))
    for _ in range(4):
        lab.discovery._update_links()
        assert lab.standing("link_unprobed") == []
        lab.now += PERIOD
    lab.discovery._update_links()
    (alarm,) = lab.standing("link_unprobed")
    assert (alarm["a"], alarm["a_port"], alarm["b"], alarm["b_port"]) == (f"{A:016x}", 1, f"{B:016x}", 1)
    lab.join(*pair)
    lab.discovery._update_links()
    assert lab.standing("link_unprobed") == []


def test_a_link_to_a_port_that_is_down_or_a_switch_that_is_away_is_not_called_unprobed(lab) -> None:
    away = ((A, 2), (0xFF, 1))
    lab.discovery.confirm(ConfirmedTopology("one", frozenset({((A, 1), (B, 1)), away})))
    lab.switches[B].on_port(1, b"p", "02:00:00:00:00:01", 1, 0)
    for _ in range(6):
        lab.discovery._update_links()
        lab.now += PERIOD
    assert lab.standing("link_unprobed") == []


def test_links_of_disconnected_switches_are_limited(lab, monkeypatch) -> None:
    """Datapath ids may be invented: links of absent switches are kept up to a limit, without the oldest."""
    monkeypatch.setattr(discovery_module, "MOST_ABSENT", 2)
    lab.join((A, 1), (B, 1))
    lab.discovery.confirm(ConfirmedTopology("t", links=frozenset({((A, 1), (B, 1))})))
    for n in range(10):
        one, other = 0x1000 + 2 * n, 0x1001 + 2 * n
        for dpid in (one, other):
            lab.switches[dpid] = lab.connect(dpid)
        lab.join((one, 2), (other, 3))
        for dpid in (one, other):
            lab.registry.release(lab.switches[dpid])
            lab.discovery.switch_gone(lab.switches[dpid])
    lab.registry.release(lab.switches[B])
    lab.discovery.switch_gone(lab.switches[B])
    pairs = [(row["a"], row["confirmed"]) for row in lab.rows()]
    assert pairs == [(f"{A:016x}", True), (f"{0x1010:016x}", False), (f"{0x1012:016x}", False)]
    assert {end[0] for end in lab.discovery._probes.lives} == {A, C}
    assert {end[0] for end in lab.discovery._answered_at} <= {A, C}


def test_a_probe_of_before_a_switch_came_again_is_outdated(lab) -> None:
    lab.round()
    lab.discovery.switch_gone(lab.switches[A])
    recorded = dict(lab.sent)
    lab.round()
    lab.carry((A, 1), (B, 1), recorded[A, 1])
    assert lab.discovery.faults[ProbeFault.OUTDATED] == 1
    lab.carry((A, 1), (B, 1))
    assert lab.discovery.faults.total() == 1
