"""The number of queries does not grow with the rows of a page."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from controlplane.network.models import FoundLink, InstalledEntry, Port, Switch, Tree
from controlplane.operations.demo.models import TestEvent
from controlplane.registry.models import Advertisement, Subscription, Topic
from controlplane.registry.transitions.models import Move, Stage
from controlplane.requestlog import outbox
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import TrafficReport
from tests.support.controlplane.api_fixtures import TOPIC
from tests.support.controlplane.routes import LISTS


@pytest.fixture
def full(world):
    """A world with several rows of everything."""
    for n in range(3):
        world.post("topics/", {**TOPIC, "name": f"t{n}"})
    world.post("publishers/", [{"name": f"p{n}", "host": f"h{n + 1}"} for n in range(3)])
    world.post("links/", {"a": "s1", "a_port": 5, "b": "s3", "b_port": 5})
    world.post("subscribers/", {"name": "carol", "host": "h1"})
    for resource, noun, name in (("advertisements", "publisher", "p"), ("subscriptions", "subscriber", "")):
        names = [f"p{n}" for n in range(3)] if name else ["alice", "bob", "alice"]
        world.post(f"{resource}/", [{noun: names[n], "topic": f"t{n}", "filter": "true"} for n in range(3)])
        world.post(
            f"{resource}/", [{noun: names[n], "topic": f"t{n}", "filter": "low < 9"} for n in range(3)]
        )
    now = timezone.now()
    for switch in Switch.objects.all():
        Port.objects.create(switch=switch, number=1)
        for code in (0, 3, 9):
            dst = f"ff0e:{code:x}::/32"
            InstalledEntry.objects.create(switch=switch, dst=dst, priority=2, actions=[], confirmed_at=now)
        for topic in Topic.objects.all():
            name = f"{topic.name}-{switch.name}"
            Tree.objects.create(name=name, topic=topic, root=switch, dz=[""], edges=[])
    for n in range(3):
        world.post("audits/", {"switches": ["s1", "s2", "s3"][: n + 1]})
        TrafficReport.objects.create(reporter=f"r{n}")
        outbox.alarm(f"alarm {n}")
        first, last = Switch.objects.earliest("pk"), Switch.objects.latest("pk")
        ends = {"a": first, "a_port": 90 + n, "b": last, "b_port": 90}
        FoundLink.objects.create(**ends, reason="policy", detail="", seen_at=now)
        TestEvent.objects.create(advertisement=Advertisement.objects.order_by("id")[n], values={})
        asked = Request.objects.order_by("id")[n]
        for topic in Topic.objects.filter(name="t0"):
            facts = {"version": n + 2, "code": topic.code, "indexed": topic.indexed, "stage": Stage.DONE}
            Move.objects.create(topic=topic, request=asked, **facts)
        world.post("tokens/", {"name": f"t{n}"})
    return world


def queries(caller, path):
    with CaptureQueriesContext(connection) as captured:
        page = caller.get(path)
    assert page.status_code == 200, page.content
    return len(captured), page.json()["results"]


@pytest.mark.parametrize("limit", [1000])
def test_a_page_takes_the_same_queries_however_long(full, limit):
    full.get("me/")  # records the use of the token once
    one_switch = Switch.objects.first().pk
    operation = full.get("operations/").json()["results"][0]["id"]
    paths = [f"{prefix}/" for prefix in LISTS]
    paths += [f"tables/{one_switch}/entries/", f"operations/{operation}/results/"]
    for path in paths:
        few, short = queries(full, f"{path}?limit=1")
        many, long = queries(full, f"{path}?limit={limit}")
        assert len(short) == 1 and len(long) >= 3, path
        # the log reads objects once for each type, and paths once for each kind of announcement
        assert many <= few + (5 if path == "requests/" else 0), (path, few, many)
        assert many <= 10, (path, many)


@pytest.mark.parametrize(
    ("method", "path", "body", "most"),
    [
        ("get", "me/", None, 2),
        ("get", "topics/?limit=1", None, 5),
        ("post", "subscriptions/", {"subscriber": "alice", "topic": "t0", "filter": "low = 3"}, 15),
        ("post", "advertisements/", {"publisher": "p0", "topic": "t0", "filter": "low = 3"}, 15),
        ("post", "subscribers/", {"name": "dora", "host": "h1"}, 13),
        ("post", "links/", {"a": "s1", "a_port": 8, "b": "s2", "b_port": 8}, 15),
        ("delete", "subscriptions/{subscription}/", None, 13),
    ],
)
def test_a_call_takes_few_queries(full, method, path, body, most):
    full.get("me/")  # records the use of the token once
    path = path.format(subscription=Subscription.objects.latest("pk").pk)
    with CaptureQueriesContext(connection) as captured:
        answer = getattr(full, method)(path, *([] if body is None else [body]))
    assert answer.status_code < 300, answer.content
    assert len(captured) <= most, [query["sql"][:120] for query in captured]
