"""Faults in tables: changes of one entry of a plan."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from tercast.offline.plan_file import PlanFile
from tercast.tables.entries import LOWEST_PRIORITY, Entry, Output, SetDst, SwitchDiff, ordered
from tercast.topology.topology import Topology


@dataclass(frozen=True)
class Fault:
    """An entry and its replacement; None for no entry."""

    switch: str
    before: Entry
    after: Entry | None

    def change(self) -> SwitchDiff:
        """Return the diff that causes the fault."""
        return _instead(self.switch, self.before, self.after)

    def repair(self) -> SwitchDiff:
        """Return the diff that repairs it."""
        return _instead(self.switch, self.after, self.before)

    def spoil(self, plan: PlanFile) -> PlanFile:
        """Return the plan with the fault."""
        kept = [entry for entry in plan.flows[self.switch] if entry != self.before]
        table = ordered([*kept, self.after] if self.after else kept)
        return replace(plan, flows={**plan.flows, self.switch: table})


def _instead(switch: str, old: Entry | None, new: Entry | None) -> SwitchDiff:
    added = (new,) if new else ()
    if old is None or (new is not None and old.priority == new.priority):
        return SwitchDiff(switch, added=added)
    return SwitchDiff(switch, added=added, removed=(old,))


FaultKind = Callable[[Entry, str, Topology, random.Random], Entry | None]


def leave_out(entry: Entry, switch: str, topology: Topology, rng: random.Random) -> Entry | None:
    """Remove the entry."""
    return None


def demote(entry: Entry, switch: str, topology: Topology, rng: random.Random) -> Entry:
    """Lower the priority below all entries that match the same events."""
    return entry._replace(priority=LOWEST_PRIORITY)


def mistake_host(entry: Entry, switch: str, topology: Topology, rng: random.Random) -> Entry:
    """Use the address of another host, if the entry sets one."""
    at = [i for i, action in enumerate(entry.actions) if isinstance(action, SetDst)]
    if not at:
        return entry
    wrong, actions = rng.choice(at), list(entry.actions)
    actions[wrong] = SetDst(rng.choice(list(topology.hosts)))
    return entry._replace(actions=tuple(actions))


def add_copy(entry: Entry, switch: str, topology: Topology, rng: random.Random) -> Entry:
    """Add a copy over a link of the switch."""
    port = rng.choice([number for name, number in topology.links if name == switch])
    return entry._replace(actions=(Output(port), *entry.actions))


FAULTS: tuple[FaultKind, ...] = (leave_out, demote, mistake_host, add_copy)


def find_fault(
    kind: FaultKind, plan: PlanFile, topology: Topology, rng: random.Random, shows: Callable[[PlanFile], bool]
) -> Fault:
    """Return a fault of a kind at a random entry that is visible (`shows`) in the changed plan."""
    places = [(switch, entry) for switch, table in plan.flows.items() for entry in table]
    for _ in range(200):
        switch, entry = rng.choice(places)
        fault = Fault(switch, entry, kind(entry, switch, topology, rng))
        if fault.after != entry and shows(fault.spoil(plan)):
            return fault
    raise AssertionError(f"no fault of kind {kind.__name__} shows")
