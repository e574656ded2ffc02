"""Registry of topics, live advertisements and subscriptions, and the topology."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tercast.errors import Path, Refused, shown
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.requests.model import (
    Add,
    AddBorder,
    Advertise,
    HostMove,
    NetworkChange,
    Registering,
    Remove,
    RemoveBorder,
    RemoveLink,
    SetBudget,
    SetCapacity,
    SetIndexed,
    SetPort,
    SetReserve,
    SetSwitch,
    Unadvertise,
    Withdrawing,
)
from tercast.runtime.wording import unknown_name
from tercast.topology.borders import add_border, border_name, known_border, remove_border
from tercast.topology.topology import Topology

ADVERTISEMENT = "advertisement"
SUBSCRIPTION = "subscription"


@dataclass(frozen=True, slots=True)
class Registration:
    """A live advertisement or subscription: registered and not withdrawn.

    `seq` grows in the order of the log. `filter` is None if the request had only a `dz`. `dz` is empty if
    nothing was encoded.
    """

    seq: int
    kind: str
    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet = ()

    def encoded(self, dz: DzSet) -> Registration:
        """Return a copy with another encoding."""
        return replace(self, dz=dz)


class Registry:
    """All objects that requests refer to; methods refuse invalid requests."""

    __slots__ = ("address", "live", "next_seq", "topics", "topology")

    def __init__(self, address: AddressPlan, topology: Topology, topics: Iterable[Topic] = ()) -> None:
        self.address = address
        self.topology = topology
        self.topics: dict[str, Topic] = {}
        self.live: dict[str, Registration] = {}
        self.next_seq = 1
        for topic in topics:
            self.add_topic(topic)

    def is_external(self, registration: Registration) -> bool:
        """Return whether a registration is a cell of another partition, not an object of a user."""
        return registration.host in self.topology.borders

    def advertisements(self, topic: str | None = None) -> Iterator[Registration]:
        """Live advertisements in the order of the log."""
        return self._of(ADVERTISEMENT, topic)

    def subscriptions(self, topic: str | None = None) -> Iterator[Registration]:
        """Live subscriptions in the order of the log."""
        return self._of(SUBSCRIPTION, topic)

    def prepare(self, request: Registering) -> tuple[Registration, Topic]:
        """Return the registration, not encoded yet, and the topic of a request; nothing changes."""
        topic = self.check(request)
        return self.registration(request, request.dz or ()), topic

    def check(self, request: Registering) -> Topic:
        """Return the topic of a request; Refused if the request cannot be registered."""
        if request.id in self.live:
            detail = f"{shown(request.id)} is already in use; choose another id"
            raise Refused(("id",), "duplicate", detail, request.id)
        self.topology.known_host(request.host, ("host",))
        return self.known_topic(request.topic, ("topic",))

    def registration(self, request: Registering, dz: DzSet) -> Registration:
        """Return the registration of a checked request, with its encoding; nothing changes."""
        kind = ADVERTISEMENT if isinstance(request, Advertise) else SUBSCRIPTION
        return Registration(self.next_seq, kind, request.id, request.host, request.topic, request.filter, dz)

    def register(self, registration: Registration) -> None:
        """Add a registration: a new one, or a withdrawn one that returns to its place."""
        self.live[registration.id] = registration
        if registration.seq >= self.next_seq:
            self.next_seq = registration.seq + 1
        else:
            self.live = dict(sorted(self.live.items(), key=lambda item: item[1].seq))

    def find(self, request: Withdrawing) -> Registration:
        """Return the live registration that a withdrawal names; nothing changes."""
        kind = ADVERTISEMENT if isinstance(request, Unadvertise) else SUBSCRIPTION
        found = self.live.get(request.id)
        if found is None:
            example = "a1" if kind == ADVERTISEMENT else "q1"
            detail = (
                f"there is no active {kind} {shown(request.id)}; use the id of an active {kind}, "
                f"for example {example}"
            )
            raise Refused(("id",), "unknown_id", detail, request.id)
        if found.kind != kind:
            detail = f"{shown(request.id)} is of kind {found.kind}; this operation needs kind {kind}"
            raise Refused(("id",), "wrong_kind", detail, request.id)
        return found

    def withdraw(self, registration: Registration) -> None:
        """Remove a registration."""
        del self.live[registration.id]

    def change(self, request: NetworkChange) -> None:
        """Change the topology or the topics; the topology's version grows, except for budgets."""
        match request:
            case SetPort(switch, port, up, _):
                self.topology.set_port(switch, port, up)
            case SetSwitch(switch, up, _):
                self.topology.set_switch(switch, up, ("switch",))
            case HostMove(host, place):
                self.topology.move_host(host, place)
            case SetBudget(switch, budget):
                self.topology.set_budget(switch, budget, ("switch",))
            case SetReserve(switch, entries):
                self.topology.set_reserve(switch, entries, ("switch",))
            case SetCapacity(switch, entries):
                self.topology.set_capacity(switch, entries, ("switch",))
            case SetIndexed(topic):
                self.topics[topic] = request.applied(self.known_topic(topic, ("topic",)))
            case Add(kind, value):
                self._add(kind, value)
            case Remove(kind, name):
                self._remove(kind, name)
            case RemoveLink(switch, port):
                self.topology.remove_link(switch, port)
            case AddBorder() | RemoveBorder():
                self._change_border(request)
        if not isinstance(request, SetBudget | SetReserve | SetCapacity):
            self.topology.version += 1

    def known_topic(self, name: str, path: Path) -> Topic:
        """Return the topic with this name; Refused if there is none."""
        topic = self.topics.get(name)
        if topic is None:
            raise Refused(path, "unknown_topic", unknown_name("topic", name, self.topics), name)
        return topic

    def add_topic(self, topic: Topic, path: Path = ()) -> None:
        """Add a topic; its name and code must be unique."""
        if topic.name in self.topics:
            raise Refused(
                (*path, "name"), "duplicate", f"topic {shown(topic.name)} already exists", topic.name
            )
        self.address.check_code(topic.code, (*path, "code"))
        for other in self.topics.values():
            if other.code == topic.code:
                detail = f"topic {shown(other.name)} already has code {topic.code}"
                raise Refused((*path, "code"), "duplicate", detail, topic.code)
        self.topics[topic.name] = topic

    def _add(self, kind: str, value: object) -> None:
        path = (kind,)
        if kind == "topic":
            self.add_topic(Topic.from_json(value, path), path)
        else:
            adders = {
                "switch": self.topology.add_switch,
                "link": self.topology.add_link,
                "host": self.topology.add_host,
            }
            adders[kind](value, path)

    def _remove(self, kind: str, name: str) -> None:
        path = (kind,)
        if kind == "switch":
            self.topology.remove_switch(name, path)
            return
        known = self.known_topic(name, path) if kind == "topic" else self.topology.known_host(name, path)
        self._refuse_in_use(kind, name, path)
        if isinstance(known, Topic):
            del self.topics[name]
        else:
            self.topology.remove_host(name, path)

    def _change_border(self, request: AddBorder | RemoveBorder) -> None:
        if isinstance(request, AddBorder):
            add_border(self.topology, request.switch, request.port, request.cost)
            return
        name = known_border(self.topology, border_name(request.switch, request.port), ("port",))
        self._refuse_in_use("host", name, ("port",))
        remove_border(self.topology, request.switch, request.port)

    def _refuse_in_use(self, kind: str, name: str, path: Path) -> None:
        """Raise Refused if a live registration uses a topic or a host."""
        for registration in self.live.values():
            if name == (registration.topic if kind == "topic" else registration.host):
                detail = f"{registration.kind} {shown(registration.id)} uses {kind} {shown(name)}"
                raise Refused(path, "in_use", f"{detail}; withdraw it first", name)

    def _of(self, kind: str, topic: str | None) -> Iterator[Registration]:
        return (
            registration
            for registration in self.live.values()
            if registration.kind == kind and topic in (None, registration.topic)
        )
