"""What changes the network is logged: 202, the request resource, and who it is about."""

import pytest

from controlplane.control.models import Request, State
from controlplane.registry.models import Advertisement, Subscription

SUBSCRIBE = {"subscriber": "alice", "topic": "quotes", "filter": "low in [80, 100]"}
ADVERTISE = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}


def test_a_subscription_is_logged_with_its_dz(world):
    answer = world.post("subscriptions/", SUBSCRIBE)
    assert answer.status_code == 202
    body = answer.json()
    row = Subscription.objects.get()
    assert answer.headers["Location"] == body["url"] == f"/api/v1/requests/{row.request_id}/"
    assert body["object"] == {
        "type": "subscription",
        "name": f"q{row.pk}",
        "id": row.pk,
        "url": f"/api/v1/subscriptions/{row.pk}/",
    }
    assert (body["state"], body["matched"], body["progress"], body["problem"]) == ("queued", None, 0.0, None)
    assert body["stage"]["received"] and body["stage"]["confirmed"] is None
    payload = Request.objects.get(pk=row.request_id).payload
    assert payload == {
        "op": "subscribe",
        "id": f"q{row.pk}",
        "host": "h2",
        "topic": "quotes",
        "filter": "low in [80, 100]",
        "dz": row.dz,
    }
    assert row.dz
    shown = world.get(body["object"]["url"]).json()
    assert (shown["subscriber"], shown["host"], shown["topic"], shown["state"]) == (
        "alice",
        "h2",
        "quotes",
        "queued",
    )
    assert shown["dz"] == row.dz and shown["request"] == body["url"]
