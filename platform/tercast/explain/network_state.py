"""All that an explanation is made from: the network, what is advertised and wanted, trees and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz, DzSet, covers
from tercast.eventspace.topic import Topic
from tercast.explain.reasons import DeliveryStanding
from tercast.filters.filter import Filter
from tercast.tables.entries import Entry
from tercast.topology.elements import LinkEnds
from tercast.topology.topology import Topology
from tercast.verification.forwarding import ForwardingModel

Tables = Callable[[str], Iterable[Entry]]
"""The entries of a switch, by its name."""


class TreeLike(Protocol):
    """A tree of a plan or of a planner; `edges` hold at least all links that carry something."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def topic(self) -> str: ...  # noqa: D102
    @property
    def dz(self) -> tuple[Dz, ...]: ...  # noqa: D102
    @property
    def root(self) -> str: ...  # noqa: D102
    @property
    def edges(self) -> tuple[LinkEnds, ...]: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class AnnouncementState:
    """An advertisement or subscription; `filter` is None where only a dz set came, `dz` empty where unknown.

    `owner` is the publisher or subscriber behind it, where there are such; `note` tells more of its standing;
    `exact` is the filter, read, where somebody has read it already.
    """

    id: str
    host: str
    topic: str
    filter: str | None
    dz: DzSet
    standing: DeliveryStanding = DeliveryStanding.LIVE
    owner: str | None = None
    note: str = ""
    exact: Filter | None = None

    @property
    def is_planned(self) -> bool:
        """Whether the plan has entries for it."""
        return self.standing in (DeliveryStanding.LIVE, DeliveryStanding.DEPLOYING)

    def holds(self, full: Dz) -> bool:
        """Whether the dz of an event, filled up to the room, lies in its dz set."""
        return any(covers(cell, full) for cell in self.dz)

    def matches(self, topic: Topic, values: Mapping[str, Any], full: Dz) -> bool:
        """Whether the event is one of those that it names: exactly, where its filter is known."""
        if self.exact is not None:
            return self.exact.matches(values)
        if self.dz and not self.holds(full):
            return False  # what matches lies in the dz set; reading the filter takes longer
        if self.filter is None:
            return bool(self.dz)
        return Filter.parse(self.filter, topic).matches(values)


@dataclass(frozen=True, slots=True)
class NetworkState:
    """A network at one moment. `tables` are what is there, `planned` what the plan has (they may be one).

    `advertisements` are live ones; `wishes` are subscriptions in every standing.
    """

    address: AddressPlan
    depth: int
    topology: Topology
    topics: Mapping[str, Topic]
    advertisements: Mapping[str, AnnouncementState]
    wishes: Sequence[AnnouncementState]
    trees: Sequence[TreeLike]
    tables: Tables
    planned: Tables
    world: ForwardingModel = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "world", ForwardingModel(self.topology))

    def switch_of(self, host: str) -> str | None:
        """The switch where a host is reached; None while it cannot be."""
        place = self.world.place.get(host)
        return None if place is None else place[0]

    def component(self, host: str) -> int | None:
        """The part of the network in which a host is reached."""
        switch = self.switch_of(host)
        return None if switch is None else self.world.components[switch]
