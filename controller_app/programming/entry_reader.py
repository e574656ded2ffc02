"""Reading of the entries and keys of a change, in the plain form and in the compact form.

A change has tens of thousands of them, so each is read once, and only an error gets a path. All errors are
`Refused`, with a path relative to the entry or key.

The compact form has each distinct list of actions once, and a short row for each entry: `{"actions":
[ACTIONS, ...], "entries": [[dst, priority, index of its actions], ...]}`. An in_port is the optional fourth
value. A key to remove may be a row `[dst, priority]`, with an optional in_port as the third value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, NoReturn

from controller_app.openflow.flow_entry import (
    MAX_ACTIONS,
    MAX_PORT,
    MAX_PRIORITY,
    MIN_PRIORITY,
    WIDTHS,
    FlowAction,
    FlowEntry,
    FlowKey,
    OutputAction,
    Prefix,
    RestEntry,
    SetDestination,
    parse_address,
    parse_mac,
)
from tercast.errors import Path, Refused, shown
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text

_KEY, _ENTRY, _MORE = ("dst", "priority"), ("dst", "priority", "actions"), ("in_port",)
_KEY_ROW, _ENTRY_ROW = "[dst, priority, in_port]", "[dst, priority, index of its actions, in_port]"

_FAMILY = {width: family for family, width in WIDTHS.items()}

_new = tuple.__new__
"""Makes a named tuple in half the time of its own constructor, which is Python code."""

_prefix, _number = Prefix.parse, int.from_bytes


class EntryReader:
    """Reads entries and keys whose dst is within one of `ranges`."""

    def __init__(self, ranges: Iterable[Prefix]) -> None:
        self._allowed = tuple(ranges)
        self._ranges: dict[int, list[tuple[int, int, int]]] = {width: [] for width in _FAMILY}
        for outer in self._allowed:
            free = 8 * len(outer.address) - outer.length
            number = _number(outer.address, "big") >> free
            self._ranges[len(outer.address)].append((outer.length, free, number))

    def entry(self, obj: Any) -> FlowEntry:
        """Return the entry of an object in the plain form."""
        try:
            in_port = obj["in_port"] if len(obj) > 3 else None
            dst, priority, listed = obj["dst"], obj["priority"], obj["actions"]
        except (KeyError, TypeError):
            _refuse_keys(obj, _ENTRY)
        if len(obj) > 4:
            _refuse_keys(obj, _ENTRY)
        key = self._key(dst, in_port, priority)
        try:
            return _new(FlowEntry, (key, read_actions(listed, len(key[0][0]))))
        except Refused as refused:
            raise refused.under("actions") from None

    def key(self, obj: Any) -> FlowKey:
        """Return the key, an object or a row, of an entry to remove."""
        if type(obj) is list:
            if not 2 <= len(obj) <= 3:
                _refuse_row(obj, _KEY_ROW)
            return self._key(obj[0], obj[2] if len(obj) == 3 else None, obj[1])
        try:
            in_port = obj["in_port"] if len(obj) > 2 else None
            dst, priority = obj["dst"], obj["priority"]
        except (KeyError, TypeError):
            _refuse_keys(obj, _KEY)
        if len(obj) > 3:
            _refuse_keys(obj, _KEY)
        return self._key(dst, in_port, priority)

    def row_reader(self, actions: Sequence[object]) -> Callable[[Any], FlowEntry]:
        """Return a function that reads rows of the compact form with these lists of actions."""
        return _RowReader(self._key, actions).entry

    def rest(self, obj: object) -> RestEntry:
        """Return the actions for the packets of a family that match no content entry."""
        fields = expect_keys(obj, (), ("family", "actions"))
        family = expect_text(fields["family"], ("family",))
        found = [range_ for range_ in self._allowed if range_.family == family]
        if not found:
            known = " or ".join(range_.family for range_ in self._allowed)
            rule = f"unknown family {shown(family)}; use {known}"
            raise Refused(("family",), "unknown_family", rule, family)
        try:
            return RestEntry(found[0], read_actions(fields["actions"], WIDTHS[family]))
        except Refused as refused:
            raise refused.under("actions") from None

    def _key(self, dst: object, in_port: object, priority: object) -> FlowKey:
        """Return the key of three values; the path of an error is the name of the value."""
        prefix = _prefix(dst, ("dst",))
        address, bits = prefix
        number = _number(address, "big")
        for least, free, outer in self._ranges[len(address)]:
            if bits >= least and number >> free == outer:
                break
        else:
            allowed = " and ".join(str(outer) for outer in self._allowed)
            detail = f"{shown(dst)} is outside {allowed}; use a prefix within it"
            raise Refused(("dst",), "out_of_range", detail, dst)
        if in_port is not None and not (type(in_port) is int and 0 < in_port <= MAX_PORT):
            expect_integer(in_port, ("in_port",), 1, MAX_PORT)
        if type(priority) is not int or not MIN_PRIORITY <= priority <= MAX_PRIORITY:
            expect_integer(priority, ("priority",), MIN_PRIORITY, MAX_PRIORITY)
        return _new(FlowKey, (prefix, in_port, priority))


class _RowReader:
    """Reads rows that refer to lists of actions by index; each list is read once per family."""

    def __init__(self, key: Callable[[object, object, object], FlowKey], actions: Sequence[object]) -> None:
        self._key = key
        self._listed = actions
        self._read: dict[tuple[int, int], tuple[FlowAction, ...]] = {}

    def entry(self, row: Any) -> FlowEntry:
        """Return the entry of a row; an error in its actions has the path of an entry's actions."""
        if type(row) is not list or not 3 <= len(row) <= 4:
            _refuse_row(row, _ENTRY_ROW)
        index = row[2]
        if type(index) is not int or not 0 <= index < len(self._listed):
            expect_integer(index, (2,), 0, len(self._listed) - 1)
        key = self._key(row[0], row[3] if len(row) == 4 else None, row[1])
        place = (index, len(key[0][0]))
        actions = self._read.get(place)
        if actions is None:
            actions = self._read[place] = self._actions(place)
        return _new(FlowEntry, (key, actions))

    def _actions(self, place: tuple[int, int]) -> tuple[FlowAction, ...]:
        try:
            return read_actions(self._listed[place[0]], place[1])
        except Refused as refused:
            raise refused.under("actions") from None


def read_actions(listed: Any, width: int) -> tuple[FlowAction, ...]:
    """Return the actions of a list of objects, in the form of the northbound.

    Args:
        width: Bytes of an address of the family of the packets.
    """
    if type(listed) is not list:
        expect_list(listed, ())
    if len(listed) > MAX_ACTIONS:
        detail = f"received {len(listed)} actions; a flow-mod has at most {MAX_ACTIONS}"
        raise Refused((), "too_many", detail, len(listed))
    actions: list[FlowAction] = []
    for item in listed:
        port = item.get("output") if type(item) is dict and len(item) == 1 else None
        if type(port) is int and 0 < port <= MAX_PORT:
            actions.append(_new(OutputAction, (port,)))
        else:
            actions.append(_read_action(item, len(actions), width))
    if actions and type(actions[-1]) is not OutputAction:
        detail = "the last action is set_dst, which has no effect; add an output after it"
        raise Refused((), "no_output", detail, None)
    return tuple(actions)


def _read_action(item: Any, place: int, width: int) -> FlowAction:
    if type(item) is dict and len(item) == 1:
        if "set_dst" in item:
            return _read_set_dst(item["set_dst"], (place, "set_dst"), width)
        if "output" in item:
            port = item["output"]
            return OutputAction(
                None if port == "in_port" else expect_integer(port, (place, "output"), 1, MAX_PORT)
            )
    expect_keys(item, (place,), (), ("output", "set_dst"))
    detail = 'an action has exactly one key: {"output": ...} or {"set_dst": ...}'
    raise Refused((place,), "one_of", detail, item)


def _read_set_dst(host: Any, path: Path, width: int) -> SetDestination:
    fields = expect_keys(host, path, ("ip", "mac"))
    ip, mac = fields["ip"], fields["mac"]
    read = _set_destination if type(ip) is str and type(mac) is str else _set_destination.__wrapped__
    try:
        return read(ip, mac, width)
    except Refused as refused:
        raise refused.under(*path) from None


@lru_cache(maxsize=16384)
def _set_destination(ip: object, mac: object, width: int) -> SetDestination:
    return SetDestination(parse_address(ip, ("ip",), (_FAMILY[width],)), parse_mac(mac, ("mac",)))


def _refuse_keys(obj: object, required: Sequence[str]) -> NoReturn:
    expect_keys(obj, (), required, _MORE)
    raise AssertionError("expect_keys accepts an object that the reader rejects")


def _refuse_row(row: object, form: str) -> NoReturn:
    values = expect_list(row, ())
    detail = f"received {len(values)} values; a row is {form} with an optional in_port"
    raise Refused((), "bad_length", detail, len(values))
