"""A small network in the database: a line of switches with a host each, a topic, and announcements.

All rows are created as by the API: together with their log entries in one transaction.
"""

from typing import Any

from django.db import transaction

from controlplane.network.models import Host, InstalledEntry, Link, Switch, Tree
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.models import Request

ATTRIBUTES = [{"name": "low", "type": "int", "min": 0, "max": 1023}]


def dpid(number: int) -> str:
    return f"{number:016x}"


@transaction.atomic
def line(switches: int = 3, budget: int | None = None) -> None:
    """Create switches s1, s2, ... in a row; port 1 leads forward, port 2 back, port 3 to a host."""
    for n in range(1, switches + 1):
        add_switch(n, budget)
    for n in range(1, switches):
        add_link(f"s{n}", 1, f"s{n + 1}", 2)
    for n in range(1, switches + 1):
        add_host(n, f"s{n}", 3)
    add_topic()


def add_switch(n: int, budget: int | None = None) -> Switch:
    payload = {"op": "add_switch", "switch": {"id": f"s{n}", "dpid": dpid(n), "tcam_budget": budget}}
    (request,) = submit([LogEntry(payload)])
    return Switch.objects.create(name=f"s{n}", dpid=dpid(n), tcam_budget=budget, request=request)


def add_link(a: str, a_port: int, b: str, b_port: int) -> Link:
    link = {"a": a, "a_port": a_port, "b": b, "b_port": b_port, "cost": 1}
    (request,) = submit([LogEntry({"op": "add_link", "link": link})])
    ends = {name: Switch.objects.get(name=name) for name in (a, b)}
    return Link.objects.create(a=ends[a], a_port=a_port, b=ends[b], b_port=b_port, request=request)


def add_host(n: int, switch: str, port: int) -> Host:
    ip, mac = f"fd00::{n:x}", f"02:00:00:00:00:{n:02x}"
    host = {"id": f"h{n}", "switch": switch, "port": port, "ip": ip, "mac": mac, "standby": []}
    (request,) = submit([LogEntry({"op": "add_host", "host": host})])
    at = Switch.objects.get(name=switch)
    return Host.objects.create(name=f"h{n}", switch=at, port=port, ip=ip, mac=mac, request=request)


def add_topic(name: str = "quotes", code: int = 4) -> Topic:
    topic = {"name": name, "code": code, "indexed": ["low"], "attributes": ATTRIBUTES}
    (request,) = submit([LogEntry({"op": "add_topic", "topic": topic})])
    return Topic.objects.create(name=name, code=code, attributes=ATTRIBUTES, indexed=["low"], request=request)


def advertise(host: str, dz: list[str], topic: str = "quotes") -> Advertisement:
    publisher, _ = Publisher.objects.get_or_create(
        name=f"p-{host}", defaults={"host": Host.objects.get(name=host)}
    )
    return announce(Advertisement, "advertise", host, dz, topic, publisher=publisher)


def subscribe(host: str, dz: list[str], topic: str = "quotes") -> Subscription:
    subscriber, _ = Subscriber.objects.get_or_create(
        name=f"s-{host}", defaults={"host": Host.objects.get(name=host)}
    )
    return announce(Subscription, "subscribe", host, dz, topic, subscriber=subscriber)


@transaction.atomic
def announce(model: Any, op: str, host: str, dz: list[str], topic: str, **who: Any) -> Any:
    """Create an announcement and its request, which name each other."""
    last = model.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    prefix = "a" if op == "advertise" else "q"
    payload = {"op": op, "id": f"{prefix}{last + 1}", "host": host, "topic": topic, "dz": dz}
    (request,) = submit([LogEntry(payload)])
    at = Topic.objects.get(name=topic)
    return model.objects.create(pk=last + 1, filter="", dz=dz, topic=at, request=request, **who)


@transaction.atomic
def withdraw(row: Advertisement | Subscription) -> Request:
    op = "unadvertise" if isinstance(row, Advertisement) else "unsubscribe"
    (request,) = submit([LogEntry({"op": op, "id": row.planner_id})])
    type(row).objects.filter(pk=row.pk).update(withdrawal=request)
    return request


def log(payload: dict[str, Any]) -> Request:
    with transaction.atomic():
        (request,) = submit([LogEntry(payload)])
    return request


def states() -> list[tuple[int, str, str]]:
    """Return id, kind and state of every request."""
    return list(Request.objects.order_by("id").values_list("id", "kind", "state"))


def installed() -> dict[str, list[Any]]:
    """Return the confirmed entries by switch."""
    rows: dict[str, list[Any]] = {}
    for row in InstalledEntry.objects.select_related("switch").order_by("switch", "dst", "in_port"):
        rows.setdefault(row.switch.name, []).append((row.dst, row.in_port, row.priority, row.actions))
    return rows


def trees() -> list[Any]:
    return list(Tree.objects.order_by("name").values_list("name", "dz", "root__name", "edges"))
