"""Samples that a job drew from telemetry: each once, whatever is repeated; what does not fit is told."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from controlplane.telemetry import learnt, samples
from controlplane.telemetry.models import EventSample

START = datetime(2026, 3, 29, 12, tzinfo=UTC)
VALUES = {"low": 5, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}


@pytest.fixture
def ad(world, end):
    made = world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "low < 100"})
    end()
    return made.json()["object"]["name"]


def drawn(ad, second, **change):
    at = (START + timedelta(seconds=second)).isoformat().replace("+00:00", "Z")
    values = json.dumps({**VALUES, **change})
    return {"topic": "quotes", "publisher": ad, "seq": second, "published_at": at, "values": values}


def test_samples_are_taken_in_the_order_of_their_times(ad):
    rows = [drawn(ad, n, low=n) for n in (3, 1, 2)]
    assert learnt.take(rows).to_json() == {"taken": 3, "earlier": 0, "unfit": {}}
    assert [event["values"]["low"] for event in samples.traffic([ad])] == [1, 2, 3]


def test_a_repeated_or_longer_look_takes_nothing_twice(ad):
    rows = [drawn(ad, n) for n in range(5)]
    learnt.take(rows)
    assert learnt.take(rows).to_json() == {"taken": 0, "earlier": 5, "unfit": {}}
    assert learnt.take([*rows, drawn(ad, 5), drawn(ad, 6)]).to_json() == {
        "taken": 2,
        "earlier": 5,
        "unfit": {},
    }
    assert EventSample.objects.count() == 7


def test_a_run_that_is_rolled_back_took_nothing(ad):
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        learnt.take([drawn(ad, 1)])
        raise KeyboardInterrupt
    assert learnt.take([drawn(ad, 1)]).taken == 1


def test_what_does_not_fit_is_told_by_its_reason(ad):
    rows = [
        drawn(ad, 1),
        drawn("a999", 2),
        drawn(ad, 3, low=500),
        drawn(ad, 4, low="x"),
        {**drawn(ad, 5), "values": "{"},
        {**drawn(ad, 6), "values": None},
    ]
    figures = learnt.take(rows)
    assert (figures.taken, figures.earlier) == (1, 0)
    assert figures.unfit == {
        "bad_values": 2,
        "outside_advertisement": 1,
        "unknown_publisher": 1,
        "wrong_type": 1,
    }
