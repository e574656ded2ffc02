"""Bundles: messages that a switch keeps until a commit, and then applies all at once or not at all.

OpenFlow 1.3 knows them as an extension (ONF extension 230, also spoken by Open vSwitch): two experimenter
messages, one to open, commit or discard a bundle, one that carries a message into it. The carried message has
the transaction id of its carrier, so that an error says which one was refused.
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import NamedTuple

from controller_app.openflow.messages import VERSION, OpenFlowMessage, RequestType

ONF = 0x4F4E4600
"""The experimenter id of the Open Networking Foundation."""

CONTROL, ADD_MESSAGE = 2300, 2301
ATOMIC_AND_ORDERED = 0b11

ERRORS = {
    2300: "unknown",
    2301: "eperm",
    2302: "bad_id",
    2303: "bundle_exist",
    2304: "bundle_closed",
    2305: "out_of_bundles",
    2306: "bad_type",
    2307: "bad_flags",
    2308: "msg_bad_len",
    2309: "msg_bad_xid",
    2310: "msg_unsup",
    2311: "msg_conflict",
    2312: "msg_too_many",
    2313: "msg_failed",
    2314: "timeout",
    2315: "bundle_in_progress",
}
"""The extension's errors, under OpenFlow 1.4's names of them."""

_CONTROL = Struct("!IIIHH")
_CARRIER = Struct("!2sHIQIxxH2sHI")
_OUTER, _INNER = bytes((VERSION, RequestType.EXPERIMENTER)), bytes((VERSION, RequestType.FLOW_MOD))
_ONF_ADD = ONF << 32 | ADD_MESSAGE


class Act(IntEnum):
    """What a control message asks for, or, one more, confirms."""

    OPEN = 0
    COMMIT = 4
    DISCARD = 6

    @property
    def reply(self) -> int:
        """The type of the answer."""
        return self + 1


class Control(NamedTuple):
    """A control message as a switch sends it: of which bundle, and what it says."""

    bundle: int
    type: int


def control(bundle: int, act: Act) -> OpenFlowMessage:
    """Asks for something to be done with a bundle."""
    return OpenFlowMessage(
        RequestType.EXPERIMENTER, _CONTROL.pack(ONF, CONTROL, bundle, act, ATOMIC_AND_ORDERED)
    )


def carry(bundle: int, body: bytes, xid: int) -> bytes:
    """A flow-mod of that body and transaction id, inside a message that puts it into a bundle."""
    inner = 8 + len(body)
    flags = ATOMIC_AND_ORDERED
    return _CARRIER.pack(_OUTER, 24 + inner, xid, _ONF_ADD, bundle, flags, _INNER, inner, xid) + body
