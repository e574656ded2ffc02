"""Flow-mods of OpenFlow 1.3 as bytes: the entries of the controller, by kind."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from struct import Struct

from controller_app.openflow.flow_entry import TABLE, Action, FlowEntry, Key, Prefix
from controller_app.openflow.instructions import MARK_AND_RESUBMIT, apply, apply_instruction, punt_through
from controller_app.openflow.messages import ANY, NO_BUFFER, OpenFlowMessage, RequestType
from controller_app.openflow.oxm import (
    around_address,
    lldp_match,
    lldp_port_match,
    match,
    match_of,
    source_match,
    spoof_match,
)

OWNER = 0x7EC0A57E << 32
OWNER_MASK = 0xFFFFFFFF << 32
WHOLE_COOKIE = (1 << 64) - 1
DELETION_MASK = OWNER_MASK | 0xFFFF
"""Owner and kind, but not all ones: Open vSwitch then finds the entry by its match. Under a mask of ones it
walks all entries of that cookie instead, which makes removing n entries take n squared steps."""

DROP_PRIORITY = 1
SPOOF_PRIORITY, SOURCE_PRIORITY = 61000, 62000
"""Of the source check: an event of an unknown source at a host port, and one of a known source."""

PUNT_PRIORITY = 64000
LLDP_PRIORITY, LLDP_PORT_PRIORITY = 65000, 65001
"""Of the punt of discovery frames at any port, and of the one at a port that goes through its meter."""


class EntryKind(IntEnum):
    """What an own entry is for; the lower bits of its cookie."""

    CONTENT = 1
    DROP = 2
    PUNT = 3
    LLDP = 4
    SOURCE = 5
    LLDP_PORT = 6

    @property
    def cookie(self) -> int:
        """The cookie of such entries."""
        return OWNER | self


class FlowModCommand(IntEnum):
    """Flow-mod commands."""

    ADD = 0
    DELETE = 3
    DELETE_STRICT = 4


_FLOW_MOD = Struct("!QQBBHHHIIIHxx")


def add(entry: FlowEntry) -> OpenFlowMessage:
    """Install a content entry, or replace the one with the same match and priority in one step."""
    return OpenFlowMessage(RequestType.FLOW_MOD, add_body(entry))


def add_body(entry: FlowEntry) -> bytes:
    """What follows the header in the message that installs an entry."""
    (prefix, in_port, priority), actions = entry
    if in_port is not None:
        return _content(FlowModCommand.ADD, priority) + match(entry.key) + apply(actions)
    address, length = prefix
    front, behind = _around_any_port(len(address), length, priority)
    return front + address + behind + apply(actions)


@lru_cache(maxsize=4096)
def _around_any_port(size: int, length: int, priority: int) -> tuple[bytes, bytes]:
    """What additions for any in_port, of one prefix length and priority, have in common."""
    head, _, tail = around_address(size, length, False)
    return _content(FlowModCommand.ADD, priority) + head, tail


def remove(key: Key) -> OpenFlowMessage:
    """Delete exactly the content entry of that key, and only if it is an own one."""
    return OpenFlowMessage(
        RequestType.FLOW_MOD, _content(FlowModCommand.DELETE_STRICT, key.priority) + match(key)
    )


def remove_match(
    table: int, priority: int, match_: bytes, kind: EntryKind = EntryKind.CONTENT
) -> OpenFlowMessage:
    """Delete exactly the entry of that match and kind, in any table, and only if it is an own one."""
    head = _FLOW_MOD.pack(
        kind.cookie,
        DELETION_MASK,
        table,
        FlowModCommand.DELETE_STRICT,
        0,
        0,
        priority,
        NO_BUFFER,
        ANY,
        ANY,
        0,
    )
    return OpenFlowMessage(RequestType.FLOW_MOD, head + match_ + bytes(-len(match_) % 8))


def add_drop(range_: Prefix, actions: tuple[Action, ...] = ()) -> OpenFlowMessage:
    """The reserved entry that ends events nobody asked for, below every content entry.

    With `actions` these are sent on for a while instead.
    """
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.ADD, key.priority, match(key), apply(actions))


def remove_drop(range_: Prefix) -> OpenFlowMessage:
    """Delete the drop entry of a range that is no longer served."""
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def add_lldp_punt() -> OpenFlowMessage:
    """The reserved entry that brings discovery frames to the controller."""
    return _flow_mod(EntryKind.LLDP, FlowModCommand.ADD, LLDP_PRIORITY, lldp_match(), punt_through(None))


def add_punt(key: Key, meter: int | None) -> OpenFlowMessage:
    """The reserved entry that brings control messages of a host's port to the controller, through a meter."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.ADD, key.priority, match(key), punt_through(meter))


def add_lldp_port_punt(port: int, meter: int) -> OpenFlowMessage:
    """The reserved entry that brings a port's discovery frames to the controller through its meter."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.ADD, LLDP_PORT_PRIORITY, match_, punt_through(meter))


def remove_lldp_port_punt(port: int) -> OpenFlowMessage:
    """Delete the punt of discovery frames at one port; the one of all ports stays."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.DELETE_STRICT, LLDP_PORT_PRIORITY, match_, b"")


def remove_punt(key: Key) -> OpenFlowMessage:
    """Delete the punt of control messages at a port."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def remove_punts() -> list[OpenFlowMessage]:
    """Delete the punts of control messages and of discovery frames at single ports, at all of them."""
    return [
        _flow_mod(kind, FlowModCommand.DELETE, 0, match_of(b""), b"")
        for kind in (EntryKind.PUNT, EntryKind.LLDP_PORT)
    ]


def add_spoof_drop(range_: Prefix, port: int) -> OpenFlowMessage:
    """Drop and count the events that enter at a host port and that no known source sent."""
    return _flow_mod(EntryKind.SOURCE, FlowModCommand.ADD, SPOOF_PRIORITY, spoof_match(range_, port), b"")


def add_source(range_: Prefix, port: int, ip: bytes, mac: bytes) -> OpenFlowMessage:
    """Mark the events of a known source at its port, and look them up again: content entries follow."""
    match_ = source_match(range_, port, ip, mac)
    actions = apply_instruction(MARK_AND_RESUBMIT)
    return _flow_mod(EntryKind.SOURCE, FlowModCommand.ADD, SOURCE_PRIORITY, match_, actions)


def drop_key(range_: Prefix) -> Key:
    """The key of the drop entry of a range."""
    return Key(range_, None, DROP_PRIORITY)


def _flow_mod(
    kind: EntryKind, command: FlowModCommand, priority: int, match_: bytes, instructions: bytes
) -> OpenFlowMessage:
    return OpenFlowMessage(RequestType.FLOW_MOD, _fixed(kind, command, priority) + match_ + instructions)


def _fixed(kind: EntryKind, command: FlowModCommand, priority: int) -> bytes:
    """An addition carries its cookie; a deletion is limited to that cookie by the mask."""
    mask = 0 if command is FlowModCommand.ADD else DELETION_MASK
    return _FLOW_MOD.pack(kind.cookie, mask, TABLE, command, 0, 0, priority, NO_BUFFER, ANY, ANY, 0)


@lru_cache(maxsize=4096)
def _content(command: FlowModCommand, priority: int) -> bytes:
    return _fixed(EntryKind.CONTENT, command, priority)


def instructions_of(message: OpenFlowMessage) -> bytes:
    """The instructions of an addition."""
    match_length = int.from_bytes(message.body[42:44], "big")
    return message.body[40 + (match_length + 7) // 8 * 8 :]
