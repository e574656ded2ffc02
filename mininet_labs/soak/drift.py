"""Entries that differ between switches and plan at the end, read from the switches."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from mininet_labs.demo.rest import RestClient
from mininet_labs.fabric import Fabric
from mininet_labs.fabric.readings import FlowReading
from mininet_labs.install import FIELDS, actions
from tercast.tables.entries import Entry, Output, SetDst
from tercast.topology.elements import Host

CONTENT_COOKIE = 0x7EC0A57E00000001
"""Cookie of the controller's content entries (docs/northbound.md)."""

EntryRow = tuple[int, int | None, str, str]
"""Priority, ingress port, prefix, and actions in `ovs-ofctl` syntax, with neighbouring rewrites sorted."""


def differences(fabric: Fabric, rest: RestClient, hosts: Mapping[str, Host]) -> list[str]:
    """Return each entry that only the switch or only the plan has, in words."""
    found = []
    for switch in rest.all("/api/v1/switches/"):
        planned = {_planned(row, hosts) for row in rest.all(f"/api/v1/tables/{switch['id']}/entries/")}
        there = {_read(flow) for flow in fabric.dump_flows(switch["name"]) if flow.cookie == CONTENT_COOKIE}
        found += [f"{switch['name']}: missing {row}" for row in sorted(planned - there, key=repr)]
        found += [f"{switch['name']}: not planned {row}" for row in sorted(there - planned, key=repr)]
    return found


def _planned(row: dict[str, Any], hosts: Mapping[str, Host]) -> EntryRow:
    made = tuple(
        SetDst(action["set_dst"]) if action["set_dst"] is not None else Output(action["output"])
        for action in row["actions"]
    )
    entry = Entry(row["dst"], row["in_port"], row["priority"], made)
    return entry.priority, entry.in_port, str(ipaddress.ip_network(entry.dst)), ordered(actions(entry, hosts))


def _read(flow: FlowReading) -> EntryRow:
    field = next(name for _, name, _ in FIELDS.values() if name in flow.match)
    in_port = flow.match.get("in_port")
    prefix = str(ipaddress.ip_network(flow.match[field]))
    return flow.priority, None if in_port is None else int(in_port), prefix, ordered(flow.actions)


def ordered(text: str) -> str:
    """Sort neighbouring rewrites of different fields, whose order has no effect."""
    groups = groupby(text.split(","), lambda action: action.startswith("set_field"))
    return ",".join(action for rewrites, group in groups for action in (sorted(group) if rewrites else group))
