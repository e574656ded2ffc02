"""A change of tables: per switch, what to add, to replace and to remove."""

from __future__ import annotations

from dataclasses import dataclass

from controller_app.openflow.flow_entry import FlowEntry, Key, RestEntry

MAX_ID = 200
MAX_SWITCHES = 10_000


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """What is done together on one switch: `add` installs or replaces, `remove` deletes.

    `rest`, in between: what happens from then on to packets that hit no content entry; None: as before.
    """

    add: tuple[FlowEntry, ...]
    remove: tuple[Key, ...]
    rest: RestEntry | None = None


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """What one switch is to do: one step, or several, one after the other.

    `in_place`: removals happen at the switch's place in the order of additions, not after all of them.
    `atomic`: all steps at once, where the switch can. `limit`: entries that its table may hold at any moment.
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
    """A change over several switches, in the order in which they are to add, if `in_order`."""

    id: str
    switches: tuple[SwitchChange, ...]
    in_order: bool = True
