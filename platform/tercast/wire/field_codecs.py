"""Conversion of attribute values to bytes by type, and descriptions for the fingerprint."""

from __future__ import annotations

import struct
from typing import Any, Protocol

from tercast.errors import shown
from tercast.eventspace.topic import Attribute, Bool, Enum, Float, Int
from tercast.wire import varint
from tercast.wire.errors import WireError

_DOUBLE = struct.Struct(">d")
_LENGTH_BYTES = 2  # of a string; no event can contain more

Decoded = tuple[object, int]


class FieldCodec(Protocol):
    """Conversion of one attribute's values in an event."""

    def write(self, value: Any, /) -> bytes:
        """Convert a value, which the topic has checked, to bytes."""

    def read(self, data: bytes, position: int, /) -> Decoded:
        """Read the value at an offset and return it with the next offset.

        Raises:
            WireError: the value is truncated or outside the domain.
        """


class _IntField:
    def __init__(self, attribute: Int) -> None:
        self._name, self._min, self._max = attribute.name, attribute.min, attribute.max
        self._domain = attribute.domain_text
        ends = varint.zigzag(self._min), varint.zigzag(self._max)
        self._most = varint.size(max(ends))

    def write(self, value: int) -> bytes:
        return varint.encode(value << 1 if value >= 0 else ~(value << 1))

    def read(self, data: bytes, position: int) -> Decoded:
        number, end = varint.decode(data, position, self._most)
        value = ~(number >> 1) if number & 1 else number >> 1
        if not self._min <= value <= self._max:
            raise _outside(position, self._name, value, self._domain)
        return value, end


class _FloatField:
    def __init__(self, attribute: Float) -> None:
        self._name, self._min, self._max = attribute.name, attribute.min, attribute.max
        self._domain = attribute.domain_text

    def write(self, value: float) -> bytes:
        return _DOUBLE.pack(value)

    def read(self, data: bytes, position: int) -> Decoded:
        end = position + 8
        if end > len(data):
            raise _cut(len(data), self._name)
        (value,) = _DOUBLE.unpack_from(data, position)
        if not self._min <= value <= self._max:  # this is false for NaN
            raise _outside(position, self._name, value, self._domain)
        return value, end


class _ChoiceField:
    """Conversion of a bool or an enum to the index of its value."""

    def __init__(self, attribute: Bool | Enum) -> None:
        self._name = attribute.name
        self._values: tuple[object, ...] = attribute.values if isinstance(attribute, Enum) else (False, True)
        self._most = varint.size(len(self._values) - 1)
        self._bytes = {value: varint.encode(index) for index, value in enumerate(self._values)}

    def write(self, value: object) -> bytes:
        return self._bytes[value]

    def read(self, data: bytes, position: int) -> Decoded:
        index, end = varint.decode(data, position, self._most)
        if index >= len(self._values):
            raise _outside(position, self._name, index, f"the indexes 0..{len(self._values) - 1}")
        return self._values[index], end


class _StringField:
    def __init__(self, name: str) -> None:
        self._name = name

    def write(self, value: str) -> bytes:
        text = value.encode()
        return varint.encode(len(text)) + text

    def read(self, data: bytes, position: int) -> Decoded:
        length, begin = varint.decode(data, position, _LENGTH_BYTES)
        return read_text(data, begin, length, self._name), begin + length


def field(attribute: Attribute) -> FieldCodec:
    """Return the codec for values of `attribute`."""
    match attribute:
        case Int():
            return _IntField(attribute)
        case Float():
            return _FloatField(attribute)
        case Bool() | Enum():
            return _ChoiceField(attribute)
        case _:
            return _StringField(attribute.name)


def describe(attribute: Attribute) -> bytes:
    """Describe name, type and domain of `attribute` in bytes, which differ if any of them does."""
    name = text_bytes(attribute.name)
    match attribute:
        case Int(min=low, max=high):
            return name + b"\1" + b"".join(varint.encode(varint.zigzag(end)) for end in (low, high))
        case Float(min=low, max=high):
            return name + b"\2" + b"".join(_DOUBLE.pack(end + 0.0) for end in (low, high))
        case Bool():
            return name + b"\3"
        case Enum(values=values):
            return name + b"\4" + varint.encode(len(values)) + b"".join(map(text_bytes, values))
        case _:
            return name + b"\5"


def text_bytes(text: str) -> bytes:
    """Encode `text` as UTF-8 with its length in front."""
    data = text.encode()
    return varint.encode(len(data)) + data


def read_text(data: bytes, begin: int, length: int, name: str) -> str:
    """Read `length` bytes at `begin` as text; WireError if truncated, not UTF-8, or with U+0000."""
    raw = data[begin : begin + length]
    if len(raw) < length:
        raise _cut(len(data), name)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise WireError(begin + error.start, f"{name} is not valid UTF-8") from None
    if "\0" in text:
        raise WireError(begin + raw.index(0), f"{name} contains U+0000")
    return text


def _cut(position: int, name: str) -> WireError:
    return WireError(position, f"the event ends within {name}")


def _outside(position: int, name: str, value: object, domain: str) -> WireError:
    return WireError(position, f"{name}: {shown(value)} is outside {domain}")
