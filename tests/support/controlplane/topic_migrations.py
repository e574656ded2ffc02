"""A topic that moves to another encoding, and its leases."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from controlplane.deployment import session
from controlplane.network.models import Host
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.registry.transitions.models import Lease, Move
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.models import Request
from tests.support.controlplane import network_world as world

ATTRIBUTES = [{"name": name, "type": "int", "min": 0, "max": 7} for name in "xy"]


@transaction.atomic
def add_topic(name: str = "points", code: int = 8) -> Topic:
    topic = {"name": name, "code": code, "indexed": ["x"], "attributes": ATTRIBUTES}
    (request,) = submit([LogEntry({"op": "add_topic", "topic": topic})])
    return Topic.objects.create(name=name, code=code, attributes=ATTRIBUTES, indexed=["x"], request=request)


@transaction.atomic
def announce(op: str, host: str, filter_: str, topic: str = "points") -> Any:
    model: Any = Advertisement if op == "advertise" else Subscription
    people: Any = Publisher if op == "advertise" else Subscriber
    who, _ = people.objects.get_or_create(name=f"{op}-{host}", defaults={"host": Host.objects.get(name=host)})
    last = model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    name = f"{'a' if op == 'advertise' else 'q'}{last + 1}"
    payload = {"op": op, "id": name, "host": host, "topic": topic, "filter": filter_}
    (request,) = submit([LogEntry(payload)])
    owner = {"publisher" if op == "advertise" else "subscriber": who}
    at = Topic.objects.get(name=topic)
    return model.objects.create(pk=last + 1, filter=filter_, dz=[], topic=at, request=request, **owner)


def reindex(*names: str, topic: str = "points", cuts: list[Any] | None = None) -> Request:
    with transaction.atomic():
        more = {} if cuts is None else {"cuts": cuts}
        row = world.log({"op": "set_indexed", "topic": topic, "indexed": list(names), **more})
        Topic.objects.filter(name=topic).update(reindexing=row)
    return row


def codes(controller) -> set[int]:
    """Return the topic codes of all entries on the switches."""
    return {int(key[0].split(":")[1], 16) for table in controller.tables().values() for key in table}


def stage() -> str:
    return Move.objects.order_by("-pk").values_list("stage", flat=True)[0]


def state(row: Request) -> str:
    row.refresh_from_db()
    return str(row.state)


def lapse() -> None:
    """End all leases."""
    Lease.objects.update(expires_at=timezone.now() - timedelta(hours=1))


@pytest.fixture
def times(settings):
    """Set the time of settling to zero."""
    settings.ENV = dataclasses.replace(settings.ENV, settling_seconds=0.0)


@pytest.fixture
def moving(network, times):
    """Register a publisher at h1 and a subscriber at h3, on a topic with two attributes."""
    add_topic()
    ad = announce("advertise", "h1", "true")
    announce("subscribe", "h3", "x = 1 and y = 1")
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    network.ad = ad
    return network
