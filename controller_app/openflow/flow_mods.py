"""Flow-mods of OpenFlow 1.3 as bytes, for each kind of entry of the controller."""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from struct import Struct

from controller_app.openflow.flow_entry import TABLE, FlowAction, FlowEntry, FlowKey, Prefix
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
"""Mask of the owner and the kind, but not all ones. With this mask, Open vSwitch finds the entry by its
match. With a mask of all ones it walks all entries with the cookie, so removing n entries takes n squared
steps."""

DROP_PRIORITY = 1
SPOOF_PRIORITY, SOURCE_PRIORITY = 61000, 62000
"""Priorities of the source check: for events of unknown sources at a host port, and of a known source."""

PUNT_PRIORITY = 64000
LLDP_PRIORITY, LLDP_PORT_PRIORITY = 65000, 65001
"""Priorities of the punt of discovery frames at all ports, and of the one of a port with a meter."""


class EntryKind(IntEnum):
    """Purpose of an own entry; the lower bits of its cookie."""

    CONTENT = 1
    DROP = 2
    PUNT = 3
    LLDP = 4
    SOURCE = 5
    LLDP_PORT = 6

    @property
    def cookie(self) -> int:
        """The cookie of these entries."""
        return OWNER | self


class FlowModCommand(IntEnum):
    """Flow-mod commands."""

    ADD = 0
    DELETE = 3
    DELETE_STRICT = 4


_FLOW_MOD = Struct("!QQBBHHHIIIHxx")


def add(entry: FlowEntry) -> OpenFlowMessage:
    """Return the message that adds a content entry, or replaces one with the same key."""
    return OpenFlowMessage(RequestType.FLOW_MOD, add_body(entry))


def add_body(entry: FlowEntry) -> bytes:
    """Return the body of the message that adds an entry, without the header."""
    (prefix, in_port, priority), actions = entry
    if in_port is not None:
        return _content(FlowModCommand.ADD, priority) + match(entry.key) + apply(actions)
    address, length = prefix
    front, behind = _around_any_port(len(address), length, priority)
    return front + address + behind + apply(actions)


@lru_cache(maxsize=4096)
def _around_any_port(size: int, length: int, priority: int) -> tuple[bytes, bytes]:
    """Return the bytes before and after the address in additions for any ingress port."""
    head, _, tail = around_address(size, length, False)
    return _content(FlowModCommand.ADD, priority) + head, tail


def remove(key: FlowKey) -> OpenFlowMessage:
    """Return the message that deletes the content entry of a key, only if it is an own one."""
    return OpenFlowMessage(
        RequestType.FLOW_MOD, _content(FlowModCommand.DELETE_STRICT, key.priority) + match(key)
    )


def remove_match(
    table: int, priority: int, match_: bytes, kind: EntryKind = EntryKind.CONTENT
) -> OpenFlowMessage:
    """Return the message that deletes the entry of a match and kind, only if it is an own one.

    Args:
        table: Number of any table of the switch.
    """
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


def add_drop(range_: Prefix, actions: tuple[FlowAction, ...] = ()) -> OpenFlowMessage:
    """Return the message that adds the reserved entry below all content entries of a range.

    Without `actions` it drops them; with `actions` it temporarily forwards them.
    """
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.ADD, key.priority, match(key), apply(actions))


def remove_drop(range_: Prefix) -> OpenFlowMessage:
    """Return the message that deletes the drop entry of a range that is no longer served."""
    key = drop_key(range_)
    return _flow_mod(EntryKind.DROP, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def add_lldp_punt() -> OpenFlowMessage:
    """Return the message that adds the entry that punts discovery frames to the controller."""
    return _flow_mod(EntryKind.LLDP, FlowModCommand.ADD, LLDP_PRIORITY, lldp_match(), punt_through(None))


def add_punt(key: FlowKey, meter: int | None) -> OpenFlowMessage:
    """Return the message that adds a punt of a port's control messages, through a meter."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.ADD, key.priority, match(key), punt_through(meter))


def add_lldp_port_punt(port: int, meter: int) -> OpenFlowMessage:
    """Return the message that adds a punt of a port's discovery frames, through a meter."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.ADD, LLDP_PORT_PRIORITY, match_, punt_through(meter))


def remove_lldp_port_punt(port: int) -> OpenFlowMessage:
    """Return the message that deletes the punt of one port's discovery frames."""
    match_ = lldp_port_match(port)
    return _flow_mod(EntryKind.LLDP_PORT, FlowModCommand.DELETE_STRICT, LLDP_PORT_PRIORITY, match_, b"")


def remove_punt(key: FlowKey) -> OpenFlowMessage:
    """Return the message that deletes the punt of a port's control messages."""
    return _flow_mod(EntryKind.PUNT, FlowModCommand.DELETE_STRICT, key.priority, match(key), b"")


def remove_punts() -> list[OpenFlowMessage]:
    """Return the messages that delete all punts of single ports."""
    return [
        _flow_mod(kind, FlowModCommand.DELETE, 0, match_of(b""), b"")
        for kind in (EntryKind.PUNT, EntryKind.LLDP_PORT)
    ]


def add_spoof_drop(range_: Prefix, port: int) -> OpenFlowMessage:
    """Return the message that adds the drop of events of unknown sources at a host port."""
    return _flow_mod(EntryKind.SOURCE, FlowModCommand.ADD, SPOOF_PRIORITY, spoof_match(range_, port), b"")


def add_source(range_: Prefix, port: int, ip: bytes, mac: bytes) -> OpenFlowMessage:
    """Return the message that marks the events of a known source and looks them up again.

    The second lookup matches the content entries.
    """
    match_ = source_match(range_, port, ip, mac)
    actions = apply_instruction(MARK_AND_RESUBMIT)
    return _flow_mod(EntryKind.SOURCE, FlowModCommand.ADD, SOURCE_PRIORITY, match_, actions)


def drop_key(range_: Prefix) -> FlowKey:
    """Return the key of the drop entry of a range."""
    return FlowKey(range_, None, DROP_PRIORITY)


def _flow_mod(
    kind: EntryKind, command: FlowModCommand, priority: int, match_: bytes, instructions: bytes
) -> OpenFlowMessage:
    return OpenFlowMessage(RequestType.FLOW_MOD, _fixed(kind, command, priority) + match_ + instructions)


def _fixed(kind: EntryKind, command: FlowModCommand, priority: int) -> bytes:
    """Pack the fixed part; in a deletion, the mask makes the cookie a condition."""
    mask = 0 if command is FlowModCommand.ADD else DELETION_MASK
    return _FLOW_MOD.pack(kind.cookie, mask, TABLE, command, 0, 0, priority, NO_BUFFER, ANY, ANY, 0)


@lru_cache(maxsize=4096)
def _content(command: FlowModCommand, priority: int) -> bytes:
    return _fixed(EntryKind.CONTENT, command, priority)


def instructions_of(message: OpenFlowMessage) -> bytes:
    """Return the instructions of an addition."""
    match_length = int.from_bytes(message.body[42:44], "big")
    return message.body[40 + (match_length + 7) // 8 * 8 :]
