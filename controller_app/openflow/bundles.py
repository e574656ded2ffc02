"""Bundles: messages that a switch collects, and then applies all together or not at all.

Bundles are an extension of OpenFlow 1.3 (ONF extension 230; Open vSwitch supports it). They have two
experimenter messages. The first opens, commits or discards a bundle. The second contains a message for the
bundle; both have the same transaction id, so an error identifies the refused message.
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
"""Errors of the extension, with their names in OpenFlow 1.4."""

_CONTROL = Struct("!IIIHH")
_CARRIER = Struct("!2sHIQIxxH2sHI")
_OUTER, _INNER = bytes((VERSION, RequestType.EXPERIMENTER)), bytes((VERSION, RequestType.FLOW_MOD))
_ONF_ADD = ONF << 32 | ADD_MESSAGE


class BundleAction(IntEnum):
    """Action of a bundle control message; its reply has the next number."""

    OPEN = 0
    COMMIT = 4
    DISCARD = 6

    @property
    def reply(self) -> int:
        """The type of the reply."""
        return self + 1


class Control(NamedTuple):
    """A bundle control message of a switch: the bundle and the type."""

    bundle: int
    type: int


def control(bundle: int, act: BundleAction) -> OpenFlowMessage:
    """Return the message that requests an action on a bundle."""
    return OpenFlowMessage(
        RequestType.EXPERIMENTER, _CONTROL.pack(ONF, CONTROL, bundle, act, ATOMIC_AND_ORDERED)
    )


def carry(bundle: int, body: bytes, xid: int) -> bytes:
    """Return a bundle-add message that contains a flow-mod with this body and transaction id."""
    inner = 8 + len(body)
    flags = ATOMIC_AND_ORDERED
    return _CARRIER.pack(_OUTER, 24 + inner, xid, _ONF_ADD, bundle, flags, _INNER, inner, xid) + body
