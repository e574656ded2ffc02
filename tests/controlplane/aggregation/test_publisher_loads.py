"""Loads counted by `publisher_load`, with which `fa-lb` weighs the samples of each publisher."""

from datetime import timedelta

import pytest
from django.utils import timezone

from controlplane.aggregation import past_traffic, runs, worker
from controlplane.analytics.models import Result, Series
from controlplane.deployment import session
from controlplane.planning import planner_state
from controlplane.telemetry.models import EventSample
from tests.support.controlplane import network_world as world

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def unheard(monkeypatch):
    """No broker is asked."""
    monkeypatch.setattr(runs, "wake_aggregation", lambda: None)


def load(publisher, events, ago=timedelta(minutes=10), window=60_000_000):
    series = Series.objects.get_or_create(job="publisher_load", window=window)[0]
    values = {"events": events, "events_per_s": events / 60, "dz_histogram": {}}
    Result.objects.create(series=series, window_start=timezone.now() - ago, subject=publisher, values=values)


def test_loads_are_those_of_the_last_hour(db):
    assert past_traffic.loads() == {}
    load("a1", 1000, timedelta(minutes=61))
    assert past_traffic.loads() == {}
    for ago in (59, 20, 10):
        load("a1", ago, ago * MINUTE)
    load("a2", 7)
    Result.objects.create(
        series=Series.objects.create(job="delay", window=60_000_000),
        window_start=timezone.now(),
        topic="t",
        values={"events": 5},
    )
    assert past_traffic.loads() == {"a1": 89, "a2": 7}


def test_windows_of_another_length_are_not_added(db):
    load("a1", 60, window=600_000_000)
    load("a1", 6, 9 * MINUTE)
    assert past_traffic.loads() == {"a1": 6}


@pytest.fixture
def halves(network):
    """Two advertisements, sampled alike; h3 subscribes to four regions of each; s1 has five entries."""
    world.log({"op": "set_aggregation", "method": "fa-lb"})
    ads = [world.advertise("h1", ["00"]), world.advertise("h1", ["01"])]
    for n in range(0, 16, 2):
        world.subscribe("h3", [f"0{n:04b}"])
    session.run()
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 5})
    session.run()
    for ad, first in zip(ads, (0, 256), strict=True):
        EventSample.objects.bulk_create(
            EventSample(topic=ad.topic, advertisement=ad, values={"low": first + n % 256})
            for n in range(0, 512, 4)
        )
    return [ad.planner_id for ad in ads]


def coarse():
    """Which half has the covers after a run: its first bits."""
    runs.ask(None, None, None)
    assert worker.work() is not None
    session.run()
    found = planner_state.load().planner.snapshot()["aggregation"]["covers"]["s1"]
    return {cover["dz"][:2] for topic in found.values() for cover in topic["plain"]}


@pytest.mark.parametrize("busy", [0, 1])
def test_a_run_merges_where_less_is_published(halves, busy):
    load(halves[busy], 50_000)
    load(halves[1 - busy], 20)
    assert coarse() == {("01", "00")[busy]}
