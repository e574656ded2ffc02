"""Each type of message between partitions has the bytes of the committed vectors."""

import json
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from tercast.eventspace.dz import text
from tercast.federation.messages.codec import decode_envelope, encode_envelope
from tercast.federation.messages.peer_messages import PeerMessageType
from tercast.signalling.seal import Seal

FILE = Path(__file__).parents[2] / "support" / "vectors" / "peer.json"
VECTORS = json.loads(FILE.read_text(encoding="utf-8"))
KEY = bytes.fromhex(VECTORS["key"])
CELLS = ("added", "removed", "cells")


def described(message: object) -> dict[str, Any]:
    """A message as JSON: cells as strings of bits, bytes in hexadecimal, large integers as text."""
    assert is_dataclass(message) and not isinstance(message, type)
    fields = {
        name: [*map(text, value)] if name in CELLS else value for name, value in asdict(message).items()
    }
    return json.loads(json.dumps(_strings(fields)))


def _strings(value: object) -> object:
    match value:
        case dict():
            return {name: _strings(one) for name, one in value.items()}
        case list() | tuple():
            return [_strings(one) for one in value]
        case bytes():
            return value.hex()
        case int() if value >= 1 << 53:
            return str(value)
    return value


@pytest.mark.parametrize("vector", VECTORS["messages"], ids=lambda vector: vector["type"])
def test_a_message_has_its_bytes(vector: dict[str, Any]) -> None:
    data = bytes.fromhex(vector["bytes"])
    received = decode_envelope(data)
    envelope = received.envelope
    assert described(envelope.message) == vector["message"]
    assert (envelope.sequence, envelope.acknowledged) == (vector["sequence"], vector["acknowledged"])
    assert received.sealed.counter == vector["counter"]
    assert received.sealed.fits(KEY)
    assert PeerMessageType(data[2]).name == vector["type"]
    assert encode_envelope(envelope, Seal(KEY, vector["counter"])) == data


def test_each_type_has_a_vector() -> None:
    assert [vector["type"] for vector in VECTORS["messages"]] == [one.name for one in PeerMessageType]
