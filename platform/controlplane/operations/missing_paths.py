"""Topics with missing paths, and the number of announcements that these affect."""

from datetime import datetime

from django.db.models import Count, Min

from controlplane.registry.models import Advertisement, Subscription
from tercast.requests.reach import Reach

NAMED = 5


def read_missing_paths() -> list[tuple[str, str, datetime | None]]:
    """Return each topic with subscriptions out of reach, the missing paths and the start time.

    This reads only the rows that are out of reach, from a partial index. It searches nothing in the network.
    """
    rows = Subscription.objects.exclude(reach=Reach.FULL).order_by()
    topics = rows.values_list("topic__name").annotate(n=Count("id"), since=Min("unreachable_since"))
    return [(f"topic {name}", _detail(name, n), since) for name, n, since in topics.order_by("topic__name")]


def _detail(topic: str, number: int) -> str:
    rows = Subscription.objects.exclude(reach=Reach.FULL).filter(topic__name=topic).order_by("id")
    some = list(rows.values_list("pk", "subscriber__name", "unreachable")[:NAMED])
    publishers = sorted({name for _, _, names in some for name in names})
    listed = ", ".join(f"q{pk} of {who}" for pk, who, _ in some)
    more = f" and {number - len(some)} more" if number > len(some) else ""
    noun = "subscription" if number == 1 else "subscriptions"
    return f"no path leads from {', '.join(publishers)} to {number} matching {noun}: {listed}{more}"


def counts() -> dict[tuple[str, str], int]:
    """Return the numbers of announcements out of reach, by kind and reach."""
    found: dict[tuple[str, str], int] = {}
    for kind, model in (("advertisement", Advertisement), ("subscription", Subscription)):
        rows = model._default_manager.exclude(reach=Reach.FULL).order_by().values_list("reach")
        known = dict(rows.annotate(n=Count("id")))
        for reach in (Reach.NONE, Reach.PARTIAL):
            found[kind, reach.value] = known.get(reach.value, 0)
    return found
