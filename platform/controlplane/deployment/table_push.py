"""Sending a change to the controller, and evaluating which part each switch confirmed."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from controlplane.deployment.entry_codec import HostBook
from controlplane.network.controller_client import (
    CONFIRMED,
    FAILED,
    ControllerClient,
    EntryError,
    NorthboundError,
    SwitchAnswer,
)
from controlplane.network.models import Switch
from controlplane.planning.headroom import Headroom, Headrooms
from controlplane.planning.stepwise import Stepwise, SwitchUpdate
from controlplane.planning.unconfirmed import OutstandingChange, Unconfirmed, destinations
from tercast.tables.entries import Entry, SwitchDiff

LARGEST = 20_000
"""Largest number of entries in a change; the northbound's limit is somewhat higher."""

_NO_ROOM = "the table is too small for new entries next to the old ones"
_KEPT = "old entries stay until all new ones are confirmed"


@dataclass(frozen=True, slots=True)
class PushResult:
    """Result of a change on one switch: the confirmed part and the outstanding one, or None."""

    switch: Switch
    done: SwitchDiff
    debt: OutstandingChange | None
    errors: tuple[EntryError, ...] = ()


def push(
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    switches: Mapping[str, Switch],
    swaps: Mapping[str, SwitchUpdate] = MappingProxyType({}),
) -> list[PushResult]:
    """Change tables, with additions in the order of `diffs`.

    If the controller fails, the complete change stays unconfirmed. Switches without a change count as
    confirmed without a request. A change that is too large is sent in several: first all additions, then,
    when these are confirmed, all removals. Switches in `swaps` cannot store old and new entries together.
    They change in one step, or in the given steps.
    """
    results = {
        diff.switch: PushResult(switches[diff.switch], SwitchDiff(diff.switch), None) for diff in diffs
    }
    book = HostBook.read()
    failure = ""
    for step in _steps(diffs, swaps):
        complete = all(result.debt is None for result in results.values())
        try:
            if failure or not (complete or any(diff.installs for diff in step)):
                parts = [_unknown(switches[diff.switch], diff, failure or _KEPT) for diff in step]
            else:
                parts = _send(northbound, step, switches, book, swaps)
        except NorthboundError as error:
            failure = str(error)
            parts = [_unknown(switches[diff.switch], diff, failure) for diff in step]
        for part in parts:
            results[part.switch.name] = joined(results[part.switch.name], part)
    return list(results.values())


def _send(
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    switches: Mapping[str, Switch],
    book: HostBook,
    swaps: Mapping[str, SwitchUpdate],
) -> list[PushResult]:
    changes = [book.change(switches[diff.switch].dpid, diff, swaps.get(diff.switch)) for diff in diffs]
    answers = northbound.change(changes)
    return [
        _result(switches[diff.switch], diff, answer, swaps.get(diff.switch))
        for diff, answer in zip(diffs, answers, strict=True)
    ]


def _steps(diffs: Sequence[SwitchDiff], swaps: Collection[str]) -> list[list[SwitchDiff]]:
    """Return the parts of a change, each of which is sent alone."""
    if sum(map(len, diffs)) <= LARGEST:
        parts = [diff for diff in diffs if len(diff)]
        return [parts] if parts else []
    adding = [piece for diff in diffs for piece in ([diff] if diff.switch in swaps else _pieces(diff))]
    removing = [
        SwitchDiff(diff.switch, removed=part)
        for diff in reversed(diffs)
        if diff.switch not in swaps
        for part in _slices(diff.removed)
    ]
    return [*_portions(adding), *_portions(removing)]


def _pieces(diff: SwitchDiff) -> list[SwitchDiff]:
    return [
        *(SwitchDiff(diff.switch, added=part) for part in _slices(diff.added)),
        *(SwitchDiff(diff.switch, modified=part) for part in _slices(diff.modified)),
    ]


def _slices(entries: tuple[Entry, ...]) -> list[tuple[Entry, ...]]:
    return [entries[start : start + LARGEST] for start in range(0, len(entries), LARGEST)]


def _portions(pieces: Sequence[SwitchDiff]) -> list[list[SwitchDiff]]:
    """Return `pieces` in order, grouped to fit into changes, with no switch twice in a group."""
    portions: list[list[SwitchDiff]] = []
    room = 0
    for piece in pieces:
        if not portions or len(piece) > room or portions[-1][-1].switch == piece.switch:
            portions.append([])
            room = LARGEST
        portions[-1].append(piece)
        room -= len(piece)
    return portions


def push_holding(
    northbound: ControllerClient,
    diffs: Sequence[SwitchDiff],
    switches: Mapping[str, Switch],
    unconfirmed: Unconfirmed,
    silent: Collection[str],
    *,
    headrooms: Headrooms = MappingProxyType({}),
    stepwise: Stepwise | None = None,
) -> list[PushResult]:
    """Call `push`, but leave out removals that `silent` switches delay: these stay unconfirmed.

    A table that is too small for new entries next to old ones changes in one step, or in the steps that
    `stepwise` finds. If it is full because of delayed removals, it must wait, and so must everything that
    depends on it.
    """
    held, stuck = _find_held_back(diffs, unconfirmed, set(silent), headrooms)
    going = [diff for diff in diffs if diff.switch not in stuck]
    allowed = [replace(diff, removed=_without_dsts(diff.removed, held[diff.switch])) for diff in going]
    known = [(diff, headrooms.get(diff.switch)) for diff in allowed]
    swaps = {
        diff.switch: stepwise.swap(diff, one.budget) if stepwise else SwitchUpdate(one.budget)
        for diff, one in known
        if one is not None and one.is_tight(diff)
    }
    names = ", ".join(sorted({*silent, *stuck}))
    results = [
        _with_left_over(result, held[result.switch.name], names)
        for result in push(northbound, allowed, switches, swaps)
    ]
    return results + [_hold_diff(switches[name], diff, names) for name, diff in stuck.items()]


def _find_held_back(
    diffs: Sequence[SwitchDiff], unconfirmed: Unconfirmed, silent: set[str], headrooms: Headrooms
) -> tuple[dict[str, frozenset[str]], dict[str, SwitchDiff]]:
    """Return, by switch, the destinations whose removal must wait, and the diffs that must wait."""
    stuck: dict[str, SwitchDiff] = {}
    while True:
        held = {diff.switch: unconfirmed.held(diff.removed, silent - {diff.switch}) for diff in diffs}
        found = [
            diff
            for diff in diffs
            if diff.switch not in stuck and _is_stuck(diff, held[diff.switch], headrooms.get(diff.switch))
        ]
        if not found:
            return held, stuck
        for diff in found:
            stuck[diff.switch] = diff
            silent.add(diff.switch)
            unconfirmed.add(diff.switch, OutstandingChange.of(diff, _NO_ROOM, held=True))


def _is_stuck(diff: SwitchDiff, held: frozenset[str], headroom: Headroom | None) -> bool:
    if headroom is None or not held:
        return False
    return headroom.is_short(diff, len(diff.removed) - len(_without_dsts(diff.removed, held)))


def _hold_diff(switch: Switch, diff: SwitchDiff, silent: str) -> PushResult:
    reason = (
        f"the table of switch {switch.name} is full: it must keep old entries until {silent} confirms its "
        "changes"
    )
    return PushResult(switch, SwitchDiff(diff.switch), OutstandingChange.of(diff, reason, held=True))


def _without_dsts(entries: Sequence[Entry], dsts: frozenset[str]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.dst not in dsts)


def _with_left_over(result: PushResult, held: frozenset[str], silent: str) -> PushResult:
    if not held:
        return result
    if result.debt is not None:
        return replace(result, debt=replace(result.debt, left_over=result.debt.left_over | held))
    name = result.switch.name
    reason = f"switch {name} keeps {len(held)} old entries until new ones are confirmed by {silent}"
    return replace(result, debt=OutstandingChange(left_over=held, reason=reason))


def _unknown(switch: Switch, diff: SwitchDiff, reason: str) -> PushResult:
    return PushResult(switch, SwitchDiff(diff.switch), OutstandingChange.of(diff, reason))


def joined(first: PushResult, second: PushResult) -> PushResult:
    """Combine two results of one switch."""
    debts = [result.debt for result in (first, second) if result.debt is not None]
    debt = debts[0] if debts else None
    if len(debts) == 2:
        missing, left_over = debts[0].missing | debts[1].missing, debts[0].left_over | debts[1].left_over
        debt = replace(debts[1], missing=missing, left_over=left_over)
    done = SwitchDiff(
        first.switch.name,
        first.done.added + second.done.added,
        first.done.modified + second.done.modified,
        first.done.removed + second.done.removed,
    )
    return PushResult(second.switch, done, debt, first.errors + second.errors)


def _result(switch: Switch, diff: SwitchDiff, answer: SwitchAnswer, swap: SwitchUpdate | None) -> PushResult:
    if answer.epoch not in (None, switch.epoch):
        return _unknown(switch, diff, f"switch {switch.name} has reconnected")
    if answer.state == CONFIRMED and (answer.removed or not diff.removed):
        return PushResult(switch, diff, None)
    if answer.state not in (CONFIRMED, FAILED):
        return _unknown(switch, diff, f"switch {switch.name} is not reachable{_because(answer.detail)}")
    return _partial(switch, diff, answer) if swap is None else _nothing(switch, diff, answer, swap)


def _nothing(switch: Switch, diff: SwitchDiff, answer: SwitchAnswer, swap: SwitchUpdate) -> PushResult:
    """Return the result of a swap that was not done, because of this switch or another one.

    The completed part of several steps is unknown until the switch is read back.
    """
    because = answer.errors[0].text if answer.errors else answer.detail
    way = f"in {len(swap.steps)} steps" if swap.steps else "in one step"
    reason = f"switch {switch.name} did not carry out the change, which was sent {way}{_because(because)}"
    debt = replace(OutstandingChange.of(diff, reason), refused=bool(answer.errors))
    return PushResult(switch, SwitchDiff(diff.switch), debt, answer.errors)


def _partial(switch: Switch, diff: SwitchDiff, answer: SwitchAnswer) -> PushResult:
    """Return the result of a switch that answered, but has not executed the complete change."""
    refused = {(error.dst, error.in_port) for error in answer.errors}
    if answer.state == FAILED and not refused:
        return _unknown(switch, diff, f"switch {switch.name} refused the change{_because(answer.detail)}")

    def taken(entries: Sequence[Entry]) -> tuple[Entry, ...]:
        return tuple(entry for entry in entries if entry.key not in refused)

    removed = taken(diff.removed) if answer.removed else ()
    done = SwitchDiff(diff.switch, taken(diff.added), taken(diff.modified), removed)
    missing = destinations(entry for entry in diff.installs if entry.key in refused)
    left_over = destinations(entry for entry in diff.removed if entry not in removed)
    debt = OutstandingChange(missing, left_over, _reason(switch, answer), answer.state == FAILED)
    return PushResult(switch, done, debt, answer.errors)


def _reason(switch: Switch, answer: SwitchAnswer) -> str:
    if not answer.errors:
        return f"switch {switch.name} keeps old entries until the other switches have confirmed the new ones"
    first = answer.errors[0]
    more = f" and {len(answer.errors) - 1} more" if len(answer.errors) > 1 else ""
    return f"switch {switch.name} refused the entry for {first.dst}{more}: {first.text}"


def _because(detail: str) -> str:
    return f": {detail}" if detail else ""
