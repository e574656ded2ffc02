"""The seal of a control message: a counter, and HMAC-SHA-256 (RFC 2104) over the message."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass

KEY_BYTES = 32
COUNTER_BYTES = 8
TAG_BYTES = 32
TRAILER_BYTES = COUNTER_BYTES + TAG_BYTES
MAX_COUNTER = (1 << 63) - 1

REPLAYED = "replayed"
"""Reason of a refusal: the counter was used before, or a restore of the platform skipped it."""

_LAST = re.compile(r"counter [0-9]+ is not above ([0-9]{1,19}),")


@dataclass(frozen=True, slots=True)
class Seal:
    """A key, and the counter for the seal of one message."""

    key: bytes
    counter: int


@dataclass(frozen=True, slots=True)
class Sealed:
    """The seal of a received message, which is not verified yet."""

    covered: bytes
    counter: int
    tag: bytes

    def fits(self, key: bytes) -> bool:
        """Whether the seal was created with `key`; the time is the same for every tag."""
        return hmac.compare_digest(self.tag, tag_of(key, self.covered))


def tag_of(key: bytes, covered: bytes) -> bytes:
    """Compute the keyed hash over all bytes before it."""
    return hmac.digest(key, covered, "sha256")


def trailer(data: bytes, seal: Seal) -> bytes:
    """Return the seal to append to `data`; ValueError for a counter or a key of the wrong size."""
    if not 0 <= seal.counter <= MAX_COUNTER or len(seal.key) != KEY_BYTES:
        raise ValueError("a seal has a key of 32 bytes and a counter of 63 bits")
    counter = seal.counter.to_bytes(COUNTER_BYTES, "big")
    return counter + tag_of(seal.key, data + counter)


def replayed_detail(counter: int, last: int) -> str:
    """Return the detail of a refusal with the reason `REPLAYED`."""
    return f"counter {counter} is not above {last}, the last one used"


def last_counter(detail: str) -> int | None:
    """Read the last counter from a text of `replayed_detail`; None for any other text."""
    found = _LAST.match(detail)
    return int(found.group(1)) if found else None
