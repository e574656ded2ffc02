"""Events of single announcements, from traffic reports, in the rows of lists."""

import pytest

from controlplane.telemetry.activity.models import SubscriptionActivity
from tests.support.controlplane.traffic_reports import REPORT

NOON, LATER = "2026-11-28T12:00:00Z", "2026-11-28T12:05:00Z"


@pytest.fixture
def ids(world, end):
    world.post("advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"})
    wanted = [{"subscriber": "alice", "topic": "quotes", "filter": text} for text in ("low < 9", "low > 9")]
    world.post("subscriptions/", wanted)
    end()
    first, second = world.get("subscriptions/").json()["results"]
    return {
        "first": first["id"],
        "second": second["id"],
        "a": world.get("advertisements/").json()["results"][0]["id"],
    }


def counts(ids, delivered=7, last=NOON):
    return {
        **REPORT,
        "subscriptions": [
            {"subscription": f"q{ids['first']}", "delivered": delivered, "last_at": last},
            {"subscription": "q99999999", "delivered": 1},
            {"subscription": "nonsense", "delivered": 1},
        ],
        "advertisements": [{"advertisement": f"a{ids['a']}", "published": 20, "last_at": last}],
        "hosts": [
            {"host": "h2", "delivered": delivered + 3, "unwanted": 3, "last_at": last},
            {"host": "gone", "delivered": 1, "unwanted": 0},
        ],
    }


def test_rows_show_the_deliveries_of_their_events(world, viewer, ids):
    row = viewer.get(f"subscriptions/{ids['first']}/").json()
    assert (row["delivered"], row["unwanted"], row["last_seen_at"]) == (None, None, None)
    assert world.post("traffic/", counts(ids)).status_code == 200
    first, second = viewer.get("subscriptions/").json()["results"]
    assert (first["delivered"], first["unwanted"], first["last_seen_at"]) == (7, 3, NOON)
    assert (second["delivered"], second["unwanted"]) == (None, 3)  # it is at the same host
    (sent,) = viewer.get("advertisements/").json()["results"]
    assert (sent["published"], sent["last_seen_at"]) == (20, NOON)
    alice, bob = viewer.get("subscribers/").json()["results"]
    assert (alice["subscriptions"], alice["delivered"], alice["unwanted"]) == (2, 7, 3)
    assert (bob["subscriptions"], bob["delivered"]) == (0, None)
    (exchange,) = viewer.get("publishers/").json()["results"]
    assert (exchange["advertisements"], exchange["published"]) == (1, 20)
    silent, reached, *_ = viewer.get("hosts/").json()["results"]
    fields = ("delivered", "unwanted", "last_event_at")
    assert [reached[key] for key in fields] == [10, 3, NOON]
    assert [silent[key] for key in fields] == [None] * 3
    assert viewer.get(f"hosts/{reached['id']}/").json() == reached


def test_a_later_report_takes_the_place_of_the_earlier_and_reporters_add_up(world, ids):
    world.post("traffic/", counts(ids))
    world.post("traffic/", counts(ids, delivered=9, last=LATER))
    world.post("traffic/", {**counts(ids, delivered=100), "reporter": "other"})
    first, _ = world.get("subscriptions/").json()["results"]
    assert (first["delivered"], first["last_seen_at"]) == (109, LATER)
    assert SubscriptionActivity.objects.count() == 2


def test_bad_counters_are_refused_by_name(world, ids, pointers):
    body = {**REPORT, "subscriptions": [{"subscription": "q1", "delivered": -1}]}
    assert pointers(world.post("traffic/", body)) == [(None, "/subscriptions/0/delivered", "out_of_range")]
