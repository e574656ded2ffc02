"""A part of a full table that passes through one coarser entry, so that what is in the way can go first.

It sends to every host and over every link that any entry of the part does, before or after: nothing is
lost, hosts may get what they have not asked for while it stands. Links only where the trees there have them.

Where there is no place for one, what meets no entry at all serves: it is sent where some entries would send
it, so that these can go. Every table has that, beside its content, and no room is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from tercast.updates.region_outputs import NOTHING, Outputs, RegionRow, actions_for
from tercast.updates.update_search import DROPPED, UpdateSearch

Serve = Callable[[Outputs, Outputs], Outputs]
"""Where an event is sent on the way, by its old answer and its new one."""

Going = list[tuple[int | None, int]]
"""Entries that are to go: ingress port and prefix."""

_ROOTLESS = -1
_SINGLY = 200
"""So many entries of a full table are looked at one by one."""


def pass_through(turning: UpdateSearch, widest: bool) -> bool:
    """Let a part have its new entries by way of a coarser one: the smallest that can, or the widest."""
    prefixes = turning.answers.prefixes
    numbers = sorted(range(len(prefixes.values)), key=lambda n: prefixes.ends[n] - n, reverse=widest)
    for n in numbers:
        for port in turning.answers.ports:
            if (n, port) not in turning.tried and port in turning.rows and _pass(turning, n, port):
                return True
    return False


def pass_by_rest(turning: UpdateSearch) -> bool:
    """Let entries go while what meets none is sent where they send: one, all that change, or all.

    Where the trees do not allow that, to where they send before and after.
    """
    if not turning.answers.knows_trees or not turning.pending():
        return False
    every: Going = [(port, n) for port, table in turning.rows.items() for n in table]
    wrong = [(port, n) for port, n in every if turning.rows[port][n] != turning.after.get(port, {}).get(n)]
    if turning.last_first:
        wrong.reverse()
    others = [one for one in every if one not in wrong] if len(every) <= _SINGLY else []
    for going in (*([one] for one in (wrong + others)[:_SINGLY]), wrong, every):
        key = (_ROOTLESS, hash(frozenset(going)))
        if going and key not in turning.tried:
            turning.tried.add(key)
            if _leave(turning, going, _either) or _leave(turning, going, _both):
                return True
    return False


def end_rest(turning: UpdateSearch) -> bool:
    """Let what meets no entry be dropped again, once it can be."""
    return turning.rest is not DROPPED and turning.send_rest(DROPPED)


def _either(old: Outputs, new: Outputs) -> Outputs:
    """What an answer on the way may send to at most, but for hosts."""
    return old | new


def _both(old: Outputs, new: Outputs) -> Outputs:
    """What an answer on the way has to send to at least."""
    return old & new


def _leave(turning: UpdateSearch, going: Going, serve: Serve) -> bool:
    """Take `going` away, with their answers for what meets no entry then; whether that could be."""
    row, had = _rest(turning, going, serve), turning.rest
    sends = bool(row.outputs)
    if sends and not turning.send_rest(row):
        return False
    gone = [turning.drop(n, port) for port, n in sorted(going, key=lambda one: (one[1], str(one[0])))]
    if sends and not any(gone):
        turning.changes.pop()
        turning.rest = had
    return any(gone)


def _rest(turning: UpdateSearch, going: Going, serve: Serve) -> RegionRow:
    """What serves all that meets no entry without `going`."""
    saved = {port: dict(turning.rows[port]) for port, _ in going}
    for port, n in going:
        del turning.rows[port][n]
    outputs: Outputs = NOTHING
    for n, entering in product(turning.left_over(), turning.answers.ports):
        if turning.answers.at(turning.rows, n, entering) is None:
            outputs |= serve(*turning.answers.bounds(n, entering))
    turning.rows.update(saved)
    return RegionRow(actions_for(outputs), outputs, coarse=True)


def _pass(turning: UpdateSearch, n: int, port: int | None) -> bool:
    table = turning.rows[port]
    if not turning.answers.may_stand(n) or (n not in table and turning.count >= turning.limit):
        return False
    below = [at for at in turning.within(n) if at != n and at in table]
    wrong = [at for at in below if table[at] != turning.after.get(port, {}).get(at)]
    for going in (wrong, below):
        if going and _has_room(turning, n, port, going) and _stand(turning, n, port, going):
            return True
    return False


def _has_room(turning: UpdateSearch, n: int, port: int | None, going: list[int]) -> bool:
    """Whether the new entries of the part fit in the place of those that go."""
    table, gone = turning.rows[port], set(going)
    after = turning.after.get(port, {})
    coming = sum(1 for at in turning.within(n) if at != n and at in after and (at not in table or at in gone))
    return turning.count - len(going) + (n not in table) + coming <= turning.limit


def _stand(turning: UpdateSearch, n: int, port: int | None, going: list[int]) -> bool:
    """Put the coarser entry in the place of `going`, then the new ones, and take it away if it can go."""
    row = _coarse(turning, n, port, going, _either) or _coarse(turning, n, port, going, _both)
    if row is None or not turning.put(n, port, row):
        return False
    turning.tried.add((n, port))
    for at in going:
        turning.drop(at, port)
    for at in reversed(turning.within(n)):
        turning.advance(at)
    return True


def _coarse(
    turning: UpdateSearch, n: int, port: int | None, going: list[int], serve: Serve
) -> RegionRow | None:
    """The entry that serves all that would meet it; None where a point may not meet it."""
    table = turning.rows[port]
    saved = dict(table)
    for at in going:
        del table[at]
    table[n] = mark = RegionRow((), NOTHING, coarse=True)
    outputs: Outputs = NOTHING
    for at, entering in product(turning.within(n), turning.answers.ports if port is None else (port,)):
        if not turning.answers.prefixes.hollow[at] and turning.answers.at(turning.rows, at, entering) is mark:
            outputs |= serve(*turning.answers.bounds(at, entering))
    row = table[n] = RegionRow(actions_for(outputs), outputs, coarse=True)
    safe = turning.is_safe(n, port, throughout=True)
    table.clear()
    table.update(saved)
    return row if safe else None
