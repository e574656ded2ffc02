"""Handing a change to the controller, and reading from its answer what each switch has and still owes."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from controlplane.control.flows import HostBook
from controlplane.control.lag import Debt, Lag, destinations
from controlplane.control.northbound import (
    CONFIRMED,
    FAILED,
    EntryError,
    Northbound,
    NorthboundError,
    SwitchAnswer,
)
from controlplane.network.models import Switch
from tercast.tables import Entry, SwitchDiff


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a change on one switch: the part that it has, and what it owes (None: nothing)."""

    switch: Switch
    done: SwitchDiff
    debt: Debt | None
    errors: tuple[EntryError, ...] = ()


def push(northbound: Northbound, diffs: Sequence[SwitchDiff], switches: Mapping[str, Switch]) -> list[Result]:
    """Change tables, adding in the order of `diffs`; a controller that fails leaves all of them owed.

    Switches without a change are confirmed without being asked.
    """
    parts = [diff for diff in diffs if len(diff)]
    book = HostBook.read()
    body = [book.change(switches[diff.switch].dpid, diff) for diff in parts]
    try:
        answers = northbound.change(body) if parts else []
    except NorthboundError as error:
        return [_unknown(switches[diff.switch], diff, str(error)) for diff in diffs]
    results = {
        diff.switch: _result(switches[diff.switch], diff, answer)
        for diff, answer in zip(parts, answers, strict=True)
    }
    return [results.get(diff.switch) or Result(switches[diff.switch], diff, None) for diff in diffs]


def push_holding(
    northbound: Northbound,
    diffs: Sequence[SwitchDiff],
    switches: Mapping[str, Switch],
    lag: Lag,
    silent: Collection[str],
) -> list[Result]:
    """`push`, but for the removals that `silent` switches hold up: those are owed afterwards."""
    held = {diff.switch: lag.held(diff.removed, silent) for diff in diffs}
    allowed = [replace(diff, removed=_but(diff.removed, held[diff.switch])) for diff in diffs]
    names = ", ".join(sorted(silent))
    return [
        _still_owing(result, held[result.switch.name], names)
        for result in push(northbound, allowed, switches)
    ]


def _but(entries: Sequence[Entry], dsts: frozenset[str]) -> tuple[Entry, ...]:
    return tuple(entry for entry in entries if entry.dst not in dsts)


def _still_owing(result: Result, held: frozenset[str], silent: str) -> Result:
    if not held:
        return result
    if result.debt is not None:
        return replace(result, debt=replace(result.debt, left_over=result.debt.left_over | held))
    name = result.switch.name
    reason = f"switch {name} keeps {len(held)} old entries until new ones are confirmed by {silent}"
    return replace(result, debt=Debt(left_over=held, reason=reason))


def _unknown(switch: Switch, diff: SwitchDiff, reason: str) -> Result:
    return Result(switch, SwitchDiff(diff.switch), Debt.of(diff, reason))


def joined(first: Result, second: Result) -> Result:
    """Two results of one switch as one."""
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
    return Result(second.switch, done, debt, first.errors + second.errors)


def _result(switch: Switch, diff: SwitchDiff, answer: SwitchAnswer) -> Result:
    if answer.epoch not in (None, switch.epoch):
        return _unknown(switch, diff, f"switch {switch.name} has connected anew")
    if answer.state == CONFIRMED and (answer.removed or not diff.removed):
        return Result(switch, diff, None)
    if answer.state not in (CONFIRMED, FAILED):
        return _unknown(switch, diff, f"switch {switch.name} is not reachable{_because(answer.detail)}")
    return _partial(switch, diff, answer)


def _partial(switch: Switch, diff: SwitchDiff, answer: SwitchAnswer) -> Result:
    """The switch answered, but has not done all of it."""
    refused = {(error.dst, error.in_port) for error in answer.errors}
    if answer.state == FAILED and not refused:
        return _unknown(switch, diff, f"switch {switch.name} refused the change{_because(answer.detail)}")

    def taken(entries: Sequence[Entry]) -> tuple[Entry, ...]:
        return tuple(entry for entry in entries if entry.key not in refused)

    removed = taken(diff.removed) if answer.removed else ()
    done = SwitchDiff(diff.switch, taken(diff.added), taken(diff.modified), removed)
    missing = destinations(entry for entry in diff.installs if entry.key in refused)
    left_over = destinations(entry for entry in diff.removed if entry not in removed)
    debt = Debt(missing, left_over, _reason(switch, answer), answer.state == FAILED)
    return Result(switch, done, debt, answer.errors)


def _reason(switch: Switch, answer: SwitchAnswer) -> str:
    if not answer.errors:
        return f"switch {switch.name} keeps old entries until the other switches have confirmed the new ones"
    first = answer.errors[0]
    more = f" and {len(answer.errors) - 1} more" if len(answer.errors) > 1 else ""
    return f"switch {switch.name} refused the entry for {first.dst}{more}: {first.text}"


def _because(detail: str) -> str:
    return f": {detail}" if detail else ""
