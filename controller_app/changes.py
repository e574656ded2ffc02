"""A change of tables as the northbound takes it: per switch, what to add, to replace and to remove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from controller_app.entries import Entry, Key, Prefix, parse_entry, parse_key
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.strict import expect_keys, expect_list, expect_text

MAX_ID = 200
MAX_SWITCHES = 10_000
MAX_REFUSALS = 50
"""So many refusals are told at once; reading stops there."""

PAUSE_EVERY = 1000

_DPID = re.compile(r"[0-9a-fA-F]{16}")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """What one switch is to do: `add` installs or replaces, and only then `remove` deletes."""

    dpid: int
    add: tuple[Entry, ...]
    remove: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A change over several switches, in the order in which they are to add."""

    id: str
    switches: tuple[SwitchChange, ...]


class Refusals:
    """Collects refusals, so that a sender learns of all of them at once (up to a limit)."""

    def __init__(self, pause: Callable[[], None]) -> None:
        self.found: list[Refused] = []
        self._pause = pause
        self._attempts = 0

    def attempt(self, read: Callable[[], Value]) -> Value | None:
        """The result of `read`, or None when it refused."""
        self._attempts += 1
        if self._attempts % PAUSE_EVERY == 0:
            self._pause()
        try:
            return read()
        except Refused as refused:
            self.found.append(refused)
            if len(self.found) >= MAX_REFUSALS:
                self.raise_found()
            return None

    def raise_found(self) -> None:
        """Raises RefusedMany when there was any refusal."""
        if self.found:
            raise RefusedMany(self.found)


def parse_dpid(text: object, path: Path = ()) -> int:
    """A datapath id: text of exactly 16 hex digits, not all zero."""
    value = expect_text(text, path)
    if not _DPID.fullmatch(value):
        raise Refused(path, "bad_dpid", f"{shown(value)} is not a datapath id of 16 hex digits", value)
    if not (dpid := int(value, 16)):
        raise Refused(path, "bad_dpid", "0000000000000000 is no datapath id; it is 1 or more", value)
    return dpid


def parse_change(obj: object, ranges: Iterable[Prefix], pause: Callable[[], None] = lambda: None) -> Change:
    """The change of a northbound body. Raises Refused or RefusedMany, with the place of each mistake.

    `pause` is called every thousand items, so that a large change does not keep others from their turn.
    """
    fields = expect_keys(obj, (), ("id", "switches"))
    name = expect_text(fields["id"], ("id",))
    if not 0 < len(name) <= MAX_ID:
        raise Refused(("id",), "bad_length", f"an id has 1 to {MAX_ID} characters, not {len(name)}", name)
    listed = expect_list(fields["switches"], ("switches",))
    if len(listed) > MAX_SWITCHES:
        raise Refused(("switches",), "too_many", f"{len(listed)} switches; at most {MAX_SWITCHES}", None)
    refusals = Refusals(pause)
    outer = tuple(ranges)
    switches = [_parse_switch(item, ("switches", n), outer, refusals) for n, item in enumerate(listed)]
    found = [switch for switch in switches if switch is not None]
    refusals.attempt(lambda: _refuse_repeated_switches(found))
    refusals.raise_found()
    return Change(name, tuple(found))


def _parse_switch(
    obj: object, path: Path, ranges: tuple[Prefix, ...], refusals: Refusals
) -> SwitchChange | None:
    fields = refusals.attempt(lambda: expect_keys(obj, path, ("dpid",), ("add", "modify", "remove")))
    if fields is None:
        return None
    dpid = refusals.attempt(lambda: parse_dpid(fields["dpid"], (*path, "dpid")))
    add: list[tuple[Entry, Path]] = []
    for part in ("add", "modify"):
        add += _parse_items(fields.get(part, ()), (*path, part), refusals, parse_entry, ranges)
    remove = _parse_items(fields.get("remove", ()), (*path, "remove"), refusals, parse_key, ranges)
    refusals.attempt(lambda: _refuse_repeated_keys([(entry.key, place) for entry, place in add] + remove))
    if dpid is None:
        return None
    return SwitchChange(dpid, tuple(entry for entry, _ in add), tuple(key for key, _ in remove))


def _parse_items(
    listed: object,
    path: Path,
    refusals: Refusals,
    parse: Callable[[object, Path, Iterable[Prefix]], Value],
    ranges: tuple[Prefix, ...],
) -> list[tuple[Value, Path]]:
    found: list[tuple[Value, Path]] = []
    for n, item in enumerate(refusals.attempt(lambda: expect_list(listed, path)) or ()):
        place = (*path, n)
        value = refusals.attempt(lambda item=item, place=place: parse(item, place, ranges))  # type: ignore[misc]
        if value is not None:
            found.append((value, place))
    return found


def _refuse_repeated_keys(keys: list[tuple[Key, Path]]) -> None:
    """One change says one thing of an entry: added and removed, or added twice, would hang on the order."""
    seen: set[Key] = set()
    for key, path in keys:
        if key in seen:
            detail = f"{key.dst} at priority {key.priority} stands twice in the change of this switch"
            raise Refused(path, "repeated", detail, str(key.dst))
        seen.add(key)


def _refuse_repeated_switches(switches: list[SwitchChange]) -> None:
    seen: set[int] = set()
    for n, switch in enumerate(switches):
        if switch.dpid in seen:
            detail = f"switch {switch.dpid:016x} stands twice in one change"
            raise Refused(("switches", n, "dpid"), "repeated", detail, f"{switch.dpid:016x}")
        seen.add(switch.dpid)
