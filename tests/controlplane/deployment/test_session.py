"""From a logged request to confirmed tables, when nothing goes wrong."""

import pytest

from controlplane.deployment import batches, session
from controlplane.network.models import Switch
from controlplane.requestlog.models import OutboxEvent, Request
from tests.support.controlplane import network_world as world

TO_H3 = [{"set_dst": {"ip": "fd00::3", "mac": "02:00:00:00:00:03"}}, {"output": 3}]


def request_of(row) -> Request:
    row.refresh_from_db()
    row.request.refresh_from_db()
    return row.request


def test_a_request_becomes_active_with_its_entries_on_the_switches(network):
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    request = request_of(subscription)
    assert (subscription.state, subscription.matched, request.state) == ("active", True, "active")
    assert network.tables()[world.dpid(3)] == {("ff0e:4:4000::/34", None, 20): TO_H3}
    assert world.installed()["s3"] == [("ff0e:4:4000::/34", None, 20, [{"set_dst": "h3"}, {"output": 3}])]
    assert world.trees() == [("t1", ["0"], "s1", [["s1", 1, "s2", 2], ["s2", 1, "s3", 2]])]


def test_the_stages_have_times_in_order_and_changes_are_counted(network):
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    request = request_of(subscription)
    times = [request.received_at, request.started_at, request.computed_at, request.confirmed_at]
    assert times == sorted(times)
    assert (request.added, request.removed, request.modified) == (3, 0, 0)
    assert request.switches == ["s1", "s2", "s3"]


def test_a_subscription_that_nothing_overlaps_is_active_and_unmatched_until_something_does(network):
    subscription = world.subscribe("h3", ["01"])
    session.run()
    assert request_of(subscription).matched is False
    assert (subscription.state, subscription.matched) == ("active", False)
    world.advertise("h1", ["0"])
    session.run()
    subscription.refresh_from_db()
    assert subscription.matched is True
    assert subscription.request.matched is False  # as it was when it was carried out


def test_a_withdrawal_is_active_and_what_it_withdraws_is_withdrawn(network):
    world.advertise("h1", ["0"])
    subscription = world.subscribe("h3", ["01"])
    session.run()
    withdrawal = world.withdraw(subscription)
    session.run()
    withdrawal.refresh_from_db()
    assert withdrawal.state == "active"
    assert request_of(subscription).state == "active"
    assert subscription.state == "withdrawn"
    assert not any(network.tables().values())
    assert world.installed() == {}


def test_what_is_announced_and_withdrawn_in_one_batch_reaches_no_switch(network):
    world.advertise("h1", ["0"])
    session.run()
    before = network.mods
    subscription = world.subscribe("h3", ["01"])
    world.withdraw(subscription)
    session.run()
    subscription.refresh_from_db()
    assert subscription.state == "withdrawn"
    assert network.mods == before


def test_a_refused_request_fails_with_the_reason_and_leaves_the_others_alone(network):
    Switch.objects.filter(name="s3").update(tcam_budget=0)
    world.log({"op": "set_budget", "switch": "s3", "tcam_budget": 0})
    world.advertise("h1", ["0"])
    refused = world.subscribe("h3", ["01"])
    other = world.subscribe("h2", ["01"])
    session.run()
    request = request_of(refused)
    assert (refused.state, request.state, request.confirmed_at) == ("failed", "failed", None)
    assert request.problem["switches"] == ["s3"]
    assert request.problem["errors"][0]["code"] == "budget"
    assert request_of(other).state == "active"


def test_a_budget_is_written_to_its_switch(network):
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 7})
    session.run()
    assert Switch.objects.get(name="s2").tcam_budget == 7


def test_requests_are_taken_in_order_in_bounded_batches(network, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST", 2)
    world.advertise("h1", ["0"])
    for n in range(4):
        world.subscribe("h3", [f"0{n:02b}"])
    session.run()
    rows = Request.objects.order_by("id")
    assert [row.position for row in rows] == list(range(1, rows.count() + 1))
    assert {row.state for row in rows} == {"active"}
    assert len(network.changes) == 3  # the advertisement with one subscription, two, the last one


def test_live_pages_get_a_message_for_each_of_few_requests(network):
    OutboxEvent.objects.all().delete()
    world.advertise("h1", ["0"])
    world.subscribe("h3", ["01"])
    session.run()
    events = list(OutboxEvent.objects.order_by("id").values_list("kind", "payload"))
    messages = [(payload["kind"], payload["state"]) for kind, payload in events if kind == "request"]
    assert messages == [
        ("advertise", "deploying"),
        ("subscribe", "deploying"),
        ("advertise", "active"),
        ("subscribe", "active"),
    ]
    assert [payload for kind, payload in events if kind == "tables"] == [{"s1": 1, "s2": 1, "s3": 1}]


def test_live_pages_get_one_message_for_many_requests(network):
    OutboxEvent.objects.all().delete()
    for n in range(32):
        world.subscribe("h3", [f"1{n:05b}"])
    session.run()
    last = Request.objects.order_by("-id").first().pk
    assert list(OutboxEvent.objects.values_list("kind", "payload")) == [
        ("requests", {"active": 32, "last": last})
    ]


def test_nothing_to_do_sends_nothing(network):
    before = len(network.changes)
    session.run()
    assert len(network.changes) == before


@pytest.mark.parametrize(
    "payload", [{"op": "teleport"}, {"op": "subscribe", "id": "q1"}, {"op": "link_down"}]
)
def test_a_payload_that_makes_no_sense_fails_and_stops_nobody(network, payload):
    nonsense = world.log(payload)
    world.advertise("h1", ["0"])
    good = world.subscribe("h3", ["01"])
    session.run()
    nonsense.refresh_from_db()
    assert nonsense.state == "failed"
    assert request_of(good).state == "active"
