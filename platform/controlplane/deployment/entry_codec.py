"""Entries in the northbound's words and back: hosts by their addresses there, by their names in the plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from controlplane.common.address_plan import address_plan
from controlplane.network.models import Host
from controlplane.planning.stepwise import SwitchUpdate
from tercast.tables.entries import Action, Entry, Output, SetDst, SwitchDiff, Table, switch_diff
from tercast.updates.update_plan import UpdateStep

NOT_OURS = (SetDst(""),)
"""Actions that the controller cannot express: equal to none of the plan's."""


@dataclass(frozen=True, slots=True)
class HostBook:
    """Which host has which addresses; both ways."""

    addresses: Mapping[str, dict[str, str]]
    names: Mapping[tuple[str, str], str]

    @classmethod
    def read(cls) -> Self:
        """As the database has them."""
        rows = list(Host.objects.values_list("name", "ip", "mac"))
        return cls(
            {name: {"ip": ip, "mac": mac.lower()} for name, ip, mac in rows},
            {(ip, mac.lower()): name for name, ip, mac in rows},
        )

    def northbound(self, entry: Entry) -> dict[str, Any]:
        """The entry as the controller takes it."""
        actions = [self._action(action) for action in entry.actions]
        return {**key_json(entry), "actions": actions}

    def entry(self, row: dict[str, Any]) -> Entry:
        """The entry that the controller reported; one with strange actions equals no planned one."""
        actions = row["actions"]
        found = NOT_OURS if actions is None else tuple(map(self._parse, actions))
        return Entry(row["dst"], row["in_port"], row["priority"], found)

    def change(self, dpid: str, diff: SwitchDiff, swap: SwitchUpdate | None = None) -> dict[str, Any]:
        """A switch's part of a change, its entries in the order of `diff`, or in the steps of `swap`."""
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
    """What tells an entry of a switch from all others, in the northbound's words."""
    return {"dst": entry.dst, "in_port": entry.in_port, "priority": entry.priority}


def repair(switch: str, found: Iterable[Entry], planned: Table) -> SwitchDiff:
    """The smallest change that makes what a switch holds equal the plan.

    To a switch an entry of another priority is another entry, so it is added anew and the old one removed.
    """
    there = {(entry.key, entry.priority): entry for entry in found}
    wanted = {(entry.key, entry.priority): entry for entry in planned}
    return switch_diff(
        switch,
        (entry for key, entry in wanted.items() if key not in there),
        (entry for key, entry in wanted.items() if key in there and there[key] != entry),
        (entry for key, entry in there.items() if key not in wanted),
    )
