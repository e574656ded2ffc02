"""State of the network for an explanation: topology, announcements, trees and tables."""

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

ReadTable = Callable[[str], Iterable[Entry]]
"""The entries of a switch, by its name."""


class TreeLike(Protocol):
    """A tree of a plan or of a planner; `edges` contain at least all links with traffic."""

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
    """An advertisement or subscription.

    `filter` is None if only a dz set was announced. `dz` is empty if it is unknown. `owner` is the publisher
    or subscriber, if there is one. `note` has details of its state. `exact` is the parsed
    filter, if available.
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
        """Whether the dz set contains the dz of an event, padded to its full length."""
        return any(covers(cell, full) for cell in self.dz)

    def matches(self, topic: Topic, values: Mapping[str, Any], full: Dz) -> bool:
        """Whether it matches the event: exactly, if its filter is known, else by its dz set."""
        if self.exact is not None:
            return self.exact.matches(values)
        if self.dz and not self.holds(full):
            return False  # every matching event is in the dz set; parsing the filter takes longer
        if self.filter is None:
            return bool(self.dz)
        return Filter.parse(self.filter, topic).matches(values)


@dataclass(frozen=True, slots=True)
class NetworkState:
    """State of a network at one moment.

    `tables` are the installed entries, `planned` those of the plan (they may be the same). `advertisements`
    are live ones; `wishes` are subscriptions in any state.
    """

    address: AddressPlan
    depth: int
    topology: Topology
    topics: Mapping[str, Topic]
    advertisements: Mapping[str, AnnouncementState]
    wishes: Sequence[AnnouncementState]
    trees: Sequence[TreeLike]
    tables: ReadTable
    planned: ReadTable
    world: ForwardingModel = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "world", ForwardingModel(self.topology))

    def switch_of(self, host: str) -> str | None:
        """The switch to which a host is attached; None while it has no working attachment."""
        place = self.world.place.get(host)
        return None if place is None else place[0]

    def component(self, host: str) -> int | None:
        """The component of the network to which a host is attached; None without attachment."""
        switch = self.switch_of(host)
        return None if switch is None else self.world.components[switch]
