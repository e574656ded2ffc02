"""Texts for announcements without a path to some of the announcements that they match."""

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
    "whether a working path exists to all announcements that it matches: `full` (also if it matches none),"
    " `partial`, or `none`"
)
_QUERIED = 500

REMEDY = (
    "Connect the parts of the network: add a link, repair the link or switch that is down, or put it into "
    "service again (page Network). You need not announce anything again."
)


class UnreachableSerializer(serializers.Serializer[Any]):
    """Matching announcements without a path."""

    names = serializers.ListField(
        child=serializers.CharField(),
        help_text="names of publishers (for a subscription) or subscribers, at most 20",
    )
    more = serializers.BooleanField(help_text="whether there are others")
    since = serializers.DateTimeField(
        allow_null=True, help_text="time when the path was lost; null in a preview"
    )
    detail = serializers.CharField(help_text="description of the problem")
    remedy = serializers.CharField(help_text="what to do")


UNREACHABLE = extend_schema_field(UnreachableSerializer(allow_null=True))


def unreachable(row: Any, named: bool = True) -> dict[str, Any] | None:
    """Return which matching announcements a row cannot reach; None if it reaches all.

    Without `named` the answer contains the number of others instead of their names.
    """
    if row.reach == Reach.FULL:
        return None
    subscribes = hasattr(row, "subscriber_id")
    host = (row.subscriber if subscribes else row.publisher).host.name
    reach, names, more = Reach(row.reach), row.unreachable, row.unreachable_more
    text = explained(reach, subscribes, host, names, more, named=named)
    return {**text, "since": row.unreachable_since}


def of_requests(requests: Iterable[Request]) -> dict[int, Any]:
    """Return the announcements of requests that are out of reach, by id of the request.

    It makes at most two queries for any number of requests.
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
            found |= {row.request_id: row for row in rows.select_related(owner).order_by()}
    return found


def owners_by_name(names: Iterable[str]) -> dict[str, str]:
    """Return the owners of announcements like `a7` and `q3`; one query for 500 names."""
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
    """Return the owners of announcements, each once, in the order of the announcements."""
    owners = owners_by_name(names)
    return list(dict.fromkeys(owners[name] for name in names if name in owners))


def explained(
    reach: Reach, subscribes: bool, host: str, names: Sequence[str], more: bool, *, named: bool = True
) -> dict[str, Any]:
    """Return whom an announcement at a host cannot reach, by name or as a number."""
    other = "publisher" if subscribes else "subscriber"
    listed = ", ".join(names) + (" and others" if more else "")
    if not named:
        listed, names, more = quantity(len(names), other) + (" or more" if more else ""), (), True
    direction = f"to host {host} from" if subscribes else f"from host {host} to"
    if reach is Reach.NONE:
        what = "It receives no events" if subscribes else "No subscriber receives its events"
        detail = f"{what}: no path exists {direction} any matching {other} ({listed})."
    else:
        what = "It receives only some events" if subscribes else "Some subscribers do not receive its events"
        detail = f"{what}: no path exists {direction} {listed}."
    return {"names": list(names), "more": more, "since": None, "detail": detail, "remedy": REMEDY}
