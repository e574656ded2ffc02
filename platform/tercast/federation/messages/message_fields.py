"""Fields of messages between partitions as bytes: texts, offers, sessions, names and cells."""

from __future__ import annotations

import struct

from tercast.eventspace.dz import DzSet
from tercast.federation.messages.set_name import SetName
from tercast.federation.tree.border_ends import SessionId
from tercast.federation.tree.offers import BridgeId, Offer
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION
from tercast.signalling.byte_reader import ByteReader
from tercast.signalling.errors import MalformedMessage

_KINDS = (ADVERTISEMENT, SUBSCRIPTION)
_MAX_CELLS = 0xFFFF


def cells_size(cells: DzSet) -> int:
    """Return the number of bytes of a set of cells in a message."""
    return 2 + sum(1 + (dz.bit_length() + 6) // 8 for dz in cells)


def write_text(value: str) -> bytes:
    """Convert a text, with its length in front."""
    data = value.encode()
    return struct.pack(">H", len(data)) + data


def read_text(reader: ByteReader) -> str:
    """Read a text."""
    return reader.text(reader.number(2, "a text"), "a text")


def write_offer(offer: Offer) -> bytes:
    """Convert an offer."""
    head = struct.pack(">Hd", offer.root.priority, offer.cost) + write_text(offer.root.uuid)
    return head + bytes((len(offer.path),)) + b"".join(map(write_text, offer.path))


def read_offer(reader: ByteReader) -> Offer:
    """Read an offer."""
    priority = reader.number(2, "the priority")
    cost = read_number(reader)
    root = BridgeId(priority, read_text(reader))
    at = reader.position
    count = reader.byte("the path")
    if not count:
        raise MalformedMessage("bad_number", at, "the path of an offer has at least one node")
    return Offer(root, cost, tuple(read_text(reader) for _ in range(count)))


def read_number(reader: ByteReader) -> float:
    """Read a finite number that is not negative."""
    at = reader.position
    (value,) = struct.unpack(">d", reader.take(8, "a number"))
    if not 0 <= value < float("inf"):
        raise MalformedMessage("bad_number", at, "the number is negative or not finite")
    return float(value)


def write_session(session: SessionId) -> bytes:
    """Convert the id of a session."""
    return struct.pack(">QI", *session)


def read_session(reader: ByteReader) -> SessionId:
    """Read the id of a session."""
    return reader.number(8, "the session"), reader.number(4, "the session")


def write_name(name: SetName) -> bytes:
    """Convert the name of a set."""
    return bytes((_KINDS.index(name.kind),)) + write_text(name.topic)


def read_set_name(reader: ByteReader) -> SetName:
    """Read the name of a set."""
    kind = read_choice(reader, _KINDS)
    return SetName(read_text(reader), kind)


def read_choice(reader: ByteReader, names: tuple[str, ...]) -> str:
    """Read one of some names by its index."""
    at = reader.position
    index = reader.byte("a choice")
    if index >= len(names):
        raise MalformedMessage("bad_number", at, f"the value is {index}; at most {len(names) - 1} is allowed")
    return names[index]


def write_cells(cells: DzSet) -> bytes:
    """Convert cells, each as its number of bits and the bits."""
    if len(cells) > _MAX_CELLS:
        raise ValueError(f"the message has {len(cells)} cells; at most {_MAX_CELLS} are allowed")
    out = [struct.pack(">H", len(cells))]
    for dz in cells:
        bits = dz.bit_length() - 1
        size = (bits + 7) // 8
        out.append(bytes((bits,)) + ((dz ^ 1 << bits) << size * 8 - bits).to_bytes(size, "big"))
    return b"".join(out)


def read_cells(reader: ByteReader) -> DzSet:
    """Read cells."""
    found: list[int] = []
    for _ in range(reader.number(2, "the cells")):
        at = reader.position
        bits = reader.byte("a cell")
        if bits > 128:
            raise MalformedMessage("bad_number", at, f"a dz has {bits} bits; at most 128 are allowed")
        size = (bits + 7) // 8
        value = reader.number(size, "a cell")
        padding = size * 8 - bits
        if value & (1 << padding) - 1:
            raise MalformedMessage("bad_number", at, "the bits after a dz must be 0")
        found.append(1 << bits | value >> padding)
    return tuple(found)
