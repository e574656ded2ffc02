"""Bodies of control messages as bytes and back: a dz set, a filter, a name or an address."""

from __future__ import annotations

from tercast.eventspace import dz as dzs
from tercast.runtime.wording import quantity
from tercast.signalling.byte_reader import MAX_CODE, ByteReader
from tercast.signalling.errors import MalformedMessage
from tercast.signalling.messages import (
    MAX_CELL_BITS,
    MAX_CELLS,
    AddressBody,
    CellsBody,
    ControlBody,
    CutReader,
    CutsPart,
    FilterText,
    MessageType,
    NamedBody,
    RunningPublisher,
    TermsBody,
    TopicRef,
)
from tercast.wire import varint

CELLS, FILTER, NAMED, ADDRESS, HOLDING, READING = range(6)

_ANNOUNCED = (CELLS, FILTER)
FORMS = {
    MessageType.ADVERTISE: _ANNOUNCED,
    MessageType.SUBSCRIBE: _ANNOUNCED,
    MessageType.UNADVERTISE: (*_ANNOUNCED, NAMED),
    MessageType.UNSUBSCRIBE: (*_ANNOUNCED, NAMED),
    MessageType.ADDRESS: (ADDRESS,),
    MessageType.LEASE: (HOLDING, READING),
    MessageType.RELEASE: (HOLDING,),
}
"""Forms of body that each type of message allows."""


def form_of(body: ControlBody) -> int:
    """Return the number of a body's form."""
    return (CellsBody, FilterText, NamedBody, AddressBody, RunningPublisher, CutReader).index(type(body))


def write(body: ControlBody) -> bytes:
    """Return form and content of a body as bytes; ValueError if they do not fit the format."""
    head = bytes((form_of(body),))
    match body:
        case CellsBody(topic, cells):
            if not 1 <= len(cells) <= MAX_CELLS or dzs.canonical(cells) != cells:
                raise ValueError(f"a dz set is canonical, and has 1 to {MAX_CELLS} cells")
            return head + _write_topic(topic) + bytes((len(cells),)) + b"".join(map(_write_cell, cells))
        case FilterText(topic, text):
            return head + _write_topic(topic) + write_text(text, 2)
        case NamedBody(name):
            return head + write_text(name, 1)
        case RunningPublisher(name, holder, version):
            return head + write_text(name, 1) + _fixed(holder, 8) + _fixed(version, 4)
        case CutReader(name, holder, version, position):
            numbers = _fixed(holder, 8) + _fixed(version, 4) + _fixed(position, 4)
            return head + write_text(name, 1) + numbers
        case AddressBody(packed):
            if len(packed) not in (4, 16):
                raise ValueError("an address has 4 or 16 bytes")
            return head + bytes((len(packed),)) + packed


def read(reader: ByteReader, type_: MessageType) -> ControlBody:
    """Read the body of a message of that type; raise MalformedMessage for other bytes."""
    at = reader.position
    form = reader.byte("the body's form")
    if form not in FORMS[type_]:
        raise MalformedMessage("bad_form", at, f"form {form} is not allowed for {type_.name.lower()}")
    if form == NAMED:
        return NamedBody(_read_name(reader))
    if form == ADDRESS:
        return AddressBody(_read_address(reader))
    if form == HOLDING:
        name = _read_name(reader)
        return RunningPublisher(name, reader.number(8, "the holder"), reader.number(4, "the version"))
    if form == READING:
        name = _read_name(reader)
        holder, version = reader.number(8, "the holder"), reader.number(4, "the version")
        return CutReader(name, holder, version, reader.number(4, "the position"))
    topic = _read_topic(reader)
    if form == FILTER:
        return FilterText(topic, reader.text(reader.number(2, "the filter's length"), "the filter"))
    return CellsBody(topic, _read_cells(reader))


def write_text(text: str, length_bytes: int) -> bytes:
    """Encode a text with its length in front; ValueError if it is too long or not allowed."""
    data = text.encode()
    if len(data) >> 8 * length_bytes or 0 in data:
        raise ValueError(f"the text ({len(data)} bytes) is too long or contains U+0000")
    return len(data).to_bytes(length_bytes, "big") + data


def write_terms(terms: TermsBody) -> bytes:
    """Encode the lease in an answer; ValueError for numbers that do not fit."""
    numbers = (terms.version, terms.expires_ms, terms.poll_ms)
    return b"".join(_fixed(number, 4) for number in numbers) + bytes((len(terms.indexed), *terms.indexed))


def read_terms(reader: ByteReader) -> TermsBody:
    """Read the lease in an answer; raise MalformedMessage for other bytes."""
    version, expires, poll = (reader.number(4, "the lease") for _ in range(3))
    return TermsBody(version, expires, poll, tuple(reader.take(reader.byte("the lease"), "the lease")))


def write_part(part: CutsPart) -> bytes:
    """Encode a part of cuts in an answer; ValueError if it exceeds the cuts."""
    if part.position + len(part.data) > part.size:
        raise ValueError("the part is longer than the cuts")
    return _fixed(part.size, 4) + _fixed(part.position, 4) + len(part.data).to_bytes(2, "big") + part.data


def read_part(reader: ByteReader) -> CutsPart:
    """Read a part of cuts in an answer; raise MalformedMessage for other bytes."""
    at = reader.position
    size, position = reader.number(4, "the cuts"), reader.number(4, "the cuts")
    length = reader.number(2, "the cuts")
    if position + length > size:
        raise MalformedMessage("bad_number", at, "the part is longer than the cuts")
    return CutsPart(size, position, reader.take(length, "the cuts"))


def _fixed(number: int, size: int) -> bytes:
    if number < 0 or number >> 8 * size:
        raise ValueError(f"{number} does not fit into {size} bytes")
    return number.to_bytes(size, "big")


def _write_topic(topic: TopicRef) -> bytes:
    if isinstance(topic, str):
        if not topic:
            raise ValueError("the name of a topic is empty")
        return write_text(topic, 1)
    if not 0 <= topic <= MAX_CODE:
        raise ValueError("a topic code has 0 to 112 bits")
    return b"\0" + varint.encode(topic)


def _read_topic(reader: ByteReader) -> TopicRef:
    length = reader.byte("the topic")
    return reader.text(length, "the topic's name") if length else reader.code()


def _write_cell(dz: dzs.Dz) -> bytes:
    bits = dzs.length(dz)
    if bits > MAX_CELL_BITS:
        raise ValueError(f"the dz has {bits} bits; at most {MAX_CELL_BITS} are allowed")
    size = -(-bits // 8)
    value = dz - (1 << bits)
    return bytes((bits,)) + (value << 8 * size - bits).to_bytes(size, "big")


def _read_cells(reader: ByteReader) -> dzs.DzSet:
    at = reader.position
    count = reader.byte("the number of cells")
    if not 1 <= count <= MAX_CELLS:
        raise MalformedMessage("bad_count", at, f"the dz set has {count} cells; 1 to {MAX_CELLS} are allowed")
    cells = tuple(_read_cell(reader) for _ in range(count))
    if dzs.canonical(cells) != cells:
        rule = "the dz set is not canonical: sort it, remove covered cells, and join the halves of a cell"
        raise MalformedMessage("not_canonical", at, rule)
    return cells


def _read_cell(reader: ByteReader) -> dzs.Dz:
    at = reader.position
    bits = reader.byte("a dz")
    if bits > MAX_CELL_BITS:
        raise MalformedMessage("bad_cell", at, f"the dz has {bits} bits; at most {MAX_CELL_BITS} are allowed")
    size = -(-bits // 8)
    value = reader.number(size, "a dz")
    spare = 8 * size - bits
    if value & (1 << spare) - 1:
        raise MalformedMessage("bad_cell", at, "the bits after a dz are not zero")
    return 1 << bits | value >> spare


def _read_name(reader: ByteReader) -> str:
    at = reader.position
    name = reader.text(reader.byte("the name"), "the name")
    if not name:
        raise MalformedMessage("bad_text", at, "the name is empty")
    return name


def _read_address(reader: ByteReader) -> bytes:
    at = reader.position
    length = reader.byte("the address")
    if length not in (4, 16):
        raise MalformedMessage(
            "bad_address", at, f"the address has {quantity(length, 'byte')}; IPv4 has 4, IPv6 has 16"
        )
    return reader.take(length, "the address")
