"""The usual forms of entries read quickly, because a change has tens of thousands of them.

Nothing is refused here: what is not plainly right gives None, and the strict reader of `entries` judges it. A
result is always what the strict reader would have given.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from socket import AF_INET, AF_INET6, inet_pton

from controller_app.entries import (
    MAX_ACTIONS,
    MAX_PORT,
    MAX_PRIORITY,
    MIN_PRIORITY,
    Action,
    Entry,
    Key,
    Output,
    Prefix,
    SetDst,
    parse_set_dst,
)
from tercast.errors import Refused


class QuickReader:
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

    def entry(self, obj: object) -> Entry | None:
        """The entry of a northbound object, or None when the strict reader has to say."""
        if type(obj) is not dict or not 3 <= len(obj) <= 4:
            return None
        try:
            in_port = obj["in_port"] if len(obj) == 4 else None
            key = self._key(obj["dst"], in_port, obj["priority"])
            if key is None:
                return None
            actions = quick_actions(obj["actions"], len(key.dst.address))
        except KeyError:
            return None
        return None if actions is None else Entry(key, actions)

    def key(self, obj: object) -> Key | None:
        """The key of a northbound object that names an entry, or None when the strict reader has to say."""
        if type(obj) is not dict or not 2 <= len(obj) <= 3:
            return None
        try:
            in_port = obj["in_port"] if len(obj) == 3 else None
            return self._key(obj["dst"], in_port, obj["priority"])
        except KeyError:
            return None

    def _key(self, dst: object, in_port: object, priority: object) -> Key | None:
        if type(dst) is not str or type(priority) is not int:
            return None
        if in_port is not None and not (type(in_port) is int and 0 < in_port <= MAX_PORT):
            return None
        if not MIN_PRIORITY <= priority <= MAX_PRIORITY:
            return None
        prefix = self._prefix(dst)
        return None if prefix is None else Key(prefix, in_port, priority)

    def _prefix(self, text: str) -> Prefix | None:
        address, _, length = text.partition("/")
        try:
            packed = inet_pton(AF_INET6 if ":" in address else AF_INET, address)
        except (OSError, ValueError):
            return None
        found = self._lengths[len(packed)].get(length)
        if found is None:
            return None
        bits, hosts = found
        number = int.from_bytes(packed, "big")
        if number & hosts:
            return None
        for least, free, outer in self._ranges[len(packed)]:
            if bits >= least and number >> free == outer:
                return Prefix(packed, bits)
        return None


def quick_actions(listed: object, size: int) -> tuple[Action, ...] | None:
    """The actions of a list of northbound objects for addresses of `size` bytes, or None."""
    if type(listed) is not list or len(listed) > MAX_ACTIONS:
        return None
    actions: list[Action] = []
    for item in listed:
        if type(item) is not dict or len(item) != 1:
            return None
        ((name, value),) = item.items()
        if name == "output" and type(value) is int and 0 < value <= MAX_PORT:
            actions.append(_output(value))
        elif name == "output" and value == "in_port":
            actions.append(_output(None))
        elif name == "set_dst" and (rewrite := _set_dst(value, size)) is not None:
            actions.append(rewrite)
        else:
            return None
    if actions and type(actions[-1]) is not Output:
        return None
    return tuple(actions)


@lru_cache(maxsize=4096)
def _output(port: int | None) -> Output:
    return Output(port)


def _set_dst(value: object, size: int) -> SetDst | None:
    if type(value) is not dict or value.keys() != {"ip", "mac"}:
        return None
    ip, mac = value["ip"], value["mac"]
    return _known_set_dst(ip, mac, size) if type(ip) is str and type(mac) is str else None


@lru_cache(maxsize=16384)
def _known_set_dst(ip: str, mac: str, size: int) -> SetDst | None:
    try:
        return parse_set_dst({"ip": ip, "mac": mac}, (), "ipv4" if size == 4 else "ipv6")
    except Refused:
        return None
