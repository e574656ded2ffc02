"""Concurrent calls: one succeeds, the others get an error, and nothing breaks."""

import pytest

from controlplane.network.models import Link, Switch
from controlplane.registry.models import Topic
from tests.support.controlplane.api_fixtures import TOPIC
from tests.support.controlplane.concurrent_calls import at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_one_of_many_equal_names_wins(operator):
    body = {"name": "s1", "dpid": "0000000000000001"}
    codes = at_once([lambda: operator.post("switches/", body)] * 6)
    assert codes[202] == 1 and codes.keys() <= {202, 400, 409}
    assert Switch.objects.count() == 1


def test_one_port_carries_one_link(network):
    calls = [
        lambda n=n: network.post("links/", {"a": "s1", "a_port": 5, "b": "s3", "b_port": n})
        for n in range(20, 25)
    ]
    codes = at_once(calls)
    assert codes[202] == 1 and codes.keys() <= {202, 400, 409}
    assert Link.objects.filter(a__name="s1", a_port=5).count() == 1


def test_topics_get_codes_of_their_own(operator):
    names = [f"t{n}" for n in range(5)]
    at_once([lambda name=name: operator.post("topics/", {**TOPIC, "name": name}) for name in names])
    codes = list(Topic.objects.values_list("code", flat=True))
    assert len(set(codes)) == len(codes) >= 1 and all(code % 2 == 0 for code in codes)


def test_a_topic_that_goes_takes_no_subscription_with_it(world):
    pk = Topic.objects.get().pk
    body = {"subscriber": "alice", "topic": "quotes", "filter": "true"}
    calls = [lambda: world.delete(f"topics/{pk}/"), *[lambda: world.post("subscriptions/", body)] * 3]
    codes = at_once(calls)
    assert codes.keys() <= {202, 204, 400, 409}
    assert bool(codes[204]) != bool(codes[202])
