"""Words for announcements that lack a path to some of those that they match."""

from collections.abc import Iterable, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import Request
from tercast.requests.kinds import ADVERTISE, SUBSCRIBE
from tercast.requests.reach import Reach
from tercast.runtime.wording import quantity

REACHES = tuple(reach.value for reach in Reach)
REACH_HELP = (
    "whether paths of links and switches that are up lead to all that it matches: `full` (also while it"
    " matches nothing), `partial`, or `none`"
)
_QUERIED = 500

REMEDY = (
    "Join the parts of the network: add a link, or bring up the link or switch that is down (page Network)."
    " Nothing has to be announced again."
)


class UnreachableSerializer(serializers.Serializer[Any]):
    """Whom an announcement matches and cannot reach."""

    names = serializers.ListField(
        child=serializers.CharField(), help_text="publishers (of a subscription) or subscribers; 20 at most"
    )
    more = serializers.BooleanField(help_text="whether there are others")
    since = serializers.DateTimeField(allow_null=True, help_text="null in a preview")
    detail = serializers.CharField()
    remedy = serializers.CharField()


UNREACHABLE = extend_schema_field(UnreachableSerializer(allow_null=True))


def unreachable(row: Any, named: bool = True) -> dict[str, Any] | None:
    """Return whom a row of an advertisement or subscription cannot reach; None: it reaches all it matches.

    Without `named`, others are counted and have no names.
    """
    if row.reach == Reach.FULL:
        return None
    subscribes = hasattr(row, "subscriber_id")
    host = (row.subscriber if subscribes else row.publisher).host.name
    reach, names, more = Reach(row.reach), row.unreachable, row.unreachable_more
    told = explained(reach, subscribes, host, names, more, named=named)
    return {**told, "since": row.unreachable_since}


def of_requests(requests: Iterable[Request]) -> dict[int, Any]:
    """Return the announcements, of those that requests make, that are out of reach, by the requests' ids.

    Two queries at most, however many requests.
    """
    found: dict[int, Any] = {}
    ids: dict[str, list[int]] = {ADVERTISE: [], SUBSCRIBE: []}
    for request in requests:
        if request.kind in ids:
            ids[request.kind].append(request.pk)
    for kind, model, owner in (
        (ADVERTISE, Advertisement, "publisher__host"),
        (SUBSCRIBE, Subscription, "subscriber__host"),
    ):
        if ids[kind]:
            rows = model._default_manager.filter(request__in=ids[kind]).exclude(reach=Reach.FULL)
            found |= {row.request_id: row for row in rows.select_related(owner)}
    return found


def owners_by_name(names: Iterable[str]) -> dict[str, str]:
    """Return the publishers and subscribers of announcements like `a7` and `q3`; one query for 500."""
    ids: dict[str, list[int]] = {"a": [], "q": []}
    for name in dict.fromkeys(names):
        ids[name[0]].append(int(name[1:]))
    found: dict[str, str] = {}
    for prefix, model, field in (
        ("a", Advertisement, "publisher__name"),
        ("q", Subscription, "subscriber__name"),
    ):
        for start in range(0, len(ids[prefix]), _QUERIED):
            part = ids[prefix][start : start + _QUERIED]
            rows = model._default_manager.filter(pk__in=part).values_list("pk", field)
            found |= {f"{prefix}{pk}": owner for pk, owner in rows}
    return found


def owners_of(names: Sequence[str]) -> list[str]:
    """Return the same, each once, in the order of the announcements."""
    owners = owners_by_name(names)
    return list(dict.fromkeys(owners[name] for name in names if name in owners))


def explained(
    reach: Reach, subscribes: bool, host: str, names: Sequence[str], more: bool, *, named: bool = True
) -> dict[str, Any]:
    """Return whom a subscription or an advertisement at a host cannot reach, by name or as a count."""
    other = "publisher" if subscribes else "subscriber"
    listed = ", ".join(names) + (" and others" if more else "")
    if not named:
        listed, names, more = quantity(len(names), other) + (" or more" if more else ""), (), True
    direction = f"to host {host} from" if subscribes else f"from host {host} to"
    if reach is Reach.NONE:
        what = "It gets no event" if subscribes else "Nobody gets its events"
        detail = f"{what}: no path leads {direction} any {other} that matches ({listed})."
    else:
        what = "It gets only a part of its events" if subscribes else "Not all who match get its events"
        detail = f"{what}: no path leads {direction} {listed}."
    return {"names": list(names), "more": more, "since": None, "detail": detail, "remedy": REMEDY}
