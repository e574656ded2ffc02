"""The seal of an event: a keyed hash over all its bytes, and the number of the key.

A key belongs to one advertisement and one number. So a valid seal proves that the sender has that key: it is
the publisher or another subscriber of the topic. The seal covers the topic code and the values, which
determine the address of the event. It does not cover the address, which the last switch rewrites.
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
"""The length of a seal in bytes: the number of its key, and the tag."""

LARGEST_NUMBER = (1 << 32) - 1

_PERSON = b"tercast4"
_NUMBER = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class EventSeal:
    """A key for the events of one advertisement, and its number."""

    number: int
    key: bytes = field(repr=False)

    def closed(self, event: bytes) -> bytes:
        """Return the event with its seal appended."""
        data = event + _NUMBER.pack(self.number)
        return data + _tag(self.key, data)


def is_good(data: bytes, key: bytes) -> bool:
    """Whether the seal at the end of an event was created with `key`."""
    return hmac.compare_digest(_tag(key, data[:-TAG_BYTES]), data[-TAG_BYTES:])


def number_of(data: bytes) -> int:
    """Return the key number in the seal at the end of an event."""
    number: int = _NUMBER.unpack_from(data, len(data) - SEAL_BYTES)[0]
    return number


def _tag(key: bytes, data: bytes) -> bytes:
    return hashlib.blake2s(data, digest_size=TAG_BYTES, key=key, person=_PERSON).digest()
