"""The situation of the running network: the planner's view, and what the switches have confirmed."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.db.models import Q

from controlplane.control import installed
from controlplane.control.models import State
from controlplane.network.models import InstalledEntry
from controlplane.registry.models import Advertisement, Subscription
from tercast.dz import Dz, prefix
from tercast.explain.reasons import Standing
from tercast.explain.situation import Announced, Situation
from tercast.planner import Planner
from tercast.registry import Registration
from tercast.tables import Entry, Table


def situation_of(planner: Planner, topics: Iterable[str], points: Mapping[str, Dz]) -> Situation:
    """What is known of `topics`, while the planner is held; `points` are the dz to look up, by topic.

    The confirmed tables are read only as far as events at these points may meet them.
    """
    chosen = set(topics)
    return Situation(
        planner.address,
        planner.depth,
        planner.topology,
        planner.topics,
        {one.id: one for one in _advertisements(planner, chosen)},
        list(_wishes(planner, chosen)),
        [tree for tree in planner.trees() if tree.topic in chosen],
        _confirmed(planner, points),
        lambda switch: _planned(planner, chosen, switch),
    )


def _advertisements(planner: Planner, topics: set[str]) -> Iterator[Announced]:
    owners = dict(Advertisement.objects.filter(topic__name__in=topics).values_list("pk", "publisher__name"))
    for topic in topics:
        for reg in planner.registry.advertisements(topic):
            yield announced(reg, owners.get(_number(reg.id)))


def _wishes(planner: Planner, topics: set[str]) -> Iterator[Announced]:
    """All subscriptions that there are records of."""
    rows = Subscription.objects.filter(topic__name__in=topics).order_by("id")
    live = planner.registry.live
    fields = ("pk", "subscriber__name", "subscriber__host__name", "topic__name", "filter", "state")
    for pk, owner, host, topic, text, state in rows.values_list(*fields).iterator(2000):
        name = f"q{pk}"
        reg = live.get(name)
        if reg is not None:
            standing = Standing.LIVE if state == State.ACTIVE else Standing.DEPLOYING
            note = "" if state == State.ACTIVE else f"{name} is {state}"
            yield announced(reg, owner, standing, note)
        else:
            standing, note = _unplanned(name, state)
            yield Announced(name, host, topic, text, (), standing, owner, note)


def _unplanned(name: str, state: str) -> tuple[Standing, str]:
    """The standing of one that the plan does not have; an active one is being withdrawn."""
    if state == State.FAILED:
        return Standing.FAILED, f"its request tells why {name} failed"
    if state in (State.WITHDRAWN, State.ACTIVE):
        return Standing.WITHDRAWN, "" if state == State.WITHDRAWN else "switches have yet to confirm it"
    return Standing.NOT_ACTIVE, f"{name} is {state}"


def announced(
    reg: Registration, owner: str | None, standing: Standing = Standing.LIVE, note: str = ""
) -> Announced:
    """What the planner has registered, with its publisher or subscriber."""
    return Announced(reg.id, reg.host, reg.topic, reg.filter, reg.dz, standing, owner, note)


def _planned(planner: Planner, topics: set[str], switch: str) -> Table:
    tries = (planner.plan(topic).tries.get(switch) for topic in sorted(topics))
    return planner.writer.table([trie for trie in tries if trie is not None])


def _confirmed(planner: Planner, points: Mapping[str, Dz]) -> Any:
    """Reads of a switch the entries that hold one of the points."""
    prefixes = [
        planner.address.match(planner.topics[topic].code, prefix(full, bits))
        for topic, full in points.items()
        for bits in range(planner.address.dz_room + 1)
    ]

    def read(switch: str) -> tuple[Entry, ...]:
        rows = InstalledEntry.objects.filter(Q(switch__name=switch), dst__in=prefixes)
        return installed.entries(rows)

    return read


def _number(name: str) -> int:
    return int(name[1:]) if name[1:].isdecimal() else 0
