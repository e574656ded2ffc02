"""Reading of a change of tables from a northbound body, with all its errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from controller_app.openflow.dpid import parse_dpid
from controller_app.openflow.flow_entry import FlowEntry, FlowKey, Prefix
from controller_app.programming.change_request import MAX_ID, MAX_SWITCHES, Change, ChangeStep, SwitchChange
from controller_app.programming.entry_reader import EntryReader
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.runtime.strict_json import expect_boolean, expect_integer, expect_keys, expect_list, expect_text

MAX_ENTRIES = 500_000
"""Highest number of entries and keys of a change. A compact body can have more than the memory permits."""

MAX_REFUSALS = 50
"""Number of errors at which reading stops."""

PAUSE_EVERY = 1000
"""Items between two calls of `pause`."""

ORDERS = ("given", "any")
"""Values of `order`: additions take effect on one switch at a time in the order given, or in any order."""

STEP = ("add", "modify", "remove")
"""Keys of a step; a switch with a single step has them itself."""

Value = TypeVar("Value")


class RefusalCollector:
    """Errors found so far. The sender receives all of them together, up to a limit."""

    def __init__(self) -> None:
        self.found: list[Refused] = []

    def attempt(self, read: Callable[[], Value]) -> Value | None:
        """Return the result of `read`, or None if it raised Refused."""
        try:
            return read()
        except Refused as refused:
            self.add(refused)
            return None

    def add(self, refused: Refused) -> None:
        """Add an error.

        Raises:
            RefusedMany: The number of errors has reached the limit.
        """
        self.found.append(refused)
        if len(self.found) >= MAX_REFUSALS:
            self.raise_found()

    def raise_found(self) -> None:
        """Raise RefusedMany if there is any error."""
        if self.found:
            raise RefusedMany(self.found)


def parse_change(obj: object, ranges: Iterable[Prefix], pause: Callable[[], None] = lambda: None) -> Change:
    """Return the change of a northbound body.

    Args:
        obj: The body.
        ranges: The prefixes that must contain the dst of an entry.
        pause: Called every thousand items, so that other greenlets run while a large change is read.

    Raises:
        Refused: An error that concerns the whole change.
        RefusedMany: Errors in parts of the change, each with its path.
    """
    fields = expect_keys(obj, (), ("id", "switches"), ("order",))
    name = expect_text(fields["id"], ("id",))
    if not 0 < len(name) <= MAX_ID:
        rule = f"received {len(name)} characters; an id has 1 to {MAX_ID} characters"
        raise Refused(("id",), "bad_length", rule, name)
    order = fields.get("order", "given")
    if order not in ORDERS:
        rule = f"unknown order {shown(order)}; use one of {', '.join(ORDERS)}"
        raise Refused(("order",), "unknown_order", rule, order)
    listed = expect_list(fields["switches"], ("switches",))
    if len(listed) > MAX_SWITCHES:
        rule = f"received {len(listed)} switches; a change has at most {MAX_SWITCHES}"
        raise Refused(("switches",), "too_many", rule, None)
    refusals = RefusalCollector()
    reader = _SwitchReader(EntryReader(ranges), refusals, pause)
    switches = [reader.switch(item, ("switches", n)) for n, item in enumerate(listed)]
    found = [switch for switch in switches if switch is not None]
    refusals.attempt(lambda: _refuse_repeated_switches(found))
    refusals.raise_found()
    return Change(name, tuple(found), order == "given")


class _SwitchReader:
    """Reads the part of each switch and collects the errors."""

    def __init__(self, reader: EntryReader, refusals: RefusalCollector, pause: Callable[[], None]) -> None:
        self._reader = reader
        self._refusals = refusals
        self._pause = pause
        self._left = MAX_ENTRIES

    def switch(self, obj: object, path: Path) -> SwitchChange | None:
        """Return the part of one switch, or None if its id or its form is wrong."""
        attempt = self._refusals.attempt
        fields = attempt(lambda: expect_keys(obj, path, ("dpid",), (*STEP, "steps", "atomic", "limit")))
        if fields is None:
            return None
        dpid = attempt(lambda: parse_dpid(fields["dpid"], (*path, "dpid")))
        steps = self._steps(fields, path)
        atomic = attempt(lambda: expect_boolean(fields.get("atomic", False), (*path, "atomic")))
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
            detail = f"use either steps or {beside[0]}; move {beside[0]} into a step"
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
        removes = self._items(fields.get("remove", ()), (*path, "remove"), self._reader.key)
        entries = tuple(entry for listed, _ in adds for entry in listed if entry is not None)
        keys = tuple(key for key in removes if key is not None)
        if len({entry.key for entry in entries}.union(keys)) < len(entries) + len(keys):
            placed = [(one and one.key, (*at, n)) for listed, at in adds for n, one in enumerate(listed)]
            placed += [(key, (*path, "remove", n)) for n, key in enumerate(removes)]
            self._refusals.attempt(lambda: _refuse_repeated_keys(placed))
        rest = fields.get("rest")
        if rest is None:
            return ChangeStep(entries, keys)
        return ChangeStep(entries, keys, self._read(self._reader.rest, rest, (*path, "rest")))

    def _entries(self, listed: object, path: Path) -> tuple[list[FlowEntry | None], Path]:
        """Return the entries of a list or a compact form, and the path of their list."""
        if not isinstance(listed, dict):
            return self._items(listed, path, self._reader.entry), path
        fields = self._refusals.attempt(lambda: expect_keys(listed, path, ("actions", "entries")))
        if fields is None:
            return [], path
        actions = self._refusals.attempt(lambda: expect_list(fields["actions"], (*path, "actions"))) or ()
        path = (*path, "entries")
        return self._items(fields["entries"], path, self._reader.row_reader(actions)), path

    def _items(self, listed: object, path: Path, read: Callable[[object], Value]) -> list[Value | None]:
        """Return the items of a list; None for each wrong item."""
        found: list[Value | None] = []
        items = self._refusals.attempt(lambda: self._expect_room(expect_list(listed, path), path)) or ()
        for n, item in enumerate(items):
            if n % PAUSE_EVERY == 0:
                self._pause()
            try:
                found.append(read(item))
            except Refused as refused:
                self._refusals.add(refused.under(*path, n))
                found.append(None)
        return found

    def _read(self, read: Callable[[object], Value], obj: object, path: Path) -> Value | None:
        try:
            return read(obj)
        except Refused as refused:
            self._refusals.add(refused.under(*path))
            return None

    def _expect_room(self, items: Sequence[object], path: Path) -> Sequence[object]:
        self._left -= len(items)
        if items and self._left < 0:
            detail = f"the change has more than {MAX_ENTRIES} entries; divide it into several changes"
            raise Refused(path, "too_many", detail, len(items))
        return items


def _expect_some(value: object, path: Path) -> Sequence[object]:
    listed = expect_list(value, path)
    if not listed:
        raise Refused(path, "empty", "the list of steps is empty; add a step or omit the key", None)
    return listed


def _expect_limit(fields: Mapping[str, object], in_place: bool, path: Path) -> int | None:
    """Return the limit, which requires that removals have a place among the additions."""
    if fields.get("limit") is None:
        return None
    place = (*path, "limit")
    limit = expect_integer(fields["limit"], place, 0)
    if not in_place:
        detail = (
            "`limit` requires `atomic` or `steps`, because without them all additions precede all removals; "
            "add `atomic` or `steps`, or remove `limit`"
        )
        raise Refused(place, "limit_alone", detail, limit)
    return limit


def _refuse_over_limit(steps: Sequence[ChangeStep], limit: int | None, path: Path) -> None:
    """Refuse a step that adds more than the limit: it exceeds it for every table."""
    most = max((len(step.add) for step in steps), default=0)
    if limit is not None and most > limit:
        detail = f"a step adds {most} entries, but the limit is {limit}; divide the step"
        raise Refused((*path, "limit"), "over_limit", detail, limit)


def _refuse_repeated_keys(keys: list[tuple[FlowKey | None, Path]]) -> None:
    """Refuse a key that occurs twice: the result would depend on the order."""
    seen: set[FlowKey] = set()
    for key, path in keys:
        if key is None:
            continue
        if key in seen:
            detail = f"{key.dst} with priority {key.priority} occurs twice for this switch; send it once"
            raise Refused(path, "repeated", detail, str(key.dst))
        seen.add(key)


def _refuse_repeated_switches(switches: list[SwitchChange]) -> None:
    seen: set[int] = set()
    for n, switch in enumerate(switches):
        if switch.dpid in seen:
            detail = f"switch {switch.dpid:016x} occurs twice in the change; send it once"
            raise Refused(("switches", n, "dpid"), "repeated", detail, f"{switch.dpid:016x}")
        seen.add(switch.dpid)
