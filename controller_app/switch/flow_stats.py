"""Flow statistics of a switch, read as entries, from any number of parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from struct import Struct

from controller_app.openflow import flow_mods, messages, oxm
from controller_app.openflow.flow_entry import (
    TABLE,
    FlowAction,
    FlowKey,
    OutputAction,
    Prefix,
    SetDestination,
    action_json,
)
from controller_app.openflow.flow_mods import OWNER, OWNER_MASK, EntryKind
from controller_app.openflow.instructions import IN_PORT
from controller_app.openflow.oxm import ETH_TYPE, OxmField
from controller_app.ryu_api import sleep
from controller_app.switch.connection import Connection

_FLOW = Struct("!HBxIIHHHHxxxxQQQ")
_MATCH_HEADER = Struct("!HH")
_OUTPUT, _SET_FIELD, _APPLY_ACTIONS = 0, 25, 4
_FAMILY = {number.to_bytes(2, "big"): family for family, number in ETH_TYPE.items()}
_DESTINATION = {"ipv6": (OxmField.IPV6_DST, 16), "ipv4": (OxmField.IPV4_DST, 4)}

EntryId = tuple[int, frozenset[tuple[int, bytes, bytes]]]
"""Priority and match fields (with value and mask). Two entries of a table have different identities."""


@dataclass(frozen=True, slots=True)
class FlowStats:
    """An entry as the switch reported it; its match and instructions are bytes."""

    cookie: int
    priority: int
    packets: int
    octets: int
    match: bytes
    instructions: bytes
    table: int = 0

    @property
    def identity(self) -> EntryId:
        """Identity of the entry; two entries with one identity replace each other."""
        return self.priority, frozenset(oxm_fields(self.match))

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form of an entry that has no key: its match as hexadecimal digits."""
        return {"table": self.table, "priority": self.priority, "match": self.match.hex()}


def identity(key: FlowKey) -> EntryId:
    """Return the identity that the entry with a key has when it is read back."""
    return key.priority, frozenset(oxm_fields(oxm.match(key)))


@dataclass(frozen=True, slots=True)
class InstalledFlow:
    """An own content entry; its actions are None if the controller cannot have written them."""

    key: FlowKey
    actions: tuple[FlowAction, ...] | None
    packets: int
    octets: int

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        actions = None if self.actions is None else [action_json(action) for action in self.actions]
        return {**self.key.to_json(), "actions": actions, "packets": self.packets, "bytes": self.octets}


@dataclass(frozen=True, slots=True)
class SwitchTable:
    """The entries of a switch.

    Attributes:
        entries: Own content entries.
        reserved: Other own entries.
        foreign: The number of entries of other owners.
        strange: Own content entries that no key describes.
    """

    entries: tuple[InstalledFlow, ...]
    reserved: tuple[FlowStats, ...]
    foreign: int
    strange: tuple[FlowStats, ...]


def read_table(connection: Connection) -> SwitchTable:
    """Read all own entries of a switch.

    Raises:
        Unreachable: The connection ended, or the switch does not answer.
    """
    entries: list[InstalledFlow] = []
    reserved: list[FlowStats] = []
    strange: list[FlowStats] = []
    for flow in _read_flows(connection, messages.flow_stats(OWNER, OWNER_MASK, table=messages.ALL_TABLES)):
        if flow.cookie != EntryKind.CONTENT.cookie:
            reserved.append(flow)
            continue
        key = decode_key(flow.match, flow.priority) if flow.table == TABLE else None
        if key is None:
            strange.append(flow)
        else:
            entries.append(InstalledFlow(key, decode_actions(flow.instructions), flow.packets, flow.octets))
    total = read_count(connection, 0, 0)
    foreign = max(0, total - len(entries) - len(reserved) - len(strange))
    return SwitchTable(tuple(entries), tuple(reserved), foreign, tuple(strange))


def read_count(connection: Connection, cookie: int, mask: int) -> int:
    """Count the entries with the cookie under `mask` in all tables."""
    return sum(int(part.flow_count) for part in connection.request(messages.aggregate(cookie, mask)))


def read_foreign(connection: Connection) -> frozenset[object]:
    """Return the identities of other owners' entries that block own entries; they must stay."""
    found: set[object] = set()
    own = (
        *map(oxm.range_match, ETH_TYPE),
        *map(oxm.signalling_match, ETH_TYPE),
        oxm.lldp_match(),
    )
    for match in own:
        for flow in _read_flows(connection, messages.flow_stats(0, 0, match)):
            if flow.cookie & OWNER_MASK != OWNER:
                found.add(flow.identity)
    return frozenset(found)


def read_source_flows(connection: Connection) -> list[FlowStats]:
    """Read the entries of the source check in all tables.

    Raises:
        Unreachable: The connection ended, or the switch does not answer.
        RequestRejected: The switch refused the question.
    """
    question = messages.flow_stats(EntryKind.SOURCE.cookie, flow_mods.WHOLE_COOKIE, table=messages.ALL_TABLES)
    return list(_read_flows(connection, question))


def _read_flows(connection: Connection, request: messages.OpenFlowMessage) -> Iterator[FlowStats]:
    for raw_parts in connection.request(request):
        sleep(0)
        for raw in raw_parts:
            yield from decode_flows(raw.data)


def decode_flows(data: bytes) -> Iterator[FlowStats]:
    """Yield the entries in a part of a flow statistics reply."""
    offset = 0
    while offset + 56 <= len(data):
        length, table, _, _, priority, _, _, _, cookie, packets, byte_count = _FLOW.unpack_from(data, offset)
        if length < 56:
            return
        _, match_length = _MATCH_HEADER.unpack_from(data, offset + 48)
        behind = offset + 48 + (match_length + 7) // 8 * 8
        match = data[offset + 48 : offset + 48 + match_length]
        yield FlowStats(cookie, priority, packets, byte_count, match, data[behind : offset + length], table)
        offset += length


def oxm_fields(match: bytes) -> list[tuple[int, bytes, bytes]]:
    """Return the fields of a match as (class and field, value, mask); no mask if all ones."""
    fields = []
    offset = 4
    end = min(len(match), int.from_bytes(match[2:4], "big"))
    while offset + 4 <= end:
        header = int.from_bytes(match[offset : offset + 4], "big")
        body = match[offset + 4 : offset + 4 + (header & 0xFF)]
        half = len(body) // 2 if header & 0x100 else len(body)
        mask = body[half:]
        fields.append((header >> 9, body[:half], mask if mask.strip(b"\xff") else b""))
        offset += 4 + (header & 0xFF)
    return fields


def decode_key(match: bytes, priority: int) -> FlowKey | None:
    """Return the key of an entry with this match; None if no key can have the match."""
    fields = {number: (value, mask) for number, value, mask in oxm_fields(match)}
    in_port, _ = fields.pop(_basic(OxmField.IN_PORT), (None, b""))
    family = _FAMILY.get(fields.pop(_basic(OxmField.ETH_TYPE), (b"", b""))[0])
    if family is None:
        return None
    field, size = _DESTINATION[family]
    address, mask = fields.pop(_basic(field), (b"", b""))
    length = _mask_length(mask) if mask else 8 * size
    if len(address) != size or length is None or fields:
        return None
    port = None if in_port is None else int.from_bytes(in_port, "big")
    return FlowKey(Prefix(address, length), port, priority)


def _basic(field: int) -> int:
    return 0x8000 << 7 | field


@lru_cache(maxsize=256)
def _mask_length(mask: bytes) -> int | None:
    """Return the number of leading ones; None if a one follows a zero."""
    width = 8 * len(mask)
    value = int.from_bytes(mask, "big")
    free = width - value.bit_count()
    return width - free if value == (1 << width) - (1 << free) else None


@lru_cache(maxsize=16384)
def decode_actions(instructions: bytes) -> tuple[FlowAction, ...] | None:
    """Return the actions of an entry; None for an action that the controller never writes."""
    if not instructions:
        return ()
    kind, length = _MATCH_HEADER.unpack_from(instructions)
    if kind != _APPLY_ACTIONS or length != len(instructions):
        return None
    actions: list[FlowAction] = []
    mac: bytes | None = None
    for kind, body in _split_actions(instructions[8:]):
        if kind == _OUTPUT and mac is None:
            port = int.from_bytes(body[:4], "big")
            actions.append(OutputAction(None if port == IN_PORT else port))
        elif kind == _SET_FIELD and mac is None:
            mac = _field_value(body, OxmField.ETH_DST)
            if mac is None:
                return None
        elif kind == _SET_FIELD and mac is not None:
            ip = _field_value(body, OxmField.IPV6_DST) or _field_value(body, OxmField.IPV4_DST)
            if ip is None:
                return None
            actions.append(SetDestination(ip, mac))
            mac = None
        else:
            return None
    return None if mac is not None else tuple(actions)


def _split_actions(data: bytes) -> Iterator[tuple[int, bytes]]:
    offset = 0
    while offset + 8 <= len(data):
        kind, length = _MATCH_HEADER.unpack_from(data, offset)
        if length < 8:
            yield -1, b""
            return
        yield kind, data[offset + 4 : offset + length]
        offset += length


def _field_value(body: bytes, field: OxmField) -> bytes | None:
    header = int.from_bytes(body[:4], "big")
    if header >> 8 != _basic(field) << 1:
        return None
    return body[4 : 4 + (header & 0xFF)]
