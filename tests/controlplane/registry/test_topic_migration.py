"""Moves of topics: new entries, then publishers, then removal of old entries, with interruptions."""

import dataclasses
from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.deployment import replay_check, session, switch_sync
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.registry.transitions import leases
from controlplane.registry.transitions.models import Encoding, Lease, Move
from controlplane.requestlog.models import OutboxEvent, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.topic_migrations import (  # noqa: F401 - fixtures
    add_topic,
    announce,
    codes,
    lapse,
    moving,
    reindex,
    stage,
    state,
    times,
)


def test_without_publishers_it_goes_through_at_once(moving):
    row = reindex("y")
    session.run()
    assert state(row) == "active" and stage() == "done"
    assert codes(moving) == {9}
    assert Topic.objects.get(name="points").indexed == ["y"]
    assert leases.current(Topic.objects.get(name="points")) == leases.PublishedEncoding("points", 2, 9, ["y"])
    assert list(replay_check.differences()) == []
    stages = OutboxEvent.objects.filter(kind="move").values_list("payload__stage", flat=True)
    assert list(stages) == ["telling", "settling", "breaking", "done"]
    back = reindex("x")
    session.run()
    assert state(back) == "active" and codes(moving) == {8}


def test_cuts_change_under_the_other_code_and_back(moving):
    cuts = [["y", 3], ["x", 5], 9, 1, 0]
    row = reindex("x", cuts=cuts)
    leases.hold(moving.ad.pk, "one", None)
    session.run()
    assert (state(row), stage(), codes(moving)) == ("deploying", "telling", {8, 9})
    assert Move.objects.get().cuts == cuts and Topic.objects.get(name="points").cuts == []
    assert leases.hold(moving.ad.pk, "one", 1)["cuts"] == cuts
    leases.hold(moving.ad.pk, "one", 2)
    session.run()
    assert (state(row), codes(moving)) == ("active", {9})
    topic = Topic.objects.get(name="points")
    assert topic.cuts == cuts and leases.current(topic) == leases.PublishedEncoding(
        "points", 2, 9, ["x"], cuts
    )
    assert list(replay_check.differences()) == []
    assert OutboxEvent.objects.filter(kind="encoding").latest("pk").payload["cuts"] == 2
    back = reindex("x", cuts=[])
    session.run()
    lapse()
    session.run()
    assert (state(back), codes(moving)) == ("active", {8})
    assert leases.current(Topic.objects.get(name="points")) == leases.PublishedEncoding("points", 3, 8, ["x"])


def test_cuts_that_change_in_place_are_published_at_once(moving):
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("x", cuts=[["y", 3], 1, 1])
    session.run()
    assert state(row) == "active" and codes(moving) == {8}
    assert leases.hold(moving.ad.pk, "one", 1)["cuts"] == [["y", 3], 1, 1]


def test_old_entries_stay_until_the_publisher_has_confirmed(moving):
    assert leases.hold(moving.ad.pk, "one", None)["version"] == 1
    row = reindex("y")
    session.run()
    assert (state(row), stage(), codes(moving)) == ("deploying", "telling", {8, 9})
    assert (
        row.problem["title"] == "Waiting for publishers"
        and "not changed yet: 1 publisher" in row.problem["detail"]
    )
    assert Topic.objects.get(name="points").indexed == ["x"]
    session.run()
    assert stage() == "telling"
    assert leases.hold(moving.ad.pk, "one", 1)["version"] == 2
    session.run()
    assert stage() == "telling"  # it knows the new encoding, but may still use the old one
    leases.hold(moving.ad.pk, "one", 2)
    session.run()
    assert (state(row), stage(), codes(moving)) == ("active", "done", {9})
    assert row.problem is None


def publish_for(seconds: int) -> None:
    """Set the move as published `seconds` ago, with leases that seem to run for another hour."""
    Move.objects.update(told_at=timezone.now() - timedelta(seconds=seconds))
    Lease.objects.update(expires_at=timezone.now() + timedelta(hours=1), seconds=120.0)


def test_move_waits_at_most_for_the_lease_time(moving):
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    publish_for(115)
    session.run()
    assert (state(row), stage()) == ("deploying", "telling")
    publish_for(-3600)  # the clock was set back: the wait starts again
    session.run()
    assert stage() == "telling" and Move.objects.get().told_at <= timezone.now()
    publish_for(122)
    session.run()
    assert (state(row), codes(moving)) == ("active", {9})


@pytest.mark.parametrize("end", [lapse, lambda: Lease.objects.all().delete()])
def test_publishers_that_are_gone_are_not_waited_for(moving, end):
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    assert state(row) == "deploying"
    end()
    session.run()
    assert (state(row), codes(moving)) == ("active", {9})


def test_events_under_way_have_time_to_arrive(moving, settings):
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=60.0)
    row = reindex("y")
    session.run()
    assert (state(row), stage(), codes(moving)) == ("deploying", "settling", {8, 9})
    Move.objects.update(followed_at=timezone.now() - timedelta(seconds=61))
    session.run()
    assert (state(row), codes(moving)) == ("active", {9})


def test_publishers_get_no_new_encoding_before_all_switches_have_confirmed(moving):
    moving.disconnect(world.dpid(2))
    row = reindex("y")
    session.run()
    assert (state(row), stage()) == ("deploying", "making")
    assert not Encoding.objects.exists() and row.waits_for == ["s2"]
    moving.connect(world.dpid(2))
    reconnected()
    session.run()
    assert (state(row), stage(), codes(moving)) == ("active", "done", {9})


def reconnected() -> None:
    switch_sync.ask_for(["s2"])


def test_where_a_switch_has_no_room_for_new_entries_the_old_ones_go_first(moving):
    """The real capacity of the switch is smaller than declared."""
    leases.hold(moving.ad.pk, "one", None)
    moving.switches[world.dpid(2)].refuses.add("ff0e:9:2000::/35")
    row = reindex("y")
    session.run()
    assert (state(row), stage(), row.waits_for) == ("deploying", "making", ["s2"])
    for _ in range(4):
        SwitchSync.objects.update(retry_at=None)
        session.run()
    assert stage() in ("breaking", "done") and leases.hold(moving.ad.pk, "one", 1)["version"] == 2
    moving.switches[world.dpid(2)].refuses.clear()
    for _ in range(2):
        SwitchSync.objects.update(retry_at=None)
        session.run()
    assert (state(row), stage(), codes(moving)) == ("active", "done", {9})
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    assert any("points changes without a transition, because s2 refused" in text for text in alarms)
    assert list(replay_check.differences()) == []


def test_a_publisher_whose_advertisement_was_withdrawn_is_not_waited_for(moving):
    leases.hold(moving.ad.pk, "one", None)
    world.withdraw(moving.ad)
    announce("advertise", "h1", "x < 3")
    session.run()
    row = reindex("y")
    session.run()
    assert (state(row), codes(moving)) == ("active", {9})


def test_requests_in_the_meantime_are_planned_for_both(moving):
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    late = announce("subscribe", "h2", "x = 1")
    session.run()
    assert state(late.request) == "active" and state(row) == "deploying"
    assert len(moving.tables()[world.dpid(2)]) == 3  # indexed by x both need one cell, by y they do not
    lapse()
    session.run()
    assert state(row) == "active"
    assert list(replay_check.differences()) == []


def test_another_change_of_the_topic_waits_and_then_follows(moving):
    leases.hold(moving.ad.pk, "one", None)
    first = reindex("y")
    session.run()
    second = world.log({"op": "set_indexed", "topic": "points", "indexed": ["x", "y"]})
    other = announce("subscribe", "h2", "x = 1")
    session.run()
    assert (state(first), state(second)) == ("deploying", "queued")
    assert state(other.request) == "active"
    lapse()
    session.run()
    session.run()
    assert (state(first), state(second), codes(moving)) == ("active", "active", {8})
    assert leases.current(Topic.objects.get(name="points")).version == 3


def test_links_wait_while_publishers_change_over_unless_something_fails(moving):
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    world.add_switch(4)
    added = world.add_link("s1", 8, "s4", 1)
    session.run()
    assert state(added.request) == "queued"
    failed = world.log({"op": "link_down", "switch": "s2", "port": 1})
    session.run()
    assert (state(added.request), state(failed), state(row)) == ("active", "active", "deploying")
    lapse()
    session.run()
    assert state(row) == "active"
    assert list(replay_check.differences()) == []


def test_parts_of_the_network_that_meet_move_what_they_share(network, times):
    add_topic()
    world.log({"op": "link_down", "switch": "s2", "port": 1})
    ads = [announce("advertise", "h1", "true"), announce("advertise", "h3", "true")]
    announce("subscribe", "h2", "x = 1")
    session.run()
    assert codes(network) == {8}
    holder = leases.hold(ads[0].pk, "one", None)
    assert holder["code"] == 8
    up = world.log({"op": "link_up", "switch": "s2", "port": 1})
    session.run()
    assert (state(up), stage(), codes(network)) == ("deploying", "telling", {8, 9})
    leases.hold(ads[0].pk, "one", 2)
    session.run()
    assert (state(up), codes(network)) == ("active", {9})
    assert list(replay_check.differences()) == []


def test_what_cannot_move_changes_in_place_is_published_immediately_and_raises_an_alarm(moving):
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    assert state(row) == "active" and codes(moving) == {8}
    assert list(Move.objects.values_list("request", "stage", "in_place")) == [(row.pk, "done", True)]
    assert leases.hold(moving.ad.pk, "one", 1)["indexed"] == ["y"]
    alarms = OutboxEvent.objects.filter(kind="alarm").values_list("payload__text", flat=True)
    assert any("without a transition: points" in text for text in alarms)


def test_a_topic_that_goes_away_while_it_moves_takes_its_move_along(moving):
    leases.hold(moving.ad.pk, "one", None)
    row = reindex("y")
    session.run()
    world.withdraw(moving.ad)
    world.withdraw(Subscription.objects.get())
    session.run()
    Subscription.objects.all().delete()
    Advertisement.objects.all().delete()
    world.log({"op": "remove_topic", "topic": "points"})
    session.run()
    assert not Topic.objects.filter(name="points").exists() and not Move.objects.exists()
    session.run()
    assert state(row) == "active" and codes(moving) == set()
