"""Actions and instructions of OpenFlow 1.3 as bytes."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct, pack

from controller_app.openflow.flow_entry import TABLE, FlowAction, OutputAction, SetDestination
from controller_app.openflow.oxm import REGISTER, OxmField, oxm

IN_PORT = 0xFFFFFFF8
CONTROLLER = 0xFFFFFFFD
WHOLE_PACKET = 0xFFFF
_OUTPUT = Struct("!HHIHxxxxxx")
_ACTIONS_HEADER = Struct("!HHxxxx")
_METER = Struct("!HHI")
_SET_FIELD, _APPLY_ACTIONS, _METERED = 25, 4, 6
MARK_AND_RESUBMIT = pack("!HHIIxxxx", _SET_FIELD, 16, REGISTER, 1) + pack(
    "!HHIHHBxxx", 0xFFFF, 16, 0x2320, 14, IN_PORT & 0xFFFF, TABLE
)
"""Marks a packet of a known source and looks it up again in this table (an extension of Open vSwitch)."""


def punt_through(meter: int | None) -> bytes:
    """Return the instructions that punt whole packets, through an optional meter."""
    metered = b"" if meter is None else _METER.pack(_METERED, _METER.size, meter)
    return metered + apply_instruction(output_action(CONTROLLER, WHOLE_PACKET))


def metered_by(instructions: bytes) -> int | None:
    """Return the meter of an entry if a meter is its first instruction; otherwise None."""
    if len(instructions) < _METER.size:
        return None
    kind, _, number = _METER.unpack_from(instructions)
    return int(number) if kind == _METERED else None


@lru_cache(maxsize=16384)
def apply(actions: tuple[FlowAction, ...]) -> bytes:
    """Return the instruction that applies actions in their order; empty (drop) without actions."""
    if not actions:
        return b""
    return apply_instruction(b"".join(_action(action) for action in actions))


def apply_instruction(actions: bytes) -> bytes:
    """Return the instruction that applies packed actions."""
    return _ACTIONS_HEADER.pack(_APPLY_ACTIONS, 8 + len(actions)) + actions


def output_action(port: int, most_bytes: int = 0) -> bytes:
    """Return the action that sends a packet out of a port."""
    return _OUTPUT.pack(0, 16, port, most_bytes)


def _action(action: FlowAction) -> bytes:
    if isinstance(action, OutputAction):
        return output_action(IN_PORT if action.port is None else action.port)
    return _set_field(OxmField.ETH_DST, action.mac) + _set_ip(action)


def _set_ip(action: SetDestination) -> bytes:
    return _set_field(OxmField.IPV4_DST if len(action.ip) == 4 else OxmField.IPV6_DST, action.ip)


def _set_field(field: OxmField, value: bytes) -> bytes:
    body = oxm(field, value)
    length = 4 + len(body)
    padding = -length % 8
    return pack("!HH", _SET_FIELD, length + padding) + body + bytes(padding)
