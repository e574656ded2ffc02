"""Observation of the event at a real switch, independent of the means."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tercast.errors import TercastError
from tercast.tables.entries import Entry


class ObservationMeans(enum.StrEnum):
    """Means of an observation: a trace of the switch, or a lookup in entries read back."""

    TRACE = "trace"
    READ_BACK = "read_back"


class NotSeen(TercastError):  # noqa: N818 - named by meaning
    """An observation of a switch is not possible; the message has the reason."""


@dataclass(frozen=True, slots=True)
class SwitchObservation:
    """Observation of the event at a switch.

    `entry` is the matching content entry. `strange` describes a rule or action that no entry of the plan has.
    `foreign` is true for an entry of another program. `into` maps output ports to the bridges behind them,
    if the switch reports them.
    """

    means: ObservationMeans
    entry: Entry | None
    strange: str = ""
    foreign: bool = False
    into: Mapping[int, str] = field(default_factory=dict)


class SwitchObserver(Protocol):
    """Observer of switches."""

    def observe(self, switch: str, in_port: int) -> SwitchObservation:
        """Observe the event at a switch when it arrives at a port. Raises `NotSeen`."""

    def bridge(self, switch: str) -> str | None:
        """The name of a switch in `into`; None if it has none."""
