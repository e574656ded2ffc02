"""Which events a request is about, so that it waits only for switches that lag there."""

from collections.abc import Iterable
from typing import Any

from controlplane.control.lag import Region
from controlplane.control.models import Request
from controlplane.registry.models import Advertisement, Subscription, Topic
from tercast import dz

_ANNOUNCE = frozenset({"advertise", "subscribe"})
_WITHDRAW = frozenset({"unadvertise", "unsubscribe"})


def regions(requests: Iterable[Request]) -> dict[int, Region | None]:
    """The region of each request, by id; None for those that are about no particular events."""
    codes = dict(Topic.objects.values_list("name", "code"))
    withdrawn = _withdrawn(requests)
    return {request.pk: _region(request, codes, withdrawn) for request in requests}


def _region(request: Request, codes: dict[str, int], withdrawn: dict[str, Region]) -> Region | None:
    payload: dict[str, Any] = request.payload
    if request.kind in _WITHDRAW:
        return withdrawn.get(payload["id"])
    if request.kind not in _ANNOUNCE or "dz" not in payload or payload["topic"] not in codes:
        return None
    return Region(codes[payload["topic"]], tuple(map(dz.parse, payload["dz"])))


def _withdrawn(requests: Iterable[Request]) -> dict[str, Region]:
    """By the planner's id: what withdrawals are about."""
    ids = {kind: [int(one.payload["id"][1:]) for one in requests if one.kind == kind] for kind in _WITHDRAW}
    rows: list[Advertisement | Subscription] = [
        *Advertisement.objects.filter(pk__in=ids["unadvertise"]).select_related("topic"),
        *Subscription.objects.filter(pk__in=ids["unsubscribe"]).select_related("topic"),
    ]
    return {row.planner_id: Region(row.topic.code, tuple(map(dz.parse, row.dz))) for row in rows}
