"""Actions and instructions of OpenFlow 1.3 as bytes."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct, pack

from controller_app.openflow.flow_entry import TABLE, Action, OutputAction, SetDestination
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
"""Mark a packet as of a known source, and look it up again in this table, by an extension of Open vSwitch."""


def punt_through(meter: int | None) -> bytes:
    """The instructions that bring whole packets to the controller, through a meter if there is one."""
    metered = b"" if meter is None else _METER.pack(_METERED, _METER.size, meter)
    return metered + apply_instruction(output_action(CONTROLLER, WHOLE_PACKET))


def metered_by(instructions: bytes) -> int | None:
    """The number of the meter that an entry with a meter as its first instruction goes through."""
    if len(instructions) < _METER.size:
        return None
    kind, _, number = _METER.unpack_from(instructions)
    return int(number) if kind == _METERED else None


@lru_cache(maxsize=16384)
def apply(actions: tuple[Action, ...]) -> bytes:
    """The instruction that applies `actions` in their order; nothing for none, which drops."""
    if not actions:
        return b""
    return apply_instruction(b"".join(_action(action) for action in actions))


def apply_instruction(actions: bytes) -> bytes:
    """The instruction that applies actions, given as bytes."""
    return _ACTIONS_HEADER.pack(_APPLY_ACTIONS, 8 + len(actions)) + actions


def output_action(port: int, most_bytes: int = 0) -> bytes:
    """The action that sends a packet out of a port; `most_bytes` of it to the controller."""
    return _OUTPUT.pack(0, 16, port, most_bytes)


def _action(action: Action) -> bytes:
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
