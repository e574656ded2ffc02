"""The source check: what each switch is sent, in which order with the tables, and the alarms of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.deployment import session, session_cache
from controlplane.deployment.watcher import spoofing
from controlplane.network.models import Host
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tercast.topology.elements import Attachment
from tests.support.controlplane import network_world as world


@pytest.fixture
def checking(network, settings):
    """The network of three switches after a start with the check on."""
    settings.SOURCE_CHECK = True
    restart_worker()
    session.run()
    return network


def restart_worker():
    session_cache.forget()


def sent(network, after=0):
    """The checks that were sent, as (switch, widen, hosts at port 3, links)."""
    return [
        (row["dpid"][-1], body["widen"], [one["ip"] for one in row.get("sources", ())], row.get("links"))
        for body in network.checks[after:]
        for row in body["switches"]
    ]


def in_force(network):
    return {n: network.switches[world.dpid(n)].sources for n in (1, 2, 3)}


def test_nothing_is_sent_while_it_was_never_on(network):
    restart_worker()
    session.run()
    assert network.checks == []


def test_hosts_are_allowed_first_and_strangers_stopped_last(checking):
    links = {"1": [1], "2": [1, 2], "3": [2]}
    wanted = [(f"{n}", [f"fd00::{n}"], links[f"{n}"]) for n in (1, 2, 3)]
    assert sent(checking) == [(n, widen, ips, at) for widen in (True, False) for n, ips, at in wanted]
    assert None not in in_force(checking).values() and "off" not in in_force(checking).values()
    before = len(checking.checks)
    session.run()
    assert len(checking.checks) == before


def test_it_is_taken_away_by_a_worker_that_starts_without_it(checking, settings):
    settings.SOURCE_CHECK = False
    restart_worker()
    session.run()
    assert set(in_force(checking).values()) == {"off"}
    assert checking.checks[-1]["switches"][0] == {
        "dpid": world.dpid(1),
        "version": "off",
        "check": False,
    }


def test_a_host_is_allowed_before_its_entries_and_at_standby_attachments_too(checking):
    before, order = len(checking.checks), []
    checking.before_change = lambda: order.append(sent(checking, before))
    standby = [{"switch": "s3", "port": 7}]
    host = {"id": "h9", "switch": "s1", "port": 4, "ip": "fd00::9", "mac": "02:00:00:00:00:09"}
    world.log({"op": "add_host", "host": {**host, "standby": standby}})
    Host.objects.create(
        name="h9", switch=Host.objects.get(name="h1").switch, port=4, ip=host["ip"], mac=host["mac"]
    )
    world.advertise("h9", [""])
    world.subscribe("h3", [""])
    session.run()
    allowed = [("1", True, ["fd00::1", "fd00::9"], [1]), ("3", True, ["fd00::3", "fd00::9"], [2])]
    assert order[0] == allowed
    assert sent(checking, before) == [*allowed, *((n, False, *rest) for n, _, *rest in allowed)]


def test_a_moved_host_is_allowed_at_both_ports_until_the_move_has_ended(checking):
    before = len(checking.checks)
    world.advertise("h1", [""])
    world.subscribe("h3", [""])
    session.run()
    checking.disconnect(world.dpid(3))
    move = world.log({"op": "host_move", "host": "h1", "switch": "s2", "port": 5})
    world.subscribe("h3", ["0"])
    Request.objects.filter(pk=move.pk).update(waits_for=[])
    session.run()
    state = Request.objects.get(pk=move.pk).state
    narrowed = [row for row in sent(checking, before) if not row[1]]
    assert state == "active" or narrowed == []
    checking.connect(world.dpid(3))
    SwitchSync.objects.update(retry_at=None)
    session.run()
    restart_worker()
    session.run()
    assert Request.objects.get(pk=move.pk).state == "active"
    last = {n: ips for n, widen, ips, _ in sent(checking, before) if not widen}
    assert last["1"] == [] and last["2"] == ["fd00::2", "fd00::1"]


def test_a_switch_that_does_not_confirm_is_repaired_and_sent_it_again(checking):
    checking.disconnect(world.dpid(2))
    world.add_host(5, "s2", 5)
    session.run()
    assert SwitchSync.objects.filter(switch="s2", dirty=True).exists()
    checking.connect(world.dpid(2))
    SwitchSync.objects.update(retry_at=None)
    session.run()
    assert not SwitchSync.objects.filter(dirty=True).exists()
    assert sent(checking)[-1] == ("2", False, ["fd00::2", "fd00::5"], [1, 2])


def test_a_kill_between_allowing_and_closing_is_made_good(checking):
    version = in_force(checking)
    checking.switches[world.dpid(1)].sources = None  # a worker had allowed something, and was killed
    restart_worker()
    session.run()
    assert in_force(checking) == version


def counters(port, packets, dpid=1):
    rows = [] if packets is None else [{"dpid": world.dpid(dpid), "port": port, "dropped_packets": packets}]
    return {"sources": rows, "tables": [{"dpid": world.dpid(dpid)}]}


def alarms():
    texts = OutboxEvent.objects.filter(kind="alarm").order_by("id").values_list("payload__text", flat=True)
    return [text for text in texts if text.startswith("source check")]


def test_an_alarm_names_switch_port_host_and_packets_and_what_helps(network):
    spoofing.report_spoofing(counters(3, 0))
    assert alarms() == []
    spoofing.report_spoofing(counters(3, 7))
    (text,) = alarms()
    assert (
        "7 event packets" in text
        and "at port 3" in text
        and "registered: host h1" in text
        and "register" in text
    )


def test_a_port_has_one_alarm_a_minute_and_each_packet_is_reported_once(network):
    for packets in (2, 5, 9):
        spoofing.report_spoofing(counters(4, packets))
    assert len(alarms()) == 1 and "registered: no host" in alarms()[0]
    state = checkpoints.recall("spoofed packets", {})
    (seen,) = state.values()
    seen["at"] = (timezone.now() - timedelta(minutes=2)).isoformat()
    checkpoints.store("spoofed packets", state)
    spoofing.report_spoofing(counters(4, 9))
    assert "7 event packets" in alarms()[1]
    spoofing.report_spoofing(counters(4, 9))
    assert len(alarms()) == 2


def test_a_counter_that_begins_again_counts_from_0(network):
    spoofing.report_spoofing(counters(3, 50))
    spoofing.report_spoofing(counters(3, 4))
    state = checkpoints.recall("spoofed packets", {})
    next(iter(state.values()))["at"] = (timezone.now() - timedelta(minutes=2)).isoformat()
    checkpoints.store("spoofed packets", state)
    spoofing.report_spoofing(counters(3, 4))
    assert "4 event packets" in alarms()[-1]


def test_a_port_that_is_checked_no_more_is_forgotten_once_its_switch_is_read(network):
    spoofing.report_spoofing(counters(3, 5))
    spoofing.report_spoofing({"sources": [], "tables": []})
    assert checkpoints.recall("spoofed packets", {})
    spoofing.report_spoofing(counters(3, None))
    assert checkpoints.recall("spoofed packets", {}) == {}


def test_a_standby_host_is_named(network):
    Host.objects.filter(name="h2").update(standby=[Attachment("s1", 6).to_json()])
    spoofing.report_spoofing(counters(6, 1))
    assert "(registered: host h2)" in alarms()[0]
