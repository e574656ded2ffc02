"""Conversion of entries to the northbound's JSON and back: host names become addresses."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from controlplane.common.address_plan import address_plan
from controlplane.network.models import Host
from controlplane.planning.stepwise import SwitchUpdate
from tercast.tables.entries import Action, Entry, Output, SetDst, SwitchDiff, Table, switch_diff
from tercast.updates.update_plan import UpdateStep

NOT_OURS = (SetDst(""),)
"""Actions that the controller cannot express; they differ from all actions of the plan."""


@dataclass(frozen=True, slots=True)
class HostBook:
    """Addresses of hosts by name, and names by address."""

    addresses: Mapping[str, dict[str, str]]
    names: Mapping[tuple[str, str], str]

    @classmethod
    def read(cls) -> Self:
        """Read the addresses from the database."""
        rows = list(Host.objects.values_list("name", "ip", "mac"))
        return cls(
            {name: {"ip": ip, "mac": mac.lower()} for name, ip, mac in rows},
            {(ip, mac.lower()): name for name, ip, mac in rows},
        )

    def northbound(self, entry: Entry) -> dict[str, Any]:
        """Return the entry as JSON for the controller."""
        actions = [self._action(action) for action in entry.actions]
        return {**key_json(entry), "actions": actions}

    def entry(self, row: dict[str, Any]) -> Entry:
        """Return a reported entry; one with unknown actions differs from all planned entries."""
        actions = row["actions"]
        found = NOT_OURS if actions is None else tuple(map(self._parse, actions))
        return Entry(row["dst"], row["in_port"], row["priority"], found)

    def change(self, dpid: str, diff: SwitchDiff, swap: SwitchUpdate | None = None) -> dict[str, Any]:
        """Return a switch's part of a change.

        Its entries are in the order of `diff`, or in the steps of `swap`.
        """
        if swap is None:
            return {"dpid": dpid, **self._step(diff)}
        part = {"dpid": dpid, "atomic": True, "limit": swap.limit}
        return part | ({"steps": list(map(self._step, swap.steps))} if swap.steps else self._step(diff))

    def _step(self, step: SwitchDiff | UpdateStep) -> dict[str, Any]:
        found: dict[str, Any] = {
            "add": list(map(self.northbound, step.added)),
            "modify": list(map(self.northbound, step.modified)),
            "remove": list(map(key_json, step.removed)),
        }
        if isinstance(step, UpdateStep) and step.rest is not None:
            found["rest"] = {"family": address_plan().family, "actions": list(map(self._action, step.rest))}
        return found

    def _action(self, action: Action) -> dict[str, Any]:
        if isinstance(action, SetDst):
            return {"set_dst": self.addresses[action.host]}
        return {"output": action.port}

    def _parse(self, row: dict[str, Any]) -> Action:
        if "output" in row:
            return Output(row["output"])
        at = row["set_dst"]
        pair = (str(at["ip"]), str(at["mac"]).lower())
        return SetDst(self.names.get(pair, " ".join(pair)))


def key_json(entry: Entry) -> dict[str, Any]:
    """Return the fields that identify an entry of a switch, as in the northbound's JSON."""
    return {"dst": entry.dst, "in_port": entry.in_port, "priority": entry.priority}


def repair(switch: str, found: Iterable[Entry], planned: Table) -> SwitchDiff:
    """Return the smallest change that makes a switch's table equal to the plan.

    For a switch, an entry with another priority is another entry. So it is added, and the old one is removed.
    """
    there = {(entry.key, entry.priority): entry for entry in found}
    wanted = {(entry.key, entry.priority): entry for entry in planned}
    return switch_diff(
        switch,
        (entry for key, entry in wanted.items() if key not in there),
        (entry for key, entry in wanted.items() if key in there and there[key] != entry),
        (entry for key, entry in there.items() if key not in wanted),
    )
