"""The `ovs-vsctl` commands that make and unmake bridges, ports and links; plain functions to argument lists.

`transaction()` joins them, so that a whole fabric is one call.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path

from mininet_labs.fabric.wiring import Bridge, Link, Port

Command = list[str]


class LinkKind(Enum):
    """How two ports are wired: patch ports are fast, joined dummy ports carry packets and can fail."""

    PATCH = "patch"
    JOINED = "joined"


def transaction(commands: Iterable[Command]) -> list[str]:
    """Arguments for one `ovs-vsctl` call."""
    return [part for command in commands for part in ("--", *command)]


def add_bridge(bridge: Bridge, controllers: Sequence[str]) -> list[Command]:
    """A bridge that speaks OpenFlow 1.3 only, and forwards nothing that no entry tells it to."""
    return [
        ["add-br", bridge.name],
        [
            *("set", "Bridge", bridge.name),
            *("datapath_type=dummy", "fail_mode=secure", "protocols=OpenFlow13"),
            f"other_config:datapath-id={_quoted(bridge.dpid)}",
            "other_config:disable-in-band=true",
        ],
        *set_controllers(bridge, controllers),
    ]


def set_controllers(bridge: Bridge, controllers: Sequence[str]) -> list[Command]:
    """The controllers a bridge connects to, tried anew every second; none disconnects it."""
    ids = [f"@{bridge.name}{n}" for n in range(len(controllers))]
    creates = [
        [
            *(f"--id={name}", "create", "Controller", f"target={_quoted(target)}"),
            *("connection_mode=out-of-band", "max_backoff=1000", "inactivity_probe=5000"),
        ]
        for name, target in zip(ids, controllers, strict=True)
    ]
    return [*creates, ["set", "Bridge", bridge.name, f"controller=[{','.join(ids)}]"]]


def set_capacity(bridge: Bridge, entries: int | None) -> list[Command]:
    """A table 0 that refuses entries beyond a number of them; None lifts the limit."""
    if entries is None:
        return [["clear", "Bridge", bridge.name, "flow_tables"]]
    name = f"@t{bridge.name}"
    create = [f"--id={name}", "create", "Flow_Table", f"flow_limit={entries}", "overflow_policy=refuse"]
    return [create, ["set", "Bridge", bridge.name, f"flow_tables:0={name}"]]


def add_host_port(bridge: Bridge, port: Port, socket: Path) -> list[Command]:
    """A port to which processes connect over a socket."""
    return _add_port(bridge, port, ["type=dummy", _target("pstream", f"punix:{socket}")])


def add_patch_link(a: Bridge, b: Bridge, link: Link) -> list[Command]:
    """Both ends of a patch link."""
    return [
        command
        for bridge, port, peer in ((a, link.a, link.b), (b, link.b, link.a))
        for command in _add_port(bridge, port, ["type=patch", f"options:peer={_quoted(peer.name)}"])
    ]


def add_joined_end(bridge: Bridge, port: Port) -> list[Command]:
    """One end of a joined link, not connected yet."""
    return _add_port(bridge, port, ["type=dummy"])


def join_end(port: Port, socket: Path, listens: bool) -> list[Command]:
    """Connect an end of a joined link; the listening one goes first, as the other retries after a second."""
    option = _target("pstream", f"punix:{socket}") if listens else _target("stream", f"unix:{socket}")
    return [["set", "Interface", port.name, option]]


def part_end(port: Port) -> list[Command]:
    """Disconnect an end of a joined link."""
    return [["clear", "Interface", port.name, "options"]]


def remove_port(bridge: Bridge, port: Port) -> list[Command]:
    """Remove a port, as a pulled cable or host."""
    return [["--if-exists", "del-port", bridge.name, port.name]]


def remove_bridge(bridge: Bridge) -> list[Command]:
    """Remove a bridge with all its ports."""
    return [["--if-exists", "del-br", bridge.name]]


def _target(option: str, target: str) -> str:
    return f"options:{option}={_quoted(target)}"


def _add_port(bridge: Bridge, port: Port, settings: Sequence[str]) -> list[Command]:
    number = f"ofport_request={port.number}"
    return [["add-port", bridge.name, port.name], ["set", "Interface", port.name, number, *settings]]


def _quoted(text: str) -> str:
    return json.dumps(text)
