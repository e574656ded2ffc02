"""The `ovs-vsctl` commands for bridges, ports and links, as argument lists.

Each function returns a group of commands that belong together; `chunks()` divides many groups into
transactions of a limited size.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path

from mininet_labs.fabric.wiring import Bridge, EmbeddedPort, FabricLink

CommandGroup = list[list[str]]
"""Commands that must be in one transaction."""

CHUNK = 400
"""Groups per transaction. For each transaction the switch checks all bridges, so large ones are faster.
Smaller ones show progress earlier, and stay far below the time-out of the tool on a busy machine."""


class LinkKind(Enum):
    """Kind of connection of two ports: patch ports are fast; joined dummy ports can fail."""

    PATCH = "patch"
    JOINED = "joined"


def chunks(groups: Sequence[CommandGroup], size: int = CHUNK) -> Iterator[list[CommandGroup]]:
    """Divide groups into transactions of at most `size` groups, in order."""
    for start in range(0, len(groups), size):
        yield list(groups[start : start + size])


def transaction(groups: Iterable[CommandGroup]) -> list[str]:
    """Return the arguments of an `ovs-vsctl` call."""
    return [part for group in groups for command in group for part in ("--", *command)]


def add_bridge(bridge: Bridge) -> CommandGroup:
    """Return the commands for a bridge with only OpenFlow 1.3 that forwards only by its entries."""
    name = _quoted(bridge.name)
    settings = ("datapath_type=dummy", "fail_mode=secure", "protocols=OpenFlow13")
    options = (f"other_config:datapath-id={_quoted(bridge.dpid)}", "other_config:disable-in-band=true")
    return [
        *_create_port(bridge.name, ["type=internal"]),
        [
            *(f"--id=@b_{bridge.name}", "create", "Bridge", f"name={name}", f"ports=@p_{bridge.name}"),
            *(*settings, *options),
        ],
        ["add", "Open_vSwitch", ".", "bridges", f"@b_{bridge.name}"],
    ]


def set_controllers(bridge: Bridge, controllers: Sequence[str], switches: int = 1) -> CommandGroup:
    """Return the commands for the controllers of a bridge; no controllers disconnect it.

    A bridge tries again after at most a second, and ends a connection that is silent for 5 s. With many
    `switches` at one controller both times are longer, because the controller needs time for all of them.
    Switches that give up early would make it set them up again and again.
    """
    backoff, silence = max(1000, 10 * switches), max(5000, 40 * switches)
    ids = [f"@{bridge.name}{n}" for n in range(len(controllers))]
    creates = [
        [
            *(f"--id={name}", "create", "Controller", f"target={_quoted(target)}"),
            *("connection_mode=out-of-band", f"max_backoff={backoff}", f"inactivity_probe={silence}"),
        ]
        for name, target in zip(ids, controllers, strict=True)
    ]
    return [*creates, ["set", "Bridge", bridge.name, f"controller=[{','.join(ids)}]"]]


def set_capacity(bridge: Bridge, entries: int | None) -> CommandGroup:
    """Return the commands for a table 0 with limited capacity; None removes the limit."""
    if entries is None:
        return [["clear", "Bridge", bridge.name, "flow_tables"]]
    name = f"@t{bridge.name}"
    create = [f"--id={name}", "create", "Flow_Table", f"flow_limit={entries}", "overflow_policy=refuse"]
    return [create, ["set", "Bridge", bridge.name, f"flow_tables:0={name}"]]


def add_host_port(bridge: Bridge, port: EmbeddedPort, socket: Path) -> CommandGroup:
    """Return the commands for a port to which processes connect over a socket."""
    return _add_port(bridge, port, ["type=dummy", _target("pstream", f"punix:{socket}")])


def add_patch_link(a: Bridge, b: Bridge, link: FabricLink) -> CommandGroup:
    """Return the commands for both ends of a patch link."""
    return [
        command
        for bridge, port, peer in ((a, link.a, link.b), (b, link.b, link.a))
        for command in _add_port(bridge, port, ["type=patch", f"options:peer={_quoted(peer.name)}"])
    ]


def add_joined_end(bridge: Bridge, port: EmbeddedPort, socket: Path, listens: bool) -> CommandGroup:
    """Return the commands for an end of a joined link.

    Create the listening end first, because the other one tries again only after a second.
    """
    return _add_port(bridge, port, ["type=dummy", _end(socket, listens)])


def join_end(port: EmbeddedPort, socket: Path, listens: bool) -> CommandGroup:
    """Return the commands that connect an end of a joined link again; the listening end first."""
    return [["set", "Interface", port.name, _end(socket, listens)]]


def part_end(port: EmbeddedPort) -> CommandGroup:
    """Return the commands that disconnect an end of a joined link."""
    return [["clear", "Interface", port.name, "options"]]


def remove_port(bridge: Bridge, port: EmbeddedPort) -> CommandGroup:
    """Return the commands that remove a port."""
    return [["--if-exists", "del-port", bridge.name, port.name]]


def remove_bridge(bridge: Bridge) -> CommandGroup:
    """Return the commands that remove a bridge with all its ports."""
    return [["--if-exists", "del-br", bridge.name]]


def _end(socket: Path, listens: bool) -> str:
    return _target("pstream", f"punix:{socket}") if listens else _target("stream", f"unix:{socket}")


def _target(option: str, target: str) -> str:
    return f"options:{option}={_quoted(target)}"


def _add_port(bridge: Bridge, port: EmbeddedPort, settings: Sequence[str]) -> CommandGroup:
    created = _create_port(port.name, [f"ofport_request={port.number}", *settings])
    return [*created, ["add", "Bridge", bridge.name, "ports", f"@p_{_mark(port.name)}"]]


def _create_port(name: str, settings: Sequence[str]) -> CommandGroup:
    """Return the commands for a port with its interface, named `@p_NAME` in the transaction.

    `add-port` with `set Interface` has the same effect, but `set` searches all interfaces for the name. So
    the time for a whole fabric would grow with the square of the number of ports.
    """
    mark = _mark(name)
    return [
        [f"--id=@i_{mark}", "create", "Interface", f"name={_quoted(name)}", *settings],
        [f"--id=@p_{mark}", "create", "Port", f"name={_quoted(name)}", f"interfaces=@i_{mark}"],
    ]


def _mark(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _quoted(text: str) -> str:
    return json.dumps(text)
