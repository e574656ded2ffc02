"""Features that a switch reports, and required ones that are missing.

The reply stays bytes: a switch may describe hundreds of tables, and only one of them matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from struct import Struct, error
from typing import Any

from controller_app.errors import RequestRejected, Unreachable
from controller_app.openflow import messages
from controller_app.openflow.flow_entry import TABLE
from controller_app.openflow.messages import Stats
from controller_app.openflow.oxm import OxmField
from controller_app.switch.connection import Connection

_TABLE = Struct("!HB5x32sQQII")
_PROPERTY = Struct("!HH")
_GROUPS = Struct("!II4I")
_METERS = Struct("!III")
_INSTRUCTIONS, _MATCH, _APPLY_ACTIONS, _APPLY_SETFIELD = 0, 8, 6, 14
_APPLY, _OUTPUT, _SET_FIELD = 4, 0, 25
_BASIC, _EXPERIMENTER = 0x8000, 0xFFFF
_FIELDS = {OxmField.IN_PORT: "in_port", OxmField.ETH_DST: "eth_dst", OxmField.ETH_TYPE: "eth_type"}
_ADDRESSES = {"ipv6": (OxmField.IPV6_DST, "ipv6_dst"), "ipv4": (OxmField.IPV4_DST, "ipv4_dst")}

Oxm = tuple[int, bool]
"""A field of the basic class, and whether it may have a mask."""


@dataclass(frozen=True, slots=True)
class TableFeatures:
    """Features of a table: capacity and supported entries; None if not reported."""

    number: int
    capacity: int
    instructions: frozenset[int] | None = None
    match: frozenset[Oxm] | None = None
    actions: frozenset[int] | None = None
    rewrites: frozenset[Oxm] | None = None

    def lacks(self, families: Sequence[str]) -> Iterator[str]:
        """Yield what entries for `families` need and this table does not support."""
        if self.instructions is not None and _APPLY not in self.instructions:
            yield "it cannot apply actions"
        for number, name in ((_OUTPUT, "output to ports"), (_SET_FIELD, "rewrite fields")):
            if self.actions is not None and number not in self.actions:
                yield f"it cannot {name}"
        for field, name in _FIELDS.items():
            if self.match is not None and not {(field, False), (field, True)} & self.match:
                yield f"it cannot match {name}"
        for family in families:
            field, name = _ADDRESSES[family]
            if self.match is not None and (field, True) not in self.match:
                yield f"it cannot match {name} with a mask"
            yield from self._cannot_rewrite(field, name)
        yield from self._cannot_rewrite(OxmField.ETH_DST, "eth_dst")

    def _cannot_rewrite(self, field: OxmField, name: str) -> Iterator[str]:
        if self.rewrites is not None and not {(field, False), (field, True)} & self.rewrites:
            yield f"it cannot rewrite {name}"


@dataclass(frozen=True, slots=True)
class Features:
    """Features of a switch: content table, groups and meters; None if not reported."""

    table: TableFeatures | None = None
    groups: int | None = None
    meters: int | None = None

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        capacity = None if self.table is None else self.table.capacity
        return {"capacity": capacity, "groups": self.groups, "meters": self.meters}

    @property
    def unanswered(self) -> list[str]:
        """The features that the switch does not have, or does not report."""
        facts = {"table_features": self.table, "groups": self.groups, "meters": self.meters}
        return [name for name, fact in facts.items() if not fact]


def read_features(connection: Connection) -> Features:
    """Read the features of a switch, which may refuse each question.

    Raises:
        Unreachable: The connection ended.
    """
    table = _read_parts(connection, Stats.TABLE_FEATURES, lambda data: cut_table(data, TABLE))
    group = _read_parts(connection, Stats.GROUP_FEATURES)
    meter = _read_parts(connection, Stats.METER_FEATURES)
    return Features(next(decode_tables(table), None), decode_groups(group), decode_meters(meter))


def _read_parts(connection: Connection, kind: Stats, cut: Callable[[bytes], bytes] = bytes) -> list[bytes]:
    """Return the result of `cut` for each part of an answer; nothing else of a part is stored."""

    def reduce(part: Any) -> list[bytes] | None:
        return [data for raw in part if (data := cut(raw.data))] or None

    try:
        return [data for part in connection.request(messages.multipart(kind), reduce) for data in part]
    except RequestRejected:
        return []
    except Unreachable:
        if connection.closed is None:  # some switches do not answer an unknown question
            return []
        raise


def cut_table(data: bytes, number: int) -> bytes:
    """Return the bytes that describe a table; empty if a part of a reply does not describe it.

    Open vSwitch describes 254 tables, in more than a megabyte.
    """
    offset = 0
    while offset + _TABLE.size <= len(data):
        length, found = _TABLE.unpack_from(data, offset)[:2]
        if length < _TABLE.size:
            break
        if found == number:
            return data[offset : offset + length]
        offset += length
    return b""


def decode_tables(parts: Sequence[bytes]) -> Iterator[TableFeatures]:
    """Yield the tables that parts of a reply describe, up to the first malformed one."""
    for data in parts:
        offset = 0
        while offset + _TABLE.size <= len(data):
            length, number, _, _, _, _, capacity = _TABLE.unpack_from(data, offset)
            if length < _TABLE.size:
                return
            found = dict(_properties(data[offset + _TABLE.size : offset + length]))
            yield TableFeatures(
                number,
                capacity,
                _ids(found.get(_INSTRUCTIONS)),
                _oxms(found.get(_MATCH)),
                _ids(found.get(_APPLY_ACTIONS)),
                _oxms(found.get(_APPLY_SETFIELD)),
            )
            offset += length


def _properties(data: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + 4 <= len(data):
        kind, length = _PROPERTY.unpack_from(data, offset)
        if length < 4:
            return
        yield kind, data[offset + 4 : offset + length]
        offset += (length + 7) // 8 * 8


def _ids(data: bytes | None) -> frozenset[int] | None:
    """Return the types of instructions or actions."""
    if data is None:
        return None
    return frozenset(kind for kind, _ in _properties_unpadded(data))


def _properties_unpadded(data: bytes) -> Iterator[tuple[int, int]]:
    offset = 0
    while offset + 4 <= len(data):
        kind, length = _PROPERTY.unpack_from(data, offset)
        if length < 4:
            return
        yield kind, length
        offset += length


def _oxms(data: bytes | None) -> frozenset[Oxm] | None:
    if data is None:
        return None
    found: set[Oxm] = set()
    offset = 0
    while offset + 4 <= len(data):
        header = int.from_bytes(data[offset : offset + 4], "big")
        if header >> 16 == _BASIC:
            found.add((header >> 9 & 0x7F, bool(header & 0x100)))
        offset += 8 if header >> 16 == _EXPERIMENTER else 4
    return frozenset(found)


def decode_groups(parts: Sequence[bytes]) -> int | None:
    """Return the highest number of groups of type ALL; None if it is not reported."""
    try:
        types, _, of_all, *_ = _GROUPS.unpack_from(b"".join(parts))
    except error:
        return None
    return of_all if types & 1 else 0


def decode_meters(parts: Sequence[bytes]) -> int | None:
    """Return the highest number of meters that drop; None if it is not reported."""
    try:
        most, bands, _ = _METERS.unpack_from(b"".join(parts))
    except error:
        return None
    return most if bands & 1 << 1 else 0
