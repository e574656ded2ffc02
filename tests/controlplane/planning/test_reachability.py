"""Announcements without a path to their matches: reported, and updated when a path appears or fails."""

import pytest
from rest_framework.test import APIClient

from controlplane.accounts.tokens import issue_token
from controlplane.deployment import request_states, session, session_cache
from controlplane.network.models import Link
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import OutboxEvent, State
from tests.support.controlplane import network_world as world


@pytest.fixture
def parted(db, controller):
    """s1 and s2 are linked, s3 is not; h1 publishes, h3 subscribes. The rows of both."""
    world.line(3)
    world.log({"op": "remove_link", "switch": "s2", "port": 1})
    ad, subscription = world.advertise("h1", ["0"]), world.subscribe("h3", ["01"])
    session.run()
    return ad, subscription


def reach(row):
    row.refresh_from_db()
    return row.reach, row.unreachable


def alarms():
    """Those about paths."""
    texts = OutboxEvent.objects.filter(kind="alarm").order_by("id").values_list("payload__text", flat=True)
    return [text for text in texts if ": no path from " in text or ": paths to all " in text]


def after(payload):
    world.log(payload)
    session.run()


LINK = {"a": "s2", "a_port": 1, "b": "s3", "b_port": 2, "cost": 1}
NONE, FULL = ("none", ["p-h1"]), ("full", [])


def test_a_match_without_a_path_is_reported_at_both_ends(parted):
    ad, subscription = parted
    assert reach(subscription) == NONE and reach(ad) == ("none", ["s-h3"])
    assert (subscription.state, subscription.matched) == ("active", True)
    assert subscription.unreachable_since is not None
    assert alarms() == [f"subscription q{subscription.pk}: no path from publisher p-h1"]
    payload = OutboxEvent.objects.get(kind="reach").payload
    assert payload == {"advertisements": 1, "subscriptions": 1}


JOINING = [
    [({"op": "add_link", "link": LINK}, {"op": "remove_link", "switch": "s2", "port": 1})],
    [
        ({"op": "add_link", "link": LINK}, {"op": "link_down", "switch": "s2", "port": 1}),
        ({"op": "link_up", "switch": "s3", "port": 2}, {"op": "switch_down", "switch": "s2"}),
        ({"op": "switch_up", "switch": "s2"}, {"op": "switch_down", "switch": "s3"}),
        ({"op": "switch_up", "switch": "s3"}, {"op": "remove_link", "switch": "s3", "port": 2}),
    ],
    [
        (
            {"op": "host_move", "host": "h3", "switch": "s2", "port": 9},
            {"op": "host_move", "host": "h3", "switch": "s3", "port": 3},
        ),
        (
            {"op": "host_move", "host": "h1", "switch": "s3", "port": 9},
            {"op": "host_move", "host": "h1", "switch": "s1", "port": 3},
        ),
    ],
]


@pytest.mark.parametrize("steps", JOINING, ids=["link", "down and up", "host"])
def test_it_follows_every_change_of_the_network(parted, steps):
    ad, subscription = parted
    for joining, parting in steps:
        after(joining)
        assert reach(subscription) == FULL == reach(ad), joining
        assert subscription.unreachable_since is None
        after(parting)
        assert reach(subscription) == NONE and reach(ad) == ("none", ["s-h3"]), parting
        last = alarms()[-2:]
        assert last[0].endswith("paths to all matching publishers exist again")
        assert last[1].endswith("no path from publisher p-h1")


def test_a_part_of_the_publishers_is_named(parted):
    ad, subscription = parted
    near, far = world.advertise("h3", ["011"]), world.advertise("h2", [""])
    session.run()
    assert reach(subscription) == ("partial", ["p-h1", "p-h2"])
    assert reach(near) == FULL and reach(far) == ("none", ["s-h3"])
    world.withdraw(ad)
    session.run()
    assert reach(subscription) == ("partial", ["p-h2"]) and reach(ad) == FULL
    world.withdraw(far)
    session.run()
    assert reach(subscription) == FULL
    world.withdraw(near)
    session.run()
    assert reach(subscription) == FULL and subscription.matched is False
    late = world.subscribe("h2", ["0"])
    world.advertise("h3", ["1"])
    session.run()
    assert reach(late) == FULL  # announcements that do not match are ignored


def test_a_withdrawal_is_no_path_that_was_found(parted):
    before = len(alarms())
    world.withdraw(parted[1])
    session.run()
    assert reach(parted[1]) == FULL == reach(parted[0])
    assert len(alarms()) == before


def test_a_host_at_a_switch_without_any_link_is_out_of_reach(parted):
    world.add_switch(4)
    world.add_host(4, "s4", 3)
    alone = world.subscribe("h4", [""])
    session.run()
    assert reach(alone) == NONE
    world.advertise("h4", ["1"])  # at the same switch: that much is there
    session.run()
    assert reach(alone) == ("partial", ["p-h1"])


def test_rows_are_corrected_after_a_restart_without_a_request(parted, monkeypatch):
    """As they are after an update from a release without them, or a restore."""
    ad, subscription = parted
    world.add_host(5, "s3", 7)
    other = world.subscribe("h2", ["0"])
    session.run()
    Subscription.objects.filter(pk=subscription.pk).update(reach="full", unreachable=[], matched=False)
    Subscription.objects.filter(pk=other.pk).update(reach="none", unreachable=["nobody"])
    Advertisement.objects.update(reach="partial")
    monkeypatch.setattr(session_cache, "_kept", None)
    session.run()
    assert reach(subscription) == NONE and reach(ad) == ("partial", ["s-h3"]) and reach(other) == FULL
    assert subscription.matched is True
    events = OutboxEvent.objects.count()
    monkeypatch.setattr(session_cache, "_kept", None)
    session.run()
    assert OutboxEvent.objects.count() == events  # nothing is reported twice


def test_a_late_confirmation_does_not_write_an_old_match(parted):
    """The advertisement went while the subscription waited for a switch."""
    subscription = parted[1]
    Subscription.objects.filter(pk=subscription.pk).update(matched=False, state=State.DEPLOYING)
    subscription.request.state, subscription.request.matched = State.DEPLOYING, True
    request_states.confirm([subscription.request])
    subscription.refresh_from_db()
    assert (subscription.state, subscription.matched) == (State.ACTIVE, False)


def test_twenty_publishers_are_named_at_most(parted):
    world.log({"op": "add_topic", "topic": {"name": "many", "code": 8, "attributes": world.ATTRIBUTES}})
    world.add_topic("more", 10)
    for n in range(10, 35):
        world.add_host(n, "s1", n)
        world.advertise(f"h{n}", ["0"], "more")
    wide = world.subscribe("h3", [""], "more")
    session.run()
    assert reach(wide)[0] == "none" and len(wide.unreachable) == 20 and wide.unreachable_more


@pytest.fixture
def get(django_user_model):
    user = django_user_model.objects.create_superuser("root")
    caller = APIClient()
    caller.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(user, 'test')}")

    def asked(path, body=None, **query):
        path = f"/api/v1/{path}"
        answer = caller.get(path, query) if body is None else caller.post(path, body, format="json")
        assert answer.status_code in (200, 202), answer.content
        return answer.json()

    return asked


def test_it_is_shown_wherever_the_subscription_is(parted, get, monkeypatch):
    ad, subscription = parted
    shown = get(f"subscriptions/{subscription.pk}/")
    assert (shown["state"], shown["matched"], shown["reach"]) == ("active", True, "none")
    missing = shown["unreachable"]
    assert (missing["names"], missing["more"]) == (["p-h1"], False) and missing["since"]
    assert missing["detail"] == (
        "It receives no events: no path exists to host h3 from any matching publisher (p-h1)."
    )
    assert "add a link" in missing["remedy"]
    other = get(f"advertisements/{ad.pk}/")
    assert (other["reach"], other["unreachable"]["names"]) == ("none", ["s-h3"])
    assert get("subscriptions/", reach="none")["results"] == [shown]
    assert get("subscriptions/", reach="full")["results"] == []
    request = get(f"requests/{subscription.request_id}/")
    assert (request["reach"], request["unreachable"]) == ("none", missing)
    rows = get("requests/", limit=100)["results"]
    assert {row["kind"]: row["reach"] for row in rows} == {
        **dict.fromkeys(("add_switch", "add_link", "add_host", "add_topic", "remove_link"), None),
        "advertise": "none",
        "subscribe": "none",
    }
    (alarm,) = (one for one in get("alarms/standing/")["alarms"] if one["source"] == "planner")
    assert (alarm["alarm"], alarm["subject"]) == ("out_of_reach", "topic quotes")
    assert (
        alarm["detail"] == f"no path leads from p-h1 to 1 matching subscription: q{subscription.pk} of s-h3"
    )
    assert alarm["since"] == missing["since"]


def test_the_preview_shows_it_before_anything_is_announced(parted, get):
    world.advertise("h3", ["011"])
    session.run()
    question = {"topic": "quotes", "filter": "low < 300"}
    found = get("filters/preview/", {**question, "subscriber": "s-h3"})
    assert (found["reach"], found["unreachable"]["names"]) == ("none", ["p-h1"])
    assert found["cost"]["accepted"] and found["overlap"]["matched"] == 1
    wider = get("filters/preview/", {**question, "filter": "true", "host": "h3"})
    assert (wider["reach"], wider["unreachable"]["names"]) == ("partial", ["p-h1"])
    near = get("filters/preview/", {**question, "host": "h2"})
    assert (near["reach"], near["unreachable"]) == ("full", None)
    sender = get("filters/preview/", {**question, "kind": "advertisement", "host": "h2"})
    assert (sender["reach"], sender["unreachable"]["names"]) == ("none", ["s-h3"])
    assert get("filters/preview/", question)["reach"] is None
    body = {"subscriber": "s-h3", "topic": "quotes", "filter": "low < 300"}
    assert get("subscriptions/?dry_run=true", body)["results"][0]["reach"] == "none"


def test_lists_read_it_from_their_rows(parted, get, django_assert_max_num_queries, monkeypatch):
    """No search in the network, and no more queries for more rows."""
    monkeypatch.setattr("controlplane.planning.planner_state.reading", None)
    for _ in range(3):
        world.subscribe("h3", ["01"])
    session.run()
    with django_assert_max_num_queries(10):
        rows = get("subscriptions/")["results"]
    assert [row["reach"] for row in rows] == ["none"] * 4
    assert Link.objects.exists()
