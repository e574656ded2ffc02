"""The usual forms of entries read quickly, because a change has tens of thousands of them.

Nothing is refused here: what is not plainly right gives None, and the strict reader of `entries` judges it. A
result is always what the strict reader would have given.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from socket import AF_INET, AF_INET6, inet_pton

from controller_app.openflow.flow_entry import (
    MAX_ACTIONS,
    MAX_PORT,
    MAX_PRIORITY,
    MIN_PRIORITY,
    Action,
    FlowEntry,
    Key,
    OutputAction,
    Prefix,
    SetDestination,
    parse_set_dst,
)
from tercast.errors import Refused

_new = tuple.__new__
"""Makes a named tuple in half the time of its own constructor, which is written in Python."""

_number = int.from_bytes


class FastEntryReader:
    """Reads entries and keys whose dst lies in one of `ranges`."""

    def __init__(self, ranges: Iterable[Prefix]) -> None:
        self._ranges: dict[int, list[tuple[int, int, int]]] = {4: [], 16: []}
        self._lengths = {
            size: {str(bits): (bits, (1 << 8 * size - bits) - 1) for bits in range(8 * size + 1)}
            for size in self._ranges
        }
        for outer in ranges:
            free = 8 * len(outer.address) - outer.length
            number = int.from_bytes(outer.address, "big") >> free
            self._ranges[len(outer.address)].append((outer.length, free, number))

    def entry(self, obj: object) -> FlowEntry | None:
        """The entry of a northbound object, or None when the strict reader has to say."""
        if type(obj) is not dict or not 3 <= len(obj) <= 4:
            return None
        try:
            in_port = obj["in_port"] if len(obj) == 4 else None
            key = self.of(obj["dst"], in_port, obj["priority"])
            listed = obj["actions"]
        except KeyError:
            return None
        if key is None:
            return None
        actions = quick_actions(listed, len(key[0][0]))
        return None if actions is None else _new(FlowEntry, (key, actions))

    def key(self, obj: object) -> Key | None:
        """The key of a northbound object that names an entry, or None when the strict reader has to say."""
        if type(obj) is not dict or not 2 <= len(obj) <= 3:
            return None
        try:
            in_port = obj["in_port"] if len(obj) == 3 else None
            return self.of(obj["dst"], in_port, obj["priority"])
        except KeyError:
            return None

    def of(self, dst: object, in_port: object, priority: object) -> Key | None:
        """The key of three values, or None when the strict reader has to say."""
        if type(dst) is not str or type(priority) is not int or not MIN_PRIORITY <= priority <= MAX_PRIORITY:
            return None
        if in_port is not None and not (type(in_port) is int and 0 < in_port <= MAX_PORT):
            return None
        address, _, length = dst.partition("/")
        try:
            packed = inet_pton(AF_INET6 if ":" in address else AF_INET, address)
            bits, hosts = self._lengths[len(packed)][length]
        except (OSError, ValueError, KeyError):
            return None
        number = _number(packed, "big")
        if number & hosts:
            return None
        for least, free, outer in self._ranges[len(packed)]:
            if bits >= least and number >> free == outer:
                return _new(Key, (_new(Prefix, (packed, bits)), in_port, priority))
        return None


def quick_actions(listed: object, size: int) -> tuple[Action, ...] | None:
    """The actions of a list of northbound objects for addresses of `size` bytes, or None."""
    if type(listed) is not list or len(listed) > MAX_ACTIONS:
        return None
    actions: list[Action] = []
    for item in listed:
        if type(item) is not dict or len(item) != 1:
            return None
        port = item.get("output")
        if type(port) is int and 0 < port <= MAX_PORT:
            actions.append(_new(OutputAction, (port,)))
        elif type(port) is str and port == "in_port":
            actions.append(OutputAction(None))
        elif (rewrite := _set_dst(item.get("set_dst"), size)) is not None:
            actions.append(rewrite)
        else:
            return None
    if actions and type(actions[-1]) is not OutputAction:
        return None
    return tuple(actions)


def _set_dst(value: object, size: int) -> SetDestination | None:
    if type(value) is not dict or value.keys() != {"ip", "mac"}:
        return None
    ip, mac = value["ip"], value["mac"]
    return _known_set_dst(ip, mac, size) if type(ip) is str and type(mac) is str else None


@lru_cache(maxsize=16384)
def _known_set_dst(ip: str, mac: str, size: int) -> SetDestination | None:
    try:
        return parse_set_dst({"ip": ip, "mac": mac}, (), "ipv4" if size == 4 else "ipv6")
    except Refused:
        return None
