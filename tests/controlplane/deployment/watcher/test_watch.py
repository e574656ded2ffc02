"""What the controller sees comes into the database and, where it changes the network, into the log."""

import dataclasses
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from controlplane.common.problems import Problem
from controlplane.deployment import session
from controlplane.deployment.watcher import link_load, newcomers, watch
from controlplane.network import found_links
from controlplane.network.models import FoundLink, Host, Link, Port, Switch
from controlplane.operations import alarms
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tests.support.controlplane import network_world as world

ABSENT = world.dpid(0xABC)


@pytest.fixture
def watched(network):
    """Only the three declared switches are connected, and were seen."""
    for n in range(4, 10):
        network.disconnect(world.dpid(n))
    watch.run()
    OutboxEvent.objects.all().delete()
    return network


@pytest.fixture
def no_grace(monkeypatch):
    monkeypatch.setattr(newcomers, "GRACE_SECONDS", 0)


def events(kind: str) -> list:
    return list(OutboxEvent.objects.filter(kind=kind).order_by("id").values_list("payload", flat=True))


def logged() -> list:
    payloads = list(Request.objects.order_by("id").values_list("payload", flat=True))
    return payloads[9:]  # beyond the network's own


def test_connections_ports_and_addresses_are_seen(watched):
    switch = Switch.objects.get(name="s1")
    assert (switch.connected, switch.epoch) == (True, watched.switches[world.dpid(1)].epoch)
    assert switch.address.startswith("127.0.0.1:")
    assert Port.objects.filter(switch=switch).count() == 8


def test_looking_again_writes_nothing(watched, django_assert_num_queries):
    with django_assert_num_queries(20, exact=False) as queries:
        watch.run()
    assert not [q["sql"] for q in queries if not q["sql"].startswith("SELECT")]
    assert logged() == []


def test_a_switch_that_goes_is_not_connected_and_no_link_goes_down(watched):
    watched.disconnect(world.dpid(2))
    watch.run()
    assert events("switch") == [{"name": "s2", "connected": False, "up": True, "problems": []}]
    assert logged() == []


def test_a_switch_that_comes_back_is_read_back_at_once(watched):
    watched.disconnect(world.dpid(2))
    SwitchSync.objects.update_or_create(switch="s2", defaults={"dirty": True})
    session.run()
    assert SwitchSync.objects.get(switch="s2").retry_at is not None
    watched.connect(world.dpid(2))
    watch.run()
    session.run()
    switch = Switch.objects.get(name="s2")
    assert switch.reconciled_epoch == switch.epoch == watched.switches[world.dpid(2)].epoch
    assert not SwitchSync.objects.get(switch="s2").dirty


def test_a_port_that_goes_down_takes_its_link_with_it_once(watched):
    watched.switches[world.dpid(1)].ports[1] = False
    watched.switches[world.dpid(2)].ports[2] = False
    watch.run()
    watch.run()
    assert logged() == [{"op": "link_down", "switch": "s1", "port": 1}]
    session.run()
    watch.run()
    link = Link.objects.get(a__name="s1")
    assert not link.up
    assert events("link") == [{"id": link.pk, "up": False}]
    assert len(logged()) == 1


def test_the_link_comes_back_with_the_last_of_its_ports(watched):
    ports = [watched.switches[world.dpid(1)].ports, watched.switches[world.dpid(2)].ports]
    ports[0][1] = ports[1][2] = False
    watch.run()
    ports[0][1] = True
    watch.run()
    assert len(logged()) == 1
    ports[1][2] = True
    watch.run()
    session.run()
    assert logged()[1:] == [{"op": "link_up", "switch": "s1", "port": 1}]
    assert Link.objects.get(a__name="s1").up


def test_a_link_that_an_operator_took_down_stays_down(watched):
    world.log({"op": "link_down", "switch": "s1", "port": 1})
    session.run()
    watched.switches[world.dpid(1)].ports[5] = False  # something else changes
    watch.run()
    assert len(logged()) == 1
    assert not Link.objects.get(a__name="s1").up


def test_a_hosts_port_that_goes_down_is_logged(watched):
    watched.switches[world.dpid(3)].ports[3] = False
    watch.run()
    session.run()
    assert logged() == [{"op": "link_down", "switch": "s3", "port": 3}]
    assert Request.objects.last().state == "active"


def test_a_port_that_serves_nothing_is_not_logged(watched):
    watched.switches[world.dpid(3)].ports[7] = False
    watch.run()
    assert logged() == []
    assert not Port.objects.get(switch__name="s3", number=7).up


def test_an_unknown_switch_is_taken_in_under_its_datapath_id(watched, no_grace):
    watched.connect(ABSENT)
    watch.run()
    session.run()
    switch = Switch.objects.get(dpid=ABSENT)
    assert switch.name == ABSENT
    assert switch.request.payload["switch"] == {"id": ABSENT, "dpid": ABSENT, "tcam_budget": None}
    assert Request.objects.get(pk=switch.request_id).state == "active"
    assert ABSENT in events("alarm")[0]["text"]


def test_declaring_comes_first_within_the_grace_time(watched):
    watched.connect(ABSENT)
    watch.run()
    watch.run()
    assert not Switch.objects.filter(dpid=ABSENT).exists()


def link(a: int, a_port: int, b: int, b_port: int) -> dict:
    return {
        "a": world.dpid(a),
        "a_port": a_port,
        "b": world.dpid(b),
        "b_port": b_port,
        "last_seen": "2026-01-01T00:00:00Z",
    }


def test_an_unknown_link_is_taken_in_and_carries_events(watched, no_grace):
    watched.links = [link(3, 5, 1, 6)]
    watch.run()
    session.run()
    row = Link.objects.get(a__name="s1", a_port=6)
    assert (row.b.name, row.b_port, row.request.state) == ("s3", 5, "active")
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    assert watched.tables()[world.dpid(2)] == {}  # the new way is shorter


def test_a_known_link_that_probes_cross_is_noted_from_either_end(watched, no_grace):
    watched.links = [link(2, 2, 1, 1)]
    watch.run()
    assert Link.objects.get(a__name="s1").discovered_at is not None
    assert Link.objects.get(a__name="s2").discovered_at is None
    assert logged() == []


def test_a_link_that_an_operator_removed_is_not_taken_in_again_while_probes_cross_it(watched, no_grace):
    watched.links = [link(2, 2, 1, 1)]
    watch.run()
    world.log({"op": "remove_link", "switch": "s1", "port": 1})
    session.run()
    watch.run()
    assert not Link.objects.filter(a__name="s1").exists()
    watched.links = []
    watch.run()
    watched.links = [link(2, 2, 1, 1)]
    watch.run()
    assert Link.objects.filter(a__name="s1").exists()


def test_a_link_into_a_port_that_is_declared_to_lead_elsewhere_raises_an_alarm_once(watched, no_grace):
    watched.links = [link(1, 3, 2, 7)]  # h1's port
    for _ in range(3):
        watch.run()
    assert logged() == []
    assert len(events("alarm")) == 1


def found() -> list[tuple]:
    rows = FoundLink.objects.order_by("id").select_related("a", "b")
    return [(row.name, row.state, row.reason) for row in rows]


def manual(settings, value: str = "manual") -> None:
    settings.ENV = dataclasses.replace(settings.ENV, link_approval=value)


def test_a_link_that_is_added_by_policy_is_announced(watched, no_grace):
    watched.links = [link(3, 5, 1, 6)]
    watch.run()
    assert [one["text"] for one in events("alarm")] == [
        "link s1:6 to s3:5: found by probes and added to the network"
    ]
    (event,) = events("found_link")
    assert (event["state"], event["a"], event["a_port"], event["b"], event["b_port"]) == (
        *("added", "s1", 6, "s3", 5),
    )
    assert found() == []


def test_by_policy_a_link_waits_for_approval_and_is_announced_once(watched, no_grace, settings):
    manual(settings)
    watched.links = [link(3, 5, 1, 6)]
    for _ in range(3):
        watch.run()
    assert logged() == [] and not Link.objects.filter(a__name="s1", a_port=6).exists()
    assert found() == [("s1:6 to s3:5", "waiting", "policy")]
    (alarm,) = events("alarm")
    assert "link s1:6 to s3:5, which waits for approval: it is not registered" in alarm["text"]
    found_links.approve(FoundLink.objects.get().pk, None)
    session.run()
    watch.run()
    row = Link.objects.get(a__name="s1", a_port=6)
    assert row.request.state == "active" and found() == []
    assert [world.dpid(1), 6, world.dpid(3), 5] in watched.topology["links"]
    assert [one["state"] for one in events("found_link")] == ["waiting", "approved"]


def test_a_rejected_link_stays_out_until_it_is_approved_whatever_the_policy(watched, no_grace, settings):
    manual(settings)
    watched.links = [link(3, 5, 1, 6)]
    watch.run()
    found_links.reject(FoundLink.objects.get().pk, None)
    manual(settings, "automatic")
    FoundLink.objects.update(seen_at=timezone.now() - timedelta(days=2))
    for links in (watched.links, [], watched.links):
        watched.links = links
        watch.run()
    assert logged() == [] and found() == [("s1:6 to s3:5", "rejected", "policy")]


def test_links_that_wait_are_added_when_the_policy_becomes_automatic(watched, no_grace, settings):
    manual(settings)
    watched.links = [link(3, 5, 1, 6)]
    watch.run()
    manual(settings, "automatic")
    watch.run()
    assert Link.objects.filter(a__name="s1", a_port=6).exists() and found() == []


def test_ports_with_hosts_are_never_joined_without_approval_even_when_the_host_goes(watched, no_grace):
    watched.links = [link(1, 3, 3, 3)]  # h1 and h3 relay probes
    watch.run()
    assert found() == [("s1:3 to s3:3", "waiting", "edge_port")]
    with pytest.raises(Problem) as problem:
        found_links.approve(FoundLink.objects.get().pk, None)
    assert problem.value.status == 409 and "host h1" in problem.value.detail
    Host.objects.all().delete()
    watch.run()
    assert logged() == [] and not Link.objects.filter(a_port=3).exists()
    found_links.approve(FoundLink.objects.get().pk, None)
    assert Link.objects.filter(a_port=3).exists()


def test_a_link_out_of_sight_no_longer_waits(watched, no_grace, settings):
    manual(settings)
    watched.links = [link(3, 5, 1, 6)]
    watch.run()
    watched.links = []
    watch.run()
    assert len(found()) == 1
    FoundLink.objects.update(seen_at=timezone.now() - newcomers.UNSEEN - timedelta(seconds=1))
    watch.run()
    assert found() == [] and events("found_link")[-1]["state"] == "gone"


def test_a_silent_link_is_not_added_until_probes_cross_it_steadily(watched, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(newcomers, "time", SimpleNamespace(monotonic=lambda: now[0]))

    def later(seconds: float, silent: bool) -> bool:
        now[0] += seconds
        watched.links = [{**link(3, 5, 1, 6), "silent": silent}]
        watch.run()
        return Link.objects.filter(a__name="s1", a_port=6).exists()

    assert not later(0, silent=False)
    assert not later(newcomers.GRACE_SECONDS + 1, silent=True)
    assert found() == [("s1:6 to s3:5", "waiting", "silent")]
    assert not later(1, silent=False)
    assert not later(newcomers.STEADY_SECONDS - 1, silent=False)
    assert not later(0.5, silent=True)
    assert not later(1, silent=False)
    newcomers._first_seen.clear()  # the worker restarts
    assert not later(newcomers.GRACE_SECONDS + 1, silent=False)
    assert later(newcomers.STEADY_SECONDS, silent=False)
    assert found() == []


def test_a_silent_link_can_be_approved_and_is_an_alarm_until_then(watched, no_grace):
    watched.links = [{**link(3, 5, 1, 6), "silent": True}]
    watch.run()
    assert [one.detail for one in alarms.standing()[0] if one.alarm == "links_waiting"] == [
        "1 found link waits for approval: s1:6 to s3:5"
    ]
    found_links.approve(FoundLink.objects.get().pk, None)
    assert Link.objects.filter(a__name="s1", a_port=6).exists()
    assert not [one for one in alarms.standing()[0] if one.alarm == "links_waiting"]


def test_links_and_host_ports_are_confirmed_to_the_controller_once_and_after_its_restart(watched):
    one, two = [world.dpid(1), 1, world.dpid(2), 2], [world.dpid(2), 1, world.dpid(3), 2]
    assert watched.topology["links"] == [one, two]
    assert watched.topology["edges"] == [[world.dpid(n), 3] for n in (1, 2, 3)]
    watch.run()
    assert watched.confirmations == 1
    watched.topology = {"id": None}
    watch.run()
    assert watched.topology["links"] == [one, two] and watched.confirmations == 2
    Host.objects.filter(name="h1").update(standby=[{"switch": "s2", "port": 7}])
    link = Link.objects.get(a__name="s1")
    link.removal = world.log({"op": "remove_link", "switch": "s1", "port": 1})
    link.save()
    watch.run()
    assert watched.topology["links"] == [two] and [world.dpid(2), 7] in watched.topology["edges"]


def test_a_controller_that_is_gone_raises_one_alarm_and_nobody_is_connected(watched, settings):
    url, settings.NORTHBOUND_URL = settings.NORTHBOUND_URL, "http://127.0.0.1:9"
    for _ in range(3):
        watch.run()
    assert len(events("alarm")) == 1
    assert not Switch.objects.filter(connected=True).exists()
    settings.NORTHBOUND_URL = url
    watch.run()
    assert Switch.objects.filter(connected=True).count() == 3


def test_alarms_of_the_controller_reach_live_pages_once(watched):
    watched.events = [
        {
            "id": 7001,
            "at": "",
            "kind": "alarm",
            "alarm": "duplicate_dpid",
            "state": "raised",
            "detail": "two",
        },
        {"id": 7002, "at": "", "kind": "port_up"},
    ]
    for _ in range(2):
        watch.run()
    assert [event["text"] for event in events("alarm")] == ["controller: duplicate_dpid raised: two"]


@pytest.mark.parametrize(
    ("subject", "place"),
    [
        ({"a": f"{1:016x}", "a_port": 2, "b": f"{2:016x}", "b_port": 9}, " at link s1:2 to s2:9"),
        ({"dpid": f"{3:016x}", "port": 4}, " at port 4 of s3"),
        ({"dpid": f"{3:016x}"}, " at switch s3"),
        ({"dpid": f"{77:016x}", "port": 4}, " at port 4 of 000000000000004d"),
        ({"dpid": "others", "port": "others"}, " at port others of others"),
        ({"host": "192.0.2.1"}, " at 192.0.2.1"),
        ({}, ""),
    ],
)
def test_alarms_of_the_controller_name_their_place(watched, subject, place):
    alarm = {"kind": "alarm", "alarm": "link_silent", "state": "raised", "detail": "no probe", **subject}
    watched.events = [{"id": 7001, "at": "", **alarm}]
    watch.run()
    assert [event["text"] for event in events("alarm")] == [
        f"controller: link_silent raised{place}: no probe"
    ]


def test_events_of_a_restarted_controller_are_seen(watched):
    watched.events = [{"id": 7001, "at": "", "kind": "port_up"}]
    watch.run()
    watched.events = [{"id": 5, "at": "", "kind": "alarm", "alarm": "x", "state": "raised", "detail": "y"}]
    watch.run()
    assert len(events("alarm")) == 1


def test_problems_of_a_switch_are_kept_and_reported_once(watched, monkeypatch):
    real = watched._switch
    monkeypatch.setattr(watched, "_switch", lambda dpid: {**real(dpid), "problems": ["no port statistics"]})
    for _ in range(2):
        watch.run()
    assert Switch.objects.get(name="s1").problems == ["no port statistics"]
    assert len([one for one in events("alarm") if "s1" in one["text"]]) == 1


def counted(packets: int) -> dict:
    row = {"rx_packets": 0, "rx_bytes": 0}
    return {
        "ports": [
            {"dpid": world.dpid(1), "port": 1, "tx_packets": packets, "tx_bytes": 100 * packets, **row},
            {"dpid": world.dpid(2), "port": 2, "tx_packets": 2, "tx_bytes": 200, **row},
        ],
        "tables": [],
    }


def test_the_load_of_links_is_what_both_ends_sent(watched, monkeypatch):
    monkeypatch.setattr(link_load, "PERIOD_SECONDS", 0)
    watched.counters = counted(5)
    watch.run()
    watch.run()  # nothing new, so no event
    watched.counters = counted(9)
    watch.run()
    key = str(Link.objects.get(a__name="s1").pk)
    loads = [event["links"] for event in events("load")]
    assert loads == [{key: {"packets": 7, "bytes": 700}}, {key: {"packets": 11, "bytes": 1100}}]


def test_what_a_link_lost_is_reported_once_it_is_down_and_still(watched):
    def count(sent, came):
        link_load._last["looked"] = float("-inf")
        watched.counters = {
            "ports": [
                {"dpid": world.dpid(n), "port": port, "tx_packets": tx, "rx_packets": rx, "tx_bytes": 0}
                for n, port, tx, rx in ((1, 1, sent, 3), (2, 2, 3, came))
            ],
            "tables": [],
        }
        watch.run()

    def lost():
        return Link.objects.get(a__name="s1").lost

    def alarms():
        return [event["text"] for event in events("alarm") if "lost" in event["text"]]

    count(100, 100)
    count(150, 140)  # ten are in transit
    count(200, 200)
    for end, port in ((1, 1), (2, 2)):
        watched.switches[world.dpid(end)].ports[port] = False
    count(230, 200)
    session.run()
    count(237, 200)  # the last that was sent before the tables changed
    assert (lost(), alarms()) == (0, [])
    count(237, 200)
    assert lost() == 37
    assert alarms() == ["link s1:1 to s2:2 went down: 37 packets that were sent into it are lost"]
    assert events("link")[-1] == {"id": Link.objects.get(a__name="s1").pk, "up": False, "lost": 37}
    count(237, 200)
    assert (lost(), len(alarms())) == (37, 1)
    count(5, 5)  # counters start again from zero: a switch was restarted
    count(9, 5)
    count(9, 5)
    assert lost() == 41
