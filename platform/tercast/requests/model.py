"""Requests: changes of a network, as frozen values. `tercast.requests.reader` reads them from JSON."""

from __future__ import annotations

from dataclasses import dataclass

from tercast.eventspace.dz import DzSet
from tercast.tables.covers import NetworkCovers
from tercast.topology.elements import Attachment

METHODS = ("none", "la", "fa-lb", "fa-pb", "optimal")
"""How tables are brought within budgets."""


@dataclass(frozen=True, slots=True)
class Advertise:
    """A host will publish what `filter` says; `dz`, where given, is its encoding already."""

    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet | None = None


@dataclass(frozen=True, slots=True)
class Subscribe:
    """A host wants what `filter` says; `dz`, where given, is its encoding already."""

    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet | None = None


@dataclass(frozen=True, slots=True)
class Unadvertise:
    """An advertisement ends."""

    id: str


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """A subscription ends."""

    id: str


@dataclass(frozen=True, slots=True)
class SetPort:
    """The link at a port, or the attachments there, go down or come up.

    `planned`: what goes down still works until its events have other ways.
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
    """The primary attachment of a host is another one now."""

    host: str
    place: Attachment


@dataclass(frozen=True, slots=True)
class SetIndexed:
    """A topic's dz follow other attributes now; its live filters are encoded anew."""

    topic: str
    indexed: object


@dataclass(frozen=True, slots=True)
class FinishMove:
    """Publishers of a topic use `version` of its encoding now: what is left of the one before goes."""

    topic: str
    version: int


@dataclass(frozen=True, slots=True)
class SetBudget:
    """A switch may hold another number of content entries; None is unlimited."""

    switch: str
    budget: int | None


@dataclass(frozen=True, slots=True)
class SetReserve:
    """So many entries of a switch's budget stay free for changes of its table."""

    switch: str
    entries: int


@dataclass(frozen=True, slots=True)
class SetCapacity:
    """A switch was found to have room for so many content entries and no more; None: that is forgotten."""

    switch: str
    entries: int | None


@dataclass(frozen=True, slots=True)
class SetAggregation:
    """From now on LA makes room where a budget is exceeded; with `none` nothing does."""

    method: str


@dataclass(frozen=True, slots=True)
class Aggregate:
    """What an aggregation came to: the covers of the switches that it names take the place of those there."""

    method: str
    covers: NetworkCovers


@dataclass(frozen=True, slots=True)
class Add:
    """A switch, link, host or topic (`kind`) comes, described as in a scenario."""

    kind: str
    value: object


@dataclass(frozen=True, slots=True)
class Remove:
    """A switch, host or topic (`kind`) of that name goes."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class RemoveLink:
    """The link at a port goes."""

    switch: str
    port: int


Registering = Advertise | Subscribe
Withdrawing = Unadvertise | Unsubscribe
Change = (
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
)
