"""A change of tables: for each switch the entries to add, replace and remove."""

from __future__ import annotations

from dataclasses import dataclass

from controller_app.openflow.flow_entry import FlowEntry, FlowKey, RestEntry

MAX_ID = 200
MAX_SWITCHES = 10_000


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """Work that a switch does together.

    Attributes:
        add: Entries to add or to replace.
        remove: Keys of entries to delete.
        rest: New actions for packets without a content entry, applied between the two; None for no change.
    """

    add: tuple[FlowEntry, ...]
    remove: tuple[FlowKey, ...]
    rest: RestEntry | None = None


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """Work of one switch: a step, or several in order.

    Attributes:
        in_place: Removals take effect at the switch's place in the order of additions, not after all of them.
        atomic: All steps take effect together, if the switch can do this.
        limit: Highest number of entries in its table at any moment; None for no limit.
    """

    dpid: int
    steps: tuple[ChangeStep, ...]
    in_place: bool = False
    atomic: bool = False
    limit: int | None = None

    @property
    def adds(self) -> int:
        """The number of additions."""
        return sum(len(step.add) for step in self.steps)

    @property
    def removes(self) -> int:
        """The number of removals."""
        return sum(len(step.remove) for step in self.steps)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of several switches, in the order of their additions if `in_order`."""

    id: str
    switches: tuple[SwitchChange, ...]
    in_order: bool = True
