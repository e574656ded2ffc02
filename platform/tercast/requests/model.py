"""Requests as frozen values: changes of registrations, network, tables and topics."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.eventspace.dz import DzSet
from tercast.eventspace.topic import Topic
from tercast.tables.covers import NetworkCovers
from tercast.topology.elements import Attachment

METHODS = ("none", "la", "fa-lb", "fa-pb", "optimal")
"""Aggregation methods, which reduce tables to their budgets."""


@dataclass(frozen=True, slots=True)
class Advertise:
    """A host will publish events that match `filter`; `dz` is the encoding, if it is given."""

    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet | None = None


@dataclass(frozen=True, slots=True)
class Subscribe:
    """A host subscribes to events that match `filter`; `dz` is the encoding, if it is given."""

    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet | None = None


@dataclass(frozen=True, slots=True)
class Unadvertise:
    """Withdrawal of an advertisement."""

    id: str


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """Withdrawal of a subscription."""

    id: str


@dataclass(frozen=True, slots=True)
class SetPort:
    """The link or the host attachments at a port go down or come up.

    `planned`: a port that goes down still forwards events until they have other paths.
    """

    switch: str
    port: int
    up: bool
    planned: bool = False


@dataclass(frozen=True, slots=True)
class SetSwitch:
    """A switch goes down or comes up; `planned` as for a port."""

    switch: str
    up: bool
    planned: bool = False


@dataclass(frozen=True, slots=True)
class HostMove:
    """A host gets another primary attachment."""

    host: str
    place: Attachment


@dataclass(frozen=True, slots=True)
class SetIndexed:
    """A topic gets another event space; its live filters are encoded again.

    `indexed` and `cuts` are in their JSON forms. The cuts stay if `cuts` is None.
    """

    topic: str
    indexed: object
    cuts: object = None

    def applied(self, topic: Topic) -> Topic:
        """Return the topic in its new event space; Refused for invalid names or cuts."""
        after = topic.with_indexed(self.indexed, ("indexed",))
        return after if self.cuts is None else after.with_cuts(self.cuts, ("cuts",))


@dataclass(frozen=True, slots=True)
class FinishMove:
    """All publishers of a topic use this version of its encoding; remove the previous one."""

    topic: str
    version: int


@dataclass(frozen=True, slots=True)
class SetBudget:
    """A switch gets another limit of content entries; None is unlimited."""

    switch: str
    budget: int | None


@dataclass(frozen=True, slots=True)
class SetReserve:
    """Number of entries of a switch's budget that stay free for changes of its table."""

    switch: str
    entries: int


@dataclass(frozen=True, slots=True)
class SetCapacity:
    """Measured capacity of a switch for content entries; None removes the measured value."""

    switch: str
    entries: int | None


@dataclass(frozen=True, slots=True)
class SetAggregation:
    """Set the aggregation method; with `none`, LA no longer merges entries to keep budgets."""

    method: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The result of an aggregation: its covers replace those of the switches that it names."""

    method: str
    covers: NetworkCovers


@dataclass(frozen=True, slots=True)
class Add:
    """A switch, link, host or topic (`kind`) is added; `value` describes it as in a scenario."""

    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Remove:
    """The switch, host or topic (`kind`) with this name is removed."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class RemoveLink:
    """The link at a port is removed."""

    switch: str
    port: int


@dataclass(frozen=True, slots=True)
class AddBorder:
    """A port leads to another partition; `cost` is that of the link between them."""

    switch: str
    port: int
    cost: int | float = 1


@dataclass(frozen=True, slots=True)
class RemoveBorder:
    """A port no longer leads to another partition."""

    switch: str
    port: int


@dataclass(frozen=True, slots=True)
class External:
    """Cells that are advertised or subscribed beyond a border come (`add`) and go (`remove`).

    `kind` is `advertisement` or `subscription`. The request is carried out or refused as a whole.
    """

    border: str
    topic: str
    kind: str
    add: DzSet = ()
    remove: DzSet = ()


Registering = Advertise | Subscribe
Withdrawing = Unadvertise | Unsubscribe
NetworkChange = (
    SetPort
    | SetSwitch
    | HostMove
    | SetIndexed
    | SetBudget
    | SetReserve
    | SetCapacity
    | Add
    | Remove
    | RemoveLink
    | AddBorder
    | RemoveBorder
)
Request = (
    Registering
    | Withdrawing
    | SetPort
    | SetSwitch
    | HostMove
    | SetIndexed
    | SetBudget
    | SetReserve
    | SetCapacity
    | SetAggregation
    | Aggregate
    | Add
    | Remove
    | RemoveLink
    | FinishMove
    | AddBorder
    | RemoveBorder
    | External
)
