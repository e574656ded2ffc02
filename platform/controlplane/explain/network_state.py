"""State of the running network for explanations: the planner's view, and confirmed tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from controlplane.network.models import InstalledEntry
from controlplane.planning import confirmed_entries
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import State
from tercast.eventspace.dz import Dz, prefix
from tercast.eventspace.topic import Topic
from tercast.explain.network_state import AnnouncementState, NetworkState, ReadTable
from tercast.explain.reasons import DeliveryStanding
from tercast.planner.planner import Planner
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.topic_routing import TopicRouting
from tercast.tables.entries import Table


@dataclass(frozen=True, slots=True)
class EncodedRow:
    """Topic in one of its encodings, with its plan. A moving topic has two encodings."""

    topic: Topic
    plan: TopicRouting
    live: Mapping[str, Registration]

    @classmethod
    def find(cls, planner: Planner, name: str, code: int | None) -> Self:
        """Return the old encoding if it has this code and still has entries, else the planned one."""
        leaving = planner.leaving.get(name)
        if leaving is not None and leaving.code == code:
            former = leaving.plan.topic
            topic = former.with_name(name)
            live = {one.id: replace(one, topic=name) for one in leaving.live.values()}
            return cls(topic, leaving.plan, live)
        return cls(planner.topics[name], planner.plan(name), planner.registry.live)

    def registered(self, kind: str) -> Iterator[Registration]:
        """Return the active announcements of a kind in the topic."""
        name = self.topic.name
        return (one for one in self.live.values() if one.topic == name and one.kind == kind)

    def trees(self) -> Iterator[TreeView]:
        """Yield the trees of the topic."""
        for forest in self.plan.forests.values():
            for tree, dz in forest.dz_sets().items():
                yield TreeView(tree.id, self.topic.name, dz, tree.root, tuple(tree.edges()))

    def planned(self, planner: Planner) -> ReadTable:
        """Return a function that reads the planned table of a switch."""

        def read(switch: str) -> Table:
            trie = self.plan.tries.get(switch)
            return () if trie is None else planner.writer.table([trie])

        return read


def situation_of(planner: Planner, encoded: EncodedRow, full: Dz) -> NetworkState:
    """Return the state of a topic. The caller holds the planner.

    From the confirmed tables only entries are read that an event with the dz `full` can match.
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
    """Yield all subscriptions that have a record."""
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
            note = f"{name} takes effect when the topic has changed to its new encoding"
            yield AnnouncementState(name, host, topic, text, (), DeliveryStanding.NOT_ACTIVE, owner, note)
        else:
            standing, note = _unplanned(name, state)
            yield AnnouncementState(name, host, topic, text, (), standing, owner, note)


def _unplanned(name: str, state: str) -> tuple[DeliveryStanding, str]:
    """Return the delivery state of a subscription outside the plan; an active one is leaving."""
    if state == State.FAILED:
        return (
            DeliveryStanding.FAILED,
            f"open the request of {name} on the page Requests: it contains the reason",
        )
    if state in (State.WITHDRAWN, State.ACTIVE):
        return (
            DeliveryStanding.WITHDRAWN,
            "" if state == State.WITHDRAWN else "some switches have not confirmed it yet",
        )
    return DeliveryStanding.NOT_ACTIVE, f"{name} is {state}"


def announced(
    reg: Registration, owner: str | None, standing: DeliveryStanding = DeliveryStanding.LIVE, note: str = ""
) -> AnnouncementState:
    """Return a planner registration with the name of its publisher or subscriber."""
    return AnnouncementState(reg.id, reg.host, reg.topic, reg.filter, reg.dz, standing, owner, note)


def _confirmed(planner: Planner, code: int, full: Dz) -> ReadTable:
    """Return a function that reads a switch's entries that contain the point."""
    address = planner.address
    prefixes = [address.match(code, prefix(full, bits)) for bits in range(address.dz_room + 1)]

    def read(switch: str) -> Table:
        rows = InstalledEntry.objects.filter(switch__name=switch, dst__in=prefixes)
        return confirmed_entries.entries(rows)

    return read


def number_of(name: str) -> int:
    """Return the row id of an announcement like "a7" or "q3"; 0 for any other text."""
    return int(name[1:]) if name[1:].isdecimal() else 0
