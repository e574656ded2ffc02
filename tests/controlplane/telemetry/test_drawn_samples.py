"""Samples that a job selected from telemetry: each once, also when repeated; unsuitable ones are reported."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction
from django.utils import timezone

from controlplane.requestlog import checkpoints
from controlplane.telemetry import drawn_samples, samples
from controlplane.telemetry.models import EventSample
from tests.support.controlplane.api_fixtures import *  # noqa: F403 - fixtures

START = datetime(2026, 3, 29, 12, tzinfo=UTC)
VALUES = {"low": 5, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}


@pytest.fixture
def ad(world, end):
    made = world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 100"})
    end()
    return made.json()["object"]["name"]


def figures(taken, earlier=0, reported=0, **unfit):
    return {"taken": taken, "earlier": earlier, "reported": reported, "unfit": unfit}


def drawn(ad, second, **change):
    at = (START + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")
    values = json.dumps({**VALUES, **change})
    return {"topic": "quotes", "publisher": ad, "seq": second, "published_at": at, "values": values}


def test_samples_are_taken_in_the_order_of_their_times(ad):
    rows = [drawn(ad, n, low=n) for n in (3, 1, 2)]
    assert drawn_samples.store_samples(rows).to_json() == figures(3)
    assert [event["values"]["low"] for event in samples.traffic([ad])] == [1, 2, 3]


def test_a_repeated_or_longer_look_takes_nothing_twice(ad):
    rows = [drawn(ad, n) for n in range(5)]
    drawn_samples.store_samples(rows)
    assert drawn_samples.store_samples(rows).to_json() == figures(0, 5)
    assert drawn_samples.store_samples([*rows, drawn(ad, 5), drawn(ad, 6)]).to_json() == figures(2, 5)
    assert EventSample.objects.count() == 7


def test_a_run_that_is_rolled_back_took_nothing(ad):
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        drawn_samples.store_samples([drawn(ad, 1)])
        raise KeyboardInterrupt
    assert drawn_samples.store_samples([drawn(ad, 1)]).taken == 1


def test_what_does_not_fit_is_reported_by_its_reason(ad):
    rows = [
        drawn(ad, 1),
        drawn("a999", 2),
        drawn(ad, 3, low=500),
        drawn(ad, 4, low="x"),
        {**drawn(ad, 5), "values": "{"},
        {**drawn(ad, 6), "values": None},
    ]
    assert drawn_samples.store_samples(rows).to_json() == figures(
        1, bad_values=2, outside_advertisement=1, unknown_publisher=1, wrong_type=1
    )
    assert checkpoints.recall("telemetry-samples", {}).keys() == {ad}, "nothing is remembered of others"


def test_a_publisher_whose_telemetry_comes_late_is_not_left_out(ad, world, end):
    made = world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 50"})
    end()
    other = made.json()["object"]["name"]
    assert drawn_samples.store_samples([drawn(ad, n) for n in range(100, 110)]).taken == 10
    assert drawn_samples.store_samples([drawn(other, n) for n in range(20)]).to_json() == figures(20)
    assert drawn_samples.store_samples(
        [drawn(other, 19), drawn(other, 20), drawn(ad, 50)]
    ).to_json() == figures(1, 2)


def test_a_publisher_that_reports_samples_itself_is_left_alone(ad, world):
    """Its events would count twice. After it has stopped, later events are accepted."""
    sample = {"publisher": ad, "values": VALUES}
    assert world.post("traffic/samples/", sample).status_code == 201
    assert drawn_samples.store_samples([drawn(ad, n) for n in range(5)]).to_json() == figures(0, reported=5)
    assert EventSample.objects.count() == 1
    EventSample.objects.update(reported_at=timezone.now() - drawn_samples.REPORTS)
    assert drawn_samples.store_samples([drawn(ad, n) for n in range(7)]).to_json() == figures(2, 5)
    assert drawn_samples.store_samples([drawn(ad, 7)]).taken == 1, "drawn samples do not count as reports"
