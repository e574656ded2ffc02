"""Reported event counts of the rows of a page, read with a few queries for all rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Sum

from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import State
from controlplane.telemetry.activity.models import AdvertisementActivity, HostActivity, SubscriptionActivity

OVER = (State.WITHDRAWN, State.FAILED)


@dataclass(frozen=True, slots=True)
class DeliveryTotals:
    """Event counts of an announcement or an owner, as sums over all reporters.

    A count is None if no reporter has sent one. `announced` is the number of live announcements of an owner.
    """

    events: int | None = None
    unwanted: int | None = None
    last_at: datetime | None = None
    announced: int = 0


UNKNOWN = DeliveryTotals()


def of_subscriptions(rows: Iterable[Subscription]) -> dict[int, DeliveryTotals]:
    """Return the counts of subscriptions by id.

    `unwanted` counts the false positives at the subscriber's host.
    """
    rows = list(rows)
    hosts = _unwanted({row.subscriber.host_id for row in rows})
    found = _sums(SubscriptionActivity, "about", [row.pk for row in rows])
    return {row.pk: _totals(found.get(row.pk), hosts.get(row.subscriber.host_id)) for row in rows}


def of_advertisements(rows: Iterable[Advertisement]) -> dict[int, DeliveryTotals]:
    """Return the counts of advertisements by id; one without a report is missing."""
    found = _sums(AdvertisementActivity, "about", [row.pk for row in rows])
    return {pk: _totals(sums) for pk, sums in found.items()}


def of_owners(kind: str, rows: Iterable[Any]) -> dict[int, DeliveryTotals]:
    """Return the counts of publishers or subscribers by id, summed over their announcements.

    Args:
        kind: `publisher` or `subscriber`.
        rows: the publishers or the subscribers.
    """
    rows = list(rows)
    ids = [row.pk for row in rows]
    publishing = kind == "publisher"
    activity: Any = AdvertisementActivity if publishing else SubscriptionActivity
    model: Any = Advertisement if publishing else Subscription
    found = _sums(activity, "owner", ids)
    hosts = {} if publishing else _unwanted({row.host_id for row in rows})
    live = model._default_manager.filter(**{f"{kind}__in": ids}).exclude(state__in=OVER).order_by()
    counts = dict(live.values_list(kind).annotate(n=Count("id")))
    return {row.pk: _totals(found.get(row.pk), hosts.get(row.host_id), counts.get(row.pk, 0)) for row in rows}


Sums = tuple[int, datetime | None]


def _sums(model: Any, by: str, ids: Iterable[int]) -> dict[int, Sums]:
    rows = model._default_manager.filter(**{f"{by}__in": list(ids)}).order_by().values_list(by)
    return {pk: (events, last) for pk, events, last in rows.annotate(n=Sum("events"), last=Max("last_at"))}


@dataclass(frozen=True, slots=True)
class DeliveryArrivals:
    """Counts of events that reached a host, over all reporters; None without a report."""

    delivered: int | None = None
    unwanted: int | None = None
    last_at: datetime | None = None


NOTHING_REPORTED = DeliveryArrivals()


def of_hosts(ids: Iterable[int]) -> dict[int, DeliveryArrivals]:
    """Return the counts of hosts by id; a host without a report is missing."""
    rows = HostActivity.objects.filter(about__in=list(ids)).order_by().values_list("about")
    sums = rows.annotate(n=Sum("events"), unwanted=Sum("unwanted"), last=Max("last_at"))
    return {pk: DeliveryArrivals(*values) for pk, *values in sums}


def _unwanted(hosts: Iterable[int]) -> dict[int, int]:
    rows = HostActivity.objects.filter(about__in=list(hosts)).order_by().values_list("about")
    return dict(rows.annotate(n=Sum("unwanted")))


def _totals(sums: Sums | None, unwanted: int | None = None, announced: int = 0) -> DeliveryTotals:
    events, last = sums or (None, None)
    return DeliveryTotals(events, unwanted, last, announced)
