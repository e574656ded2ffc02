"""A change of tables as the northbound takes it: per switch, what to add, to replace and to remove."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from controller_app.openflow.flow_entry import FlowEntry, Key, Prefix, RestEntry, parse_entry, parse_rest
from controller_app.programming.compact_entries import RowReader, quick_key, strict_key
from controller_app.programming.fast_entry_reader import FastEntryReader
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.runtime.strict_json import expect_integer, expect_keys, expect_list, expect_text

MAX_ID = 200
MAX_SWITCHES = 10_000
MAX_ENTRIES = 500_000
"""Entries and keys of a change: a compact body has room for more than is good for the memory."""

MAX_REFUSALS = 50
"""So many refusals are told at once; reading stops there."""

PAUSE_EVERY = 1000

ORDERS = ("given", "any")
"""Whether additions take effect one switch after the other, or as it comes."""

STEP = ("add", "modify", "remove")
"""What a step, or a switch that has only one, may hold."""

_DPID = re.compile(r"[0-9a-fA-F]{16}")

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class ChangeStep:
    """What is done together on one switch: `add` installs or replaces, `remove` deletes.

    `rest`, in between: what happens from then on to packets that hit no content entry; None: as before.
    """

    add: tuple[FlowEntry, ...]
    remove: tuple[Key, ...]
    rest: RestEntry | None = None


@dataclass(frozen=True, slots=True)
class SwitchChange:
    """What one switch is to do: one step, or several, one after the other.

    `in_place`: removals happen at the switch's place in the order of additions, not after all of them.
    `atomic`: all steps at once, where the switch can. `limit`: entries that its table may hold at any moment.
    """

    dpid: int
    steps: tuple[ChangeStep, ...]
    in_place: bool = False
    atomic: bool = False
    limit: int | None = None

    @property
    def adds(self) -> int:
        """The number of additions."""
        return sum(len(step.add) for step in self.steps)

    @property
    def removes(self) -> int:
        """The number of removals."""
        return sum(len(step.remove) for step in self.steps)


@dataclass(frozen=True, slots=True)
class Change:
    """A change over several switches, in the order in which they are to add, if `in_order`."""

    id: str
    switches: tuple[SwitchChange, ...]
    in_order: bool = True


class EntryRefusals:
    """Collects refusals, so that a sender learns of all of them at once (up to a limit)."""

    def __init__(self, pause: Callable[[], None]) -> None:
        self.found: list[Refused] = []
        self._pause = pause

    def attempt(self, read: Callable[[], Value]) -> Value | None:
        """The result of `read`, or None when it refused."""
        try:
            return read()
        except Refused as refused:
            self.found.append(refused)
            if len(self.found) >= MAX_REFUSALS:
                self.raise_found()
            return None

    def pause(self) -> None:
        """Lets others have their turn."""
        self._pause()

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
    fields = expect_keys(obj, (), ("id", "switches"), ("order",))
    name = expect_text(fields["id"], ("id",))
    if not 0 < len(name) <= MAX_ID:
        raise Refused(("id",), "bad_length", f"an id has 1 to {MAX_ID} characters, not {len(name)}", name)
    order = fields.get("order", "given")
    if order not in ORDERS:
        raise Refused(("order",), "unknown_order", f"{shown(order)} is none of {', '.join(ORDERS)}", order)
    listed = expect_list(fields["switches"], ("switches",))
    if len(listed) > MAX_SWITCHES:
        raise Refused(("switches",), "too_many", f"{len(listed)} switches; at most {MAX_SWITCHES}", None)
    refusals = EntryRefusals(pause)
    reader = _Reader(tuple(ranges), refusals)
    switches = [reader.switch(item, ("switches", n)) for n, item in enumerate(listed)]
    found = [switch for switch in switches if switch is not None]
    refusals.attempt(lambda: _refuse_repeated_switches(found))
    refusals.raise_found()
    return Change(name, tuple(found), order == "given")


class _Reader:
    """Reads the parts of a change, and collects what is refused."""

    def __init__(self, ranges: tuple[Prefix, ...], refusals: EntryRefusals) -> None:
        self._ranges = ranges
        self._quick = FastEntryReader(ranges)
        self._refusals = refusals
        self._left = MAX_ENTRIES

    def switch(self, obj: object, path: Path) -> SwitchChange | None:
        """What one switch is to do, or None after a refusal of its id or of the whole."""
        attempt = self._refusals.attempt
        fields = attempt(lambda: expect_keys(obj, path, ("dpid",), (*STEP, "steps", "atomic", "limit")))
        if fields is None:
            return None
        dpid = attempt(lambda: parse_dpid(fields["dpid"], (*path, "dpid")))
        steps = self._steps(fields, path)
        atomic = attempt(lambda: _expect_bool(fields.get("atomic", False), (*path, "atomic")))
        in_place = bool(atomic) or "steps" in fields
        limit = attempt(lambda: _expect_limit(fields, in_place, path))
        attempt(lambda: _refuse_over_limit(steps, limit, path))
        if dpid is None:
            return None
        return SwitchChange(dpid, steps, in_place, bool(atomic), limit)

    def _steps(self, fields: Mapping[str, object], path: Path) -> tuple[ChangeStep, ...]:
        if "steps" not in fields:
            return (self._step(fields, path),)
        place = (*path, "steps")
        beside = [part for part in STEP if part in fields]
        if beside:
            detail = f"steps and {beside[0]} exclude each other: put it into a step"
            self._refusals.found.append(Refused(place, "one_of", detail, None))
            return ()
        found: list[ChangeStep] = []
        for n, item in enumerate(self._refusals.attempt(lambda: _expect_some(fields["steps"], place)) or ()):
            step = self._refusals.attempt(
                lambda item=item, n=n: expect_keys(item, (*place, n), (), (*STEP, "rest"))  # type: ignore[misc]
            )
            if step is not None:
                found.append(self._step(step, (*place, n)))
        return tuple(found)

    def _step(self, fields: Mapping[str, object], path: Path) -> ChangeStep:
        adds = [self._entries(fields.get(part, ()), (*path, part)) for part in ("add", "modify")]
        removes = self._keys(fields.get("remove", ()), (*path, "remove"))
        entries = tuple(entry for listed, _ in adds for entry in listed if entry is not None)
        keys = tuple(key for key in removes if key is not None)
        if len({entry.key for entry in entries}.union(keys)) < len(entries) + len(keys):
            placed = [(one and one.key, (*at, n)) for listed, at in adds for n, one in enumerate(listed)]
            placed += [(key, (*path, "remove", n)) for n, key in enumerate(removes)]
            self._refusals.attempt(lambda: _refuse_repeated_keys(placed))
        rest = fields.get("rest")
        if rest is None:
            return ChangeStep(entries, keys)
        read = self._refusals.attempt(lambda: parse_rest(rest, (*path, "rest"), self._ranges))
        return ChangeStep(entries, keys, read)

    def _entries(self, listed: object, path: Path) -> tuple[list[FlowEntry | None], Path]:
        """The entries of a list of objects, or of rows with their actions beside; and where they stand."""
        if not isinstance(listed, dict):
            found = self._items(
                listed, path, self._quick.entry, lambda obj, place: parse_entry(obj, place, self._ranges)
            )
            return found, path
        fields = self._refusals.attempt(lambda: expect_keys(listed, path, ("actions", "entries")))
        if fields is None:
            return [], path
        actions = self._refusals.attempt(lambda: expect_list(fields["actions"], (*path, "actions"))) or ()
        rows = RowReader(actions, self._ranges, self._quick)
        path = (*path, "entries")
        return self._items(fields["entries"], path, rows.quick, rows.strict), path

    def _keys(self, listed: object, path: Path) -> list[Key | None]:
        def quick(item: object) -> Key | None:
            return self._quick.key(item) or quick_key(item, self._quick)

        return self._items(listed, path, quick, lambda item, place: strict_key(item, place, self._ranges))

    def _items(
        self,
        listed: object,
        path: Path,
        quick: Callable[[object], Value | None],
        strict: Callable[[object, Path], Value],
    ) -> list[Value | None]:
        """The items of a list: read quickly, and strictly where that says nothing. None for a refused one."""
        found: list[Value | None] = []
        items = self._refusals.attempt(lambda: self._expect_room(expect_list(listed, path), path)) or ()
        for n, item in enumerate(items):
            if n % PAUSE_EVERY == 0:
                self._refusals.pause()
            value = quick(item)
            if value is None:
                value = self._refusals.attempt(
                    lambda item=item, n=n: strict(item, (*path, n))  # type: ignore[misc]
                )
            found.append(value)
        return found

    def _expect_room(self, items: Sequence[object], path: Path) -> Sequence[object]:
        self._left -= len(items)
        if items and self._left < 0:
            detail = f"more than {MAX_ENTRIES} entries in one change; send several"
            raise Refused(path, "too_many", detail, len(items))
        return items


def _expect_some(value: object, path: Path) -> Sequence[object]:
    listed = expect_list(value, path)
    if not listed:
        raise Refused(path, "empty", "there is no step; leave the key out, or give one", None)
    return listed


def _expect_bool(value: object, path: Path) -> bool:
    if not isinstance(value, bool):
        raise Refused(path, "wrong_type", f"{shown(value)} is not true or false", value)
    return value


def _expect_limit(fields: Mapping[str, object], in_place: bool, path: Path) -> int | None:
    """The limit, which says something only of changes whose removals have a place among the additions."""
    if fields.get("limit") is None:
        return None
    place = (*path, "limit")
    limit = expect_integer(fields["limit"], place, 0)
    if not in_place:
        detail = "a limit needs atomic or steps: otherwise all is added before anything is removed"
        raise Refused(place, "limit_alone", detail, limit)
    return limit


def _refuse_over_limit(steps: Sequence[ChangeStep], limit: int | None, path: Path) -> None:
    """A step that adds more than the limit cannot keep it, whatever the table holds."""
    most = max((len(step.add) for step in steps), default=0)
    if limit is not None and most > limit:
        detail = f"a step adds {most} entries, over the limit of {limit}: divide it"
        raise Refused((*path, "limit"), "over_limit", detail, limit)


def _refuse_repeated_keys(keys: list[tuple[Key | None, Path]]) -> None:
    """One change says one thing of an entry: added and removed, or added twice, would hang on the order."""
    seen: set[Key] = set()
    for key, path in keys:
        if key is None:
            continue
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
