"""What really happens to the event at one switch, however it is found out."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tercast.errors import TercastError
from tercast.tables.entries import Entry


class Means(enum.StrEnum):
    """How it is found out: the switch follows a packet, or its entries are read and looked up here."""

    TRACE = "trace"
    READ_BACK = "read_back"


class NotSeen(TercastError):  # noqa: N818 - named by meaning
    """What happens at a switch cannot be found out; the message says why."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the event met at a switch.

    `entry` is the content entry; `strange` says what it was or did that no entry of the plan is or does;
    `foreign` tells of somebody else's. `into` has the bridges that outputs led to, where the switch says.
    """

    means: Means
    entry: Entry | None
    strange: str = ""
    foreign: bool = False
    into: Mapping[int, str] = field(default_factory=dict)


class Eyes(Protocol):
    """Looks at switches."""

    def look(self, switch: str, in_port: int) -> Seen:
        """What the event meets at a switch when it comes in at a port; raises `NotSeen`."""

    def bridge(self, switch: str) -> str | None:
        """What `into` calls a switch; None where it has no such name."""
