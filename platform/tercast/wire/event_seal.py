"""The seal of an event: a keyed hash over all its bytes, and the number of the key.

A key belongs to one advertisement and one number, so a good seal says that the event was made by somebody who
has that key: the publisher, or another subscriber of the topic. The topic code and the values, which the seal
covers, decide the address that the event is sent to; the last switch rewrites that address.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass, field

KEY_BYTES = 32
TAG_BYTES = 16
"""128 bits."""

SEAL_BYTES = 4 + TAG_BYTES
"""What a seal adds to an event: the number of its key, and the tag."""

LARGEST_NUMBER = (1 << 32) - 1

_PERSON = b"tercast4"
_NUMBER = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class EventSeal:
    """The key that the events of one advertisement are sealed with, and its number."""

    number: int
    key: bytes = field(repr=False)

    def closed(self, event: bytes) -> bytes:
        """Return the event with its seal behind it."""
        data = event + _NUMBER.pack(self.number)
        return data + _tag(self.key, data)


def is_good(data: bytes, key: bytes) -> bool:
    """Whether the seal at the end of an event was made with `key`."""
    return hmac.compare_digest(_tag(key, data[:-TAG_BYTES]), data[-TAG_BYTES:])


def number_of(data: bytes) -> int:
    """Return the number of the key that the seal at the end of an event names."""
    number: int = _NUMBER.unpack_from(data, len(data) - SEAL_BYTES)[0]
    return number


def _tag(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2s(data, digest_size=TAG_BYTES, key=key, person=_PERSON).digest()
