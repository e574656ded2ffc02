"""The situation of the running network: the planner's view, and what the switches have confirmed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from controlplane.network.models import InstalledEntry
from controlplane.planning import confirmed_entries
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import State
from tercast.eventspace.dz import Dz, prefix
from tercast.eventspace.topic import Topic
from tercast.explain.network_state import AnnouncementState, NetworkState, Tables
from tercast.explain.reasons import DeliveryStanding
from tercast.planner.planner import Planner
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.topic_routing import TopicRouting
from tercast.tables.entries import Table


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """A topic as a publisher is told it, with what is planned so; while it moves there are two."""

    topic: Topic
    plan: TopicRouting
    live: Mapping[str, Registration]

    @classmethod
    def find(cls, planner: Planner, name: str, code: int | None) -> Self:
        """Under that code, if the topic has still entries there; else as it is planned."""
        leaving = planner.leaving.get(name)
        if leaving is not None and leaving.code == code:
            former = leaving.plan.topic
            topic = Topic(name, former.code, former.attributes, former.indexed)
            live = {one.id: replace(one, topic=name) for one in leaving.live.values()}
            return cls(topic, leaving.plan, live)
        return cls(planner.topics[name], planner.plan(name), planner.registry.live)

    def registered(self, kind: str) -> Iterator[Registration]:
        """What of a kind is live in the topic."""
        name = self.topic.name
        return (one for one in self.live.values() if one.topic == name and one.kind == kind)

    def trees(self) -> Iterator[TreeView]:
        """Its trees."""
        for forest in self.plan.forests.values():
            for tree, dz in forest.dz_sets().items():
                yield TreeView(tree.id, self.topic.name, dz, tree.root, tuple(tree.edges()))

    def planned(self, planner: Planner) -> Tables:
        """Reads what is planned for a switch."""

        def read(switch: str) -> Table:
            trie = self.plan.tries.get(switch)
            return () if trie is None else planner.writer.table([trie])

        return read


def situation_of(planner: Planner, encoded: EncodedRow, full: Dz) -> NetworkState:
    """What is known of a topic, while the planner is held.

    The confirmed tables are read only as far as events at one point, a dz that fills the room, may meet them.
    """
    return NetworkState(
        planner.address,
        planner.depth,
        planner.topology,
        {**planner.topics, encoded.topic.name: encoded.topic},
        {one.id: one for one in _advertisements(encoded)},
        list(_wishes(planner, encoded)),
        list(encoded.trees()),
        _confirmed(planner, encoded.topic.code, full),
        encoded.planned(planner),
    )


def _advertisements(encoded: EncodedRow) -> Iterator[AnnouncementState]:
    rows = Advertisement.objects.filter(topic__name=encoded.topic.name)
    owners = dict(rows.values_list("pk", "publisher__name"))
    for reg in encoded.registered(ADVERTISEMENT):
        yield announced(reg, owners.get(number_of(reg.id)))


def _wishes(planner: Planner, encoded: EncodedRow) -> Iterator[AnnouncementState]:
    """All subscriptions that there are records of."""
    rows = Subscription.objects.filter(topic__name=encoded.topic.name).order_by("id")
    fields = ("pk", "subscriber__name", "subscriber__host__name", "topic__name", "filter", "state")
    for pk, owner, host, topic, text, state in rows.values_list(*fields).iterator(2000):
        name = f"q{pk}"
        reg = encoded.live.get(name)
        if reg is not None:
            standing = DeliveryStanding.LIVE if state == State.ACTIVE else DeliveryStanding.DEPLOYING
            note = "" if state == State.ACTIVE else f"{name} is {state}"
            yield announced(reg, owner, standing, note)
        elif name in planner.registry.live:
            note = f"{name} comes with the topic's other code, to which it moves"
            yield AnnouncementState(name, host, topic, text, (), DeliveryStanding.NOT_ACTIVE, owner, note)
        else:
            standing, note = _unplanned(name, state)
            yield AnnouncementState(name, host, topic, text, (), standing, owner, note)


def _unplanned(name: str, state: str) -> tuple[DeliveryStanding, str]:
    """The standing of one that the plan does not have; an active one is being withdrawn."""
    if state == State.FAILED:
        return DeliveryStanding.FAILED, f"its request tells why {name} failed"
    if state in (State.WITHDRAWN, State.ACTIVE):
        return (
            DeliveryStanding.WITHDRAWN,
            "" if state == State.WITHDRAWN else "switches have yet to confirm it",
        )
    return DeliveryStanding.NOT_ACTIVE, f"{name} is {state}"


def announced(
    reg: Registration, owner: str | None, standing: DeliveryStanding = DeliveryStanding.LIVE, note: str = ""
) -> AnnouncementState:
    """What the planner has registered, with its publisher or subscriber."""
    return AnnouncementState(reg.id, reg.host, reg.topic, reg.filter, reg.dz, standing, owner, note)


def _confirmed(planner: Planner, code: int, full: Dz) -> Tables:
    """Reads of a switch the entries that hold a point."""
    address = planner.address
    prefixes = [address.match(code, prefix(full, bits)) for bits in range(address.dz_room + 1)]

    def read(switch: str) -> Table:
        rows = InstalledEntry.objects.filter(switch__name=switch, dst__in=prefixes)
        return confirmed_entries.entries(rows)

    return read


def number_of(name: str) -> int:
    """The row's key of an announcement that the planner knows as "a7" or "q3"; 0 where it is none."""
    return int(name[1:]) if name[1:].isdecimal() else 0
