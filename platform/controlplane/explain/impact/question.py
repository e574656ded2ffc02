"""Question about a removal: ending announcements, or a cut of trees at a switch or link."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from controlplane.network.models import Host, Link, Switch
from controlplane.registry.models import Advertisement, Publisher, Subscriber, Subscription, Topic
from controlplane.requestlog.models import State

OVER = (State.WITHDRAWN, State.FAILED)


@dataclass(frozen=True, slots=True)
class Cut:
    """Removed switch, or one end of a removed link (with the port)."""

    switch: str
    port: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """Names of ending announcements, and the cut of trees; `topic` is set if it ends."""

    advertisements: tuple[str, ...] = ()
    subscriptions: tuple[str, ...] = ()
    cut: Cut | None = None
    topic: str | None = None


def question(row: Any) -> Question:
    """Return the announcements or the cut that the removal of a row means."""
    return _BY[type(row)](row)


def _going(ads: dict[str, Any] | None, subs: dict[str, Any] | None, **more: Any) -> Question:
    def ids(model: Any, which: dict[str, Any] | None, prefix: str) -> tuple[str, ...]:
        if which is None:
            return ()
        rows = model._default_manager.filter(**which).exclude(state__in=OVER).order_by("id")
        return tuple(f"{prefix}{pk}" for pk in rows.values_list("pk", flat=True))

    return Question(ids(Advertisement, ads, "a"), ids(Subscription, subs, "q"), **more)


_BY: dict[type[Any], Callable[[Any], Question]] = {
    Advertisement: lambda row: _going({"pk": row.pk}, None),
    Subscription: lambda row: _going(None, {"pk": row.pk}),
    Publisher: lambda row: _going({"publisher": row.pk}, None),
    Subscriber: lambda row: _going(None, {"subscriber": row.pk}),
    Topic: lambda row: _going({"topic": row.pk}, {"topic": row.pk}, topic=row.name),
    Host: lambda row: _going({"publisher__host": row.pk}, {"subscriber__host": row.pk}),
    Switch: lambda row: Question(cut=Cut(row.name)),
    Link: lambda row: Question(cut=Cut(row.a.name, row.a_port)),
}
