"""Test events: the launcher publishes them at the publisher's host and reports receivers."""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from controlplane.common import clock
from controlplane.common.problems import Problem, conflict
from controlplane.operations.demo import demo
from controlplane.operations.demo.models import DemoState, TestEvent, TestState
from controlplane.registry.announcements import LIVE
from controlplane.registry.encoding import core_topic
from controlplane.registry.models import Advertisement, Subscription
from controlplane.rest.request_body import Body
from controlplane.telemetry.samples import advertisements, checked_event
from tercast.errors import Refused, RefusedMany, shown
from tercast.filters.filter import Filter

MOST_WAITING = 20
KEPT = 200
PATIENCE = timedelta(seconds=30)
"""Time without a report of the launcher after which a test event has failed."""

_MOST_MATCHED = 1000
_OPEN = (TestState.QUEUED, TestState.SENDING)


def queue_event(body: Body, actor: Any) -> TestEvent:
    """Queue a test event.

    Raises:
        Problem: The event is invalid, no launcher drives the publisher's host (409), or too many wait (429).
    """
    item, errors = body.items[0], body.errors
    name = item.get("advertisement", "")
    row = advertisements([name]).get(name)
    if row is None and name:
        detail = f"There is no active advertisement {shown(name)}. Use the id of one, for example a7."
        errors.add(0, ("advertisement",), "unknown_advertisement", detail, name)
    values: dict[str, Any] = {}
    if row is not None and "values" in item:
        try:
            values = _checked(row, item["values"])
        except (Refused, RefusedMany) as refused:
            errors.refused(0, (), refused)
    errors.check()
    assert row is not None
    _check_driven(row)
    with transaction.atomic():
        expire()
        if TestEvent.objects.filter(state__in=_OPEN).count() >= MOST_WAITING:
            detail = f"{MOST_WAITING} test events are already waiting. Try again in a few seconds."
            raise Problem(429, "too_many", detail, headers={"Retry-After": "5"})
        event = TestEvent.objects.create(advertisement=row, values=values, actor=actor)
        TestEvent.objects.filter(pk__lte=event.pk - KEPT).exclude(state__in=_OPEN).delete()
        return event


def _checked(row: Advertisement, values: Any) -> dict[str, Any]:
    topic = core_topic(row.topic)
    checked = checked_event(topic, values)
    if not row.by_dz and not Filter.parse(row.filter, topic).matches(checked):
        detail = f"The event does not match advertisement {row.planner_id}: {row.filter or 'true'}."
        raise Refused(("values",), "outside_advertisement", detail, values)
    return topic.values_json(checked)


def _check_driven(row: Advertisement) -> None:
    """Check that a launcher drives the publisher's host.

    Raises:
        Problem: No launcher does (409).
    """
    launcher = demo.launcher()
    if launcher is None or not demo.stands_by(launcher) or demo.state_of(launcher) != DemoState.RUNNING:
        detail = (
            "Test events are published in the demo network, which is not running. Start it (POST demo/), or "
            "publish from your own host with `tercast publish`."
        )
        raise conflict("no_demo", detail)
    host = row.publisher.host.name
    if host not in launcher.hosts:
        detail = (
            f"{shown(row.publisher.name)} is at host {shown(host)}, which is not in the demo network. "
            "Publish there with `tercast publish`, or choose an advertisement at a host of the demo network."
        )
        raise conflict("not_driven", detail)


def claim_events() -> list[dict[str, Any]]:
    """Return the events for the launcher to publish now; each is returned only once."""
    with transaction.atomic():
        expire()
        rows = TestEvent.objects.select_for_update(of=("self",)).filter(state=TestState.QUEUED).order_by("id")
        taken = list(rows.select_related("advertisement__topic", "advertisement__publisher__host"))
        TestEvent.objects.filter(pk__in=[row.pk for row in taken]).update(state=TestState.SENDING)
    return [_order(row) for row in taken]


def _order(row: TestEvent) -> dict[str, Any]:
    announced = row.advertisement
    return {
        "id": row.pk,
        "advertisement": announced.planner_id,
        "filter": announced.filter,
        "host": announced.publisher.host.name,
        "topic": announced.topic.name,
        "values": row.values,
    }


def reported(results: list[dict[str, Any]]) -> None:
    """Store the results of test events; an event that has ended does not change."""
    for result in results:
        with transaction.atomic():
            rows = TestEvent.objects.select_for_update(of=("self",)).filter(pk=result["id"], state__in=_OPEN)
            row = rows.select_related("advertisement__topic").first()
            if row is not None:
                _end(row, result)


def _end(row: TestEvent, result: dict[str, Any]) -> None:
    problem = result.get("problem") or ""
    row.state = TestState.FAILED if problem else TestState.DONE
    row.problem, row.seq, row.ended_at = problem, result.get("seq"), timezone.now()
    by_host = {one["host"]: one for one in result.get("received") or ()}
    matched = _matched(row, set(by_host))
    row.received = [
        {**one, "subscriptions": matched.get(host, []), "wanted": bool(matched.get(host))}
        for host, one in by_host.items()
    ]
    row.save()


def _matched(row: TestEvent, hosts: set[str]) -> dict[str, list[str]]:
    """Return, by host, the active subscriptions there that match the event exactly."""
    topic = core_topic(row.advertisement.topic)
    values = topic.check_json(row.values)
    rows = Subscription.objects.filter(LIVE, topic=row.advertisement.topic, subscriber__host__name__in=hosts)
    found: dict[str, list[str]] = {}
    for one in rows.select_related("subscriber__host").order_by("id")[:_MOST_MATCHED]:
        if not one.by_dz and Filter.parse(one.filter, topic).matches(values):
            found.setdefault(one.subscriber.host.name, []).append(one.planner_id)
    return found


def expire(now: datetime | None = None) -> None:
    """Fail test events without a report in time: the launcher may have ended meanwhile."""
    past = clock.over("created_at", PATIENCE, now or timezone.now())
    late = TestEvent.objects.filter(past, state__in=_OPEN)
    problem = f"The launcher did not report within {PATIENCE.seconds} s. Check the demo, then send again."
    late.update(state=TestState.FAILED, problem=problem, ended_at=now or timezone.now())


def ended(pk: int) -> bool:
    """Whether the event is in a final state."""
    expire()
    return not TestEvent.objects.filter(pk=pk, state__in=_OPEN).exists()
