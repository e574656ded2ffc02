"""`?dry_run=true` checks, returns the cost, and stores nothing."""

import sys

import pytest

from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Advertisement, Publisher, Subscription, Topic
from controlplane.requestlog.models import OutboxEvent, Request
from tests.support.wide_filters import CROSSED, NEIGHBOURS, WIDE_TOPIC

MODELS = (Advertisement, Subscription, Topic, Publisher, Switch, Link, Host, Request, OutboxEvent)


def everything():
    return [list(model.objects.order_by("id").values()) for model in MODELS]


def ask(call, path, *args):
    answer = call(f"{path}?dry_run=true", *args)
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["dry_run"] is True
    return body


SUBSCRIBE = {"subscriber": "alice", "topic": "quotes", "filter": "low in [80, 100]"}
ADVERTISE = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}


def test_the_cost_of_a_subscription(world, end):
    world.post("advertisements/", ADVERTISE)
    end()
    before = everything()
    cost = ask(world.post, "subscriptions/", SUBSCRIBE)
    assert (cost["items"], cost["accepted"], cost["budgets_exceeded"]) == (1, True, [])
    assert cost["dz_cells"] > 0 and cost["excess"] >= 0
    (item,) = cost["results"]
    assert (item["index"], item["accepted"], item["matched"], item["code"]) == (0, True, True, None)
    assert item["dz_cells"] == cost["dz_cells"]
    changed = {entry["switch"]: entry for entry in cost["entries"]}
    assert changed.keys() == {"s1", "s2"}  # on the path from h1 to h2
    assert changed["s1"]["before"] == 0 and changed["s1"]["after"] == cost["dz_cells"]
    assert changed["s1"]["tcam_budget"] == 100 and not changed["s1"]["exceeded"]
    assert everything() == before


def test_what_waits_in_the_log_is_counted_in(world, end):
    """Nothing is planned yet, not even the network: the answer is that of the planner after the log."""
    world.post("advertisements/", ADVERTISE)
    assert {entry["switch"] for entry in ask(world.post, "subscriptions/", SUBSCRIBE)["entries"]} == {
        "s1",
        "s2",
    }


def test_an_unmatched_subscription_costs_nothing_yet(world, end):
    end()
    cost = ask(world.post, "subscriptions/", SUBSCRIBE)
    assert cost["entries"] == [] and cost["results"][0]["matched"] is False


def test_a_budget_that_would_not_hold_is_named(world, end):
    world.patch(f"switches/{Switch.objects.get(name='s1').pk}/", {"tcam_budget": 1})
    world.post("advertisements/", ADVERTISE)
    end()
    cost = ask(world.post, "subscriptions/", [SUBSCRIBE, {**SUBSCRIBE, "filter": "low < 512"}])
    assert cost["budgets_exceeded"] == ["s1"] and not cost["accepted"]
    bad, good = cost["results"]
    assert (bad["accepted"], bad["code"], good["accepted"]) == (False, "budget", True)
    assert "s1" in bad["detail"]


def test_the_cost_of_a_list(world, end):
    world.post("advertisements/", ADVERTISE)
    end()
    before = everything()
    cost = ask(world.post, "subscriptions/", [{**SUBSCRIBE, "filter": f"low = {n}"} for n in range(20)])
    assert cost["items"] == 20 and [item["index"] for item in cost["results"]] == list(range(20))
    assert everything() == before


def test_an_estimated_excess_has_its_error(world):
    answer = world.post("topics/", WIDE_TOPIC)
    assert answer.status_code == 201, answer.content
    wide = {"subscriber": "alice", "topic": "wide"}
    cost = ask(world.post, "subscriptions/", [{**wide, "filter": text} for text in (NEIGHBOURS, CROSSED)])
    exact, rough = cost["results"]
    assert (exact["excess"], exact["volume_error"]) == (pytest.approx(3.37, abs=0.001), 0)
    assert 0 < rough["volume_error"] < 0.1
    assert cost["excess"] == pytest.approx((exact["excess"] + rough["excess"]) / 2)
    half = rough["volume_error"] * (1 + rough["excess"])
    assert cost["volume_error"] * (1 + cost["excess"]) == pytest.approx(half / 2)
    alone = ask(world.post, "subscriptions/", {**wide, "filter": CROSSED})
    assert (alone["excess"], alone["volume_error"]) == (rough["excess"], rough["volume_error"])
    assert ask(world.post, "subscriptions/", SUBSCRIBE)["volume_error"] == 0
    assert ask(world.post, "publishers/", {"name": "p", "host": "h1"})["volume_error"] == 0


def test_a_mean_of_the_largest_excesses_is_finite(world):
    tiny = {"topic": "quotes", "filter": "high < 5e-324"}
    cost = ask(world.post, "subscriptions/", [{**tiny, "subscriber": name} for name in ("alice", "bob")])
    assert cost["excess"] == pytest.approx(sys.float_info.max)


def test_bad_input_is_refused_as_ever(world, pointers):
    answer = world.post("subscriptions/?dry_run=true", [{**SUBSCRIBE, "filter": "x = 1"}])
    assert pointers(answer) == [(0, "/filter", "unknown_attribute")]


@pytest.mark.parametrize(
    "resource, body",
    [
        ("topics", {"name": "news", "attributes": [{"name": "a", "type": "bool"}]}),
        ("publishers", {"name": "p", "host": "h1"}),
        ("subscribers", [{"name": "p", "host": "h1"}, {"name": "q", "host": "h1"}]),
        ("advertisements", ADVERTISE),
        ("switches", {"name": "s9", "dpid": "0000000000000009"}),
        ("links", {"a": "s1", "a_port": 5, "b": "s3", "b_port": 5}),
        ("hosts", {"name": "h9", "switch": "s1", "port": 9, "ip": "fd00::9", "mac": "02:00:00:00:00:09"}),
    ],
)
def test_nothing_is_stored_by_any_resource(world, end, resource, body):
    end()
    before = everything()
    cost = ask(world.post, f"{resource}/", body)
    assert cost["items"] == (len(body) if isinstance(body, list) else 1) and cost["accepted"], cost
    assert len(cost["results"]) == cost["items"]
    assert everything() == before


def test_changes_and_removals_can_be_tried(world, end):
    world.post("subscriptions/", SUBSCRIBE)
    world.post("advertisements/", ADVERTISE)
    world.post("publishers/", {"name": "idle", "host": "h1"})
    world.post("topics/", {"name": "news", "attributes": [{"name": "a", "type": "bool"}]})
    end()
    before = everything()
    switch, link, host = Switch.objects.get(name="s1"), Link.objects.first(), Host.objects.get(name="h3")
    topic = Topic.objects.get(name="quotes")
    tried = [
        ask(world.patch, f"switches/{switch.pk}/", {"tcam_budget": 0}),
        ask(world.patch, f"switches/{switch.pk}/", {"up": False}),
        ask(world.patch, f"switches/{switch.pk}/", {"label": "x"}),
        ask(world.patch, f"links/{link.pk}/", {"up": False}),
        ask(world.patch, f"hosts/{host.pk}/", {"port": 30}),
        ask(world.patch, f"topics/{topic.pk}/", {"indexed": ["high"]}),
        ask(world.delete, f"links/{link.pk}/"),
        ask(world.delete, f"advertisements/{Advertisement.objects.get().pk}/"),
        ask(world.delete, f"subscriptions/{Subscription.objects.get().pk}/"),
        ask(world.delete, f"publishers/{Publisher.objects.get(name='idle').pk}/"),
        ask(world.delete, f"topics/{Topic.objects.get(name='news').pk}/"),
    ]
    assert not tried[0]["accepted"] and tried[0]["budgets_exceeded"] == ["s1"]  # it has more entries
    assert all(cost["accepted"] for cost in tried[1:])
    assert tried[2]["entries"] == []
    assert {entry["switch"] for entry in tried[7]["entries"]} == {"s1", "s2"}
    assert everything() == before


def test_dry_run_limits_waiting_requests(world, problem, monkeypatch):
    monkeypatch.setattr("controlplane.explain.call_cost.MAX_WAITING", 3)
    answer = world.post("subscriptions/?dry_run=true", SUBSCRIBE)
    problem(answer, 503)
    assert answer.headers["Retry-After"] == "5"
