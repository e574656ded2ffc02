"""Effects of completed requests on their objects: states, and current values.

Everything is done in bulk, by kind, inside the caller's transaction.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Model, ProtectedError, Q, QuerySet

from controlplane.aggregation import runs
from controlplane.aggregation.models import Policy
from controlplane.common.chunks import chunks
from controlplane.deployment import switch_sync
from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import ANNOUNCEMENT_MODELS, Advertisement, Subscription, Topic
from controlplane.requestlog import outbox
from controlplane.requestlog.kinds import ANNOUNCING
from controlplane.requestlog.models import Request, State
from tercast.requests.kinds import (
    AGGREGATE,
    HOST_MOVE,
    LINK_DOWN,
    LINK_UP,
    REMOVE_HOST,
    REMOVE_LINK,
    REMOVE_SWITCH,
    REMOVE_TOPIC,
    SET_AGGREGATION,
    SET_BUDGET,
    SET_CAPACITY,
    SET_INDEXED,
    SWITCH_DOWN,
    SWITCH_UP,
)

logger = logging.getLogger(__name__)


def apply(requests: Sequence[Request], decided: bool = True) -> None:
    """Set the objects of `requests`, which are in the order of the log, to the requests' states.

    The matches of a subscription are written only if it was `decided` just now, because later requests may
    have changed them since.
    """
    announced: dict[tuple[str, State, bool | None], list[int]] = defaultdict(list)
    for request in requests:
        if request.kind in ANNOUNCEMENT_MODELS:
            matched = request.matched if decided else None
            announced[request.kind, State(request.state), matched].append(request.pk)
        elif request.state == State.ACTIVE and request.kind in _CHANGES:
            _CHANGES[request.kind](request.payload)
    runs.end_with_requests(request for request in requests if request.kind == AGGREGATE)
    for (kind, state, matched), ids in announced.items():
        for part in chunks(ids):
            _announcements(kind, state, matched, part)


def _announcements(kind: str, state: State, matched: bool | None, ids: Sequence[int]) -> None:
    rows: QuerySet[Any] = ANNOUNCEMENT_MODELS[kind]._default_manager.all()
    if kind in ANNOUNCING:
        known = {} if matched is None else {"matched": matched}
        rows.filter(request__in=ids).exclude(state=State.WITHDRAWN).update(state=state, **known)
    elif state == State.ACTIVE:
        rows.filter(withdrawal__in=ids).update(state=State.WITHDRAWN)


def _set_aggregation(payload: dict[str, Any]) -> None:
    Policy.objects.update_or_create(pk=1, defaults={"method": payload["method"]})


def _set_budget(payload: dict[str, Any]) -> None:
    """Set the budget; it replaces the capacity that was learned."""
    Switch.objects.filter(name=payload["switch"]).update(tcam_budget=payload["tcam_budget"], capacity=None)


def _set_capacity(payload: dict[str, Any]) -> None:
    Switch.objects.filter(name=payload["switch"]).update(capacity=payload["entries"])
    for switch in Switch.objects.filter(name=payload["switch"]):
        fields = {"connected": switch.connected, "up": switch.up, "capacity": switch.capacity}
        outbox.emit("switch", {"name": switch.name, **fields})


def _set_switch(up: bool) -> Callable[[dict[str, Any]], None]:
    def change(payload: dict[str, Any]) -> None:
        for switch in Switch.objects.filter(name=payload["switch"]).exclude(up=up):
            switch.up = up
            switch.save(update_fields=("up",))
            outbox.emit("switch", {"name": switch.name, "connected": switch.connected, "up": up})

    return change


def _links(payload: dict[str, Any]) -> QuerySet[Link]:
    name, port = payload["switch"], payload["port"]
    return Link.objects.filter(Q(a__name=name, a_port=port) | Q(b__name=name, b_port=port))


def _set_link(up: bool) -> Callable[[dict[str, Any]], None]:
    def change(payload: dict[str, Any]) -> None:
        for link in _links(payload).exclude(up=up):
            link.up = up
            link.save(update_fields=("up",))
            outbox.emit("link", {"id": link.pk, "up": up})

    return change


def _move_host(payload: dict[str, Any]) -> None:
    switch = Switch.objects.filter(name=payload["switch"]).first()
    if switch is not None:
        Host.objects.filter(name=payload["host"]).update(switch=switch, port=payload["port"])


def _set_indexed(payload: dict[str, Any]) -> None:
    fields = {name: payload[name] for name in ("indexed", "cuts") if payload.get(name) is not None}
    Topic.objects.filter(name=payload["topic"]).update(**fields)


def _remove_topic(payload: dict[str, Any]) -> None:
    """Remove a topic with its withdrawn and failed announcements."""
    over = (State.WITHDRAWN, State.FAILED)
    for announcements in (Advertisement, Subscription):
        announcements.objects.filter(topic__name=payload["topic"], state__in=over).delete()
    _delete(Topic.objects.filter(name=payload["topic"]))


def _remove_switch(payload: dict[str, Any]) -> None:
    _delete(Switch.objects.filter(name=payload["switch"]))
    switch_sync.forget([payload["switch"]])


def _delete(rows: QuerySet[Any, Any]) -> None:
    """Delete rows; a row that something still refers to stays, and raises an alarm."""
    for row in rows:
        try:
            row.delete()
        except ProtectedError as error:
            _report_kept_row(row, len(error.protected_objects))


def _report_kept_row(row: Model, references: int) -> None:
    kind = row._meta.verbose_name
    outbox.alarm(
        f"{kind} {row} is no longer in the plan, but its database row stays: {references} other rows refer "
        "to it"
    )


_CHANGES: dict[str, Callable[[dict[str, Any]], None]] = {
    SET_AGGREGATION: _set_aggregation,
    SET_BUDGET: _set_budget,
    SET_CAPACITY: _set_capacity,
    SET_INDEXED: _set_indexed,
    HOST_MOVE: _move_host,
    LINK_UP: _set_link(True),
    LINK_DOWN: _set_link(False),
    SWITCH_UP: _set_switch(True),
    SWITCH_DOWN: _set_switch(False),
    REMOVE_SWITCH: _remove_switch,
    REMOVE_LINK: lambda payload: _delete(_links(payload)),
    REMOVE_HOST: lambda payload: _delete(Host.objects.filter(name=payload["host"])),
    REMOVE_TOPIC: _remove_topic,
}
