"""One end of a channel between partitions: seals, and refusal of forged bytes."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field

from tercast.federation.messages.codec import decode_envelope, encode_envelope
from tercast.federation.messages.peer_messages import Agree, Envelope, Goodbye, Hello, Propose
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.seal import Seal

_UNREPEATED = (Hello, Propose, Agree, Goodbye)


@dataclass(slots=True)
class SealedChannel:
    """Seals and opens messages with the shared secret of a peering.

    Counters only grow. Each type of message of the tree must arrive with growing counters, so that an old one
    cannot be replayed. The others have numbers in a session, which make a repeated one harmless.

    Attributes:
        secret: 32 bytes.
        direction: Distinguishes the two ends, so that a message cannot be sent back to its sender.
        refused: The number of received messages that were not accepted.
    """

    secret: bytes
    direction: str
    counter: int = 0
    refused: int = 0
    _last: dict[type, int] = field(default_factory=dict)
    _keys: dict[str, bytes] = field(default_factory=dict)

    def seal(self, envelope: Envelope) -> bytes:
        """Convert a message to sealed bytes."""
        self.counter += 1
        return encode_envelope(envelope, Seal(self._key(self.direction), self.counter))

    def open(self, data: bytes, sender: str) -> Envelope | None:
        """Return the message in some bytes of the other end; None if they are not accepted."""
        try:
            received = decode_envelope(data)
        except MalformedMessage:
            self.refused += 1
            return None
        if not received.sealed.fits(self._key(sender)):
            self.refused += 1
            return None
        kind = type(received.envelope.message)
        if kind in _UNREPEATED:
            if received.sealed.counter <= self._last.get(kind, 0):
                self.refused += 1
                return None
            self._last[kind] = received.sealed.counter
        envelope: Envelope = received.envelope
        return envelope

    def _key(self, direction: str) -> bytes:
        key = self._keys.get(direction)
        if key is None:
            key = self._keys[direction] = derive_key(self.secret, direction)
        return key


def derive_key(secret: bytes, direction: str) -> bytes:
    """Return the key of one direction of a channel."""
    return hmac.digest(secret, direction.encode(), "sha256")
