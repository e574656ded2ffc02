"""Storage of the counters by announcement and host that a traffic report contains."""

from collections.abc import Sequence
from typing import Any

from controlplane.accounts.callers import PUBLISHER, SUBSCRIBER, Client
from controlplane.common.chunks import chunks
from controlplane.network.models import Host
from controlplane.registry.models import Advertisement, Subscription
from controlplane.telemetry.activity.models import AdvertisementActivity, HostActivity, SubscriptionActivity


def store_report(reporter: int, values: dict[str, Any]) -> None:
    """Store the counters of a report in the caller's transaction.

    Counters of deleted announcements and hosts are skipped.

    Args:
        reporter: the id of the reporter's `TrafficReport`.
        values: the report.
    """
    model: Any
    for part, model, name, counted in (
        ("advertisements", AdvertisementActivity, "advertisement", {"events": "published"}),
        ("subscriptions", SubscriptionActivity, "subscription", {"events": "delivered"}),
        ("hosts", HostActivity, "host", {"events": "delivered", "unwanted": "unwanted"}),
    ):
        rows: Sequence[dict[str, Any]] = values.get(part) or ()
        known = _known(part, [row[name] for row in rows])
        found = {
            known[row[name]]["about_id"]: model(
                reporter_id=reporter,
                last_at=row["last_at"],
                **known[row[name]],
                **{field: row[key] for field, key in counted.items()},
            )
            for row in rows
            if row[name] in known
        }
        model._default_manager.bulk_create(
            list(found.values()),
            batch_size=1000,
            update_conflicts=True,
            unique_fields=["about", "reporter"],
            update_fields=["last_at", *(() if part == "hosts" else ("owner",)), *counted],
        )


def own(values: dict[str, Any], client: Client) -> dict[str, Any]:
    """Return the report reduced to the announcements and the host of a client token."""
    ads = Advertisement.objects.filter(publisher=client.pk if client.kind == PUBLISHER else None)
    subs = Subscription.objects.filter(subscriber=client.pk if client.kind == SUBSCRIBER else None)
    mine = {f"a{pk}" for pk in ads.values_list("pk", flat=True)}
    mine |= {f"q{pk}" for pk in subs.values_list("pk", flat=True)}
    parts = {
        "advertisements": [row for row in values.get("advertisements") or () if row["advertisement"] in mine],
        "subscriptions": [row for row in values.get("subscriptions") or () if row["subscription"] in mine],
        "hosts": [row for row in values.get("hosts") or () if row["host"] == client.host],
    }
    return {**values, **parts}


def topics(values: dict[str, Any]) -> list[str]:
    """Return the sorted names of the topics of all announcements in a report."""
    found: set[str] = set()
    for part, name, model in (
        ("advertisements", "advertisement", Advertisement),
        ("subscriptions", "subscription", Subscription),
    ):
        known = _known(part, [row[name] for row in values.get(part) or ()])
        numbers = [row["about_id"] for row in known.values()]
        for some in chunks(numbers):
            found |= set(model._default_manager.filter(pk__in=some).values_list("topic__name", flat=True))
    return sorted(found)


def _known(part: str, names: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return the ids of the rows and owners of `names`; unknown names are missing."""
    if part == "hosts":
        hosts = Host.objects.values_list("name", "pk")
        found = (row for some in chunks(names) for row in hosts.filter(name__in=some))
        return {name: {"about_id": pk} for name, pk in found}
    prefix, model, owner = (
        ("a", Advertisement, "publisher") if part == "advertisements" else ("q", Subscription, "subscriber")
    )
    numbers = [int(name[1:]) for name in names if name[:1] == prefix and _is_number(name[1:])]
    rows = model._default_manager.values_list("pk", owner)
    there = (row for some in chunks(numbers) for row in rows.filter(pk__in=some))
    return {f"{prefix}{pk}": {"about_id": pk, "owner_id": who} for pk, who in there}


def _is_number(digits: str) -> bool:
    return digits.isascii() and digits.isdecimal() and len(digits) < 19
