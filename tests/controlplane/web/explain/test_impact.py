"""Effects of a removal, reported before it by `affected/` and by dry runs of DELETE."""

import pytest

from controlplane.network.models import Host, InstalledEntry, Link, Switch
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.requestlog.models import Request


@pytest.fixture
def planned(world, end):
    """Two advertisements at h1 (s1), a subscription at h2 (s2), two at h3 (s3)."""
    world.patch(f"switches/{Switch.objects.get(name='s1').pk}/", {"tcam_budget": None})
    end()
    quotes = {"topic": "quotes"}
    sent = ("low < 100", "low > 500")
    world.post("advertisements/", [{"publisher": "exchange", "filter": text, **quotes} for text in sent])
    wanted = (("alice", "low < 50"), ("bob", "low > 90"), ("bob", "low in [200, 300]"))
    world.post("subscriptions/", [{"subscriber": who, "filter": text, **quotes} for who, text in wanted])
    end()
    return world


def ask(call, resource, row):
    answer = call.get(f"{resource}/{row.pk}/affected/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def counts(impact, *names):
    return tuple(impact[name] for name in names)


WHO = ("advertisements", "subscriptions", "left_without", "subscribers", "hosts")


def test_of_an_advertisement(planned, viewer):
    row = Advertisement.objects.earliest("id")
    impact = ask(viewer, "advertisements", row)
    assert counts(impact, *WHO) == (1, 2, 1, 2, 3)  # alice receives nothing any more, bob uses the other one
    assert impact["entries_removed"] > 0 and impact["trees"] >= 1 and impact["complete"]
    logged = Request.objects.count()
    cost = planned.delete(f"advertisements/{row.pk}/?dry_run=true").json()
    assert cost["affected"] == impact and Request.objects.count() == logged
    fewer = sum(max(0, entry["before"] - entry["after"]) for entry in cost["entries"])
    assert fewer == impact["entries_removed"]


def test_of_who_announces_and_where(planned, viewer):
    assert counts(ask(viewer, "publishers", Publisher.objects.get()), *WHO) == (2, 2, 2, 2, 3)
    bob = ask(viewer, "subscribers", Subscriber.objects.get(name="bob"))
    assert counts(bob, *WHO) == (0, 2, 0, 1, 1) and bob["host_names"] == ["h3"]
    assert counts(ask(viewer, "subscriptions", Subscription.objects.earliest("id")), *WHO) == (0, 1, 0, 1, 1)
    assert counts(ask(viewer, "hosts", Host.objects.get(name="h3")), *WHO) == (0, 2, 0, 1, 1)
    topic = ask(viewer, "topics", Topic.objects.get())
    assert counts(topic, *WHO) == (2, 3, 0, 2, 3) and topic["publishers"] == 1


def test_of_a_switch_and_a_link(planned, viewer):
    middle = ask(viewer, "switches", Switch.objects.get(name="s2"))
    assert counts(middle, "subscriptions", "subscribers") == (2, 2) and middle["entries_removed"] > 0
    last = Link.objects.get(a__name="s2")
    InstalledEntry.objects.create(
        switch=last.a,
        dst="ff0e::/32",
        priority=2,
        actions=[{"port": last.a_port}],
        confirmed_at=last.created_at,
    )
    impact = ask(viewer, "links", last)
    assert counts(impact, "subscriptions", "subscribers", "entries_removed") == (1, 1, 1)
    assert impact["host_names"] == ["h1", "h3"]


def test_what_is_not_there_affects_nobody(planned, problem):
    problem(planned.get("topics/0/affected/"), 404)
