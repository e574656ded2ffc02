"""Coarse entries: temporary entries in a full table that allow the removal of others.

A coarse entry sends to every host and over every link that any entry of its part uses, before or after. So no
event is lost. While it exists, hosts may get false positives. It uses only links that the trees there have.

If there is no space for a coarse entry, events that match no entry serve instead: the table sends them to
where some entries would send them, so that these can be removed. Every table has this default action, and it
needs no entry.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from tercast.updates.region_outputs import NOTHING, Outputs, RegionRow, actions_for
from tercast.updates.update_search import DROPPED, UpdateSearch

Serve = Callable[[Outputs, Outputs], Outputs]
"""Targets of an event during the update, by its old and its new outputs."""

Going = list[tuple[int | None, int]]
"""Entries to remove: ingress port and prefix."""

_ROOTLESS = -1
_SINGLY = 200
"""Largest number of entries of a full table that are examined one at a time."""


def pass_through(turning: UpdateSearch, widest: bool) -> bool:
    """Replace a part (the smallest or the widest) by a coarse entry, then by its new entries."""
    prefixes = turning.answers.prefixes
    numbers = sorted(range(len(prefixes.values)), key=lambda n: prefixes.ends[n] - n, reverse=widest)
    for n in numbers:
        for port in turning.answers.ports:
            if (n, port) not in turning.tried and port in turning.rows and _pass(turning, n, port):
                return True
    return False


def pass_by_rest(turning: UpdateSearch) -> bool:
    """Remove entries while unmatched events go to their targets: one entry, all changed, or all.

    If the trees do not allow this, unmatched events are sent only to targets that are both old and new.
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
    """Drop unmatched events again, as soon as this is safe."""
    return turning.rest is not DROPPED and turning.send_rest(DROPPED)


def _either(old: Outputs, new: Outputs) -> Outputs:
    """Return all targets that outputs during the update may have; coarse ones may add hosts."""
    return old | new


def _both(old: Outputs, new: Outputs) -> Outputs:
    """Return the targets that outputs during the update must have."""
    return old & new


def _leave(turning: UpdateSearch, going: Going, serve: Serve) -> bool:
    """Remove `going` and send unmatched events to their targets; return whether this was safe."""
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
    """Return the default action that serves all unmatched events without `going`."""
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
    """Whether the new entries of the part fit in the place of the removed ones."""
    table, gone = turning.rows[port], set(going)
    after = turning.after.get(port, {})
    coming = sum(1 for at in turning.within(n) if at != n and at in after and (at not in table or at in gone))
    return turning.count - len(going) + (n not in table) + coming <= turning.limit


def _stand(turning: UpdateSearch, n: int, port: int | None, going: list[int]) -> bool:
    """Replace `going` with the coarse entry, add the new entries, and remove it if possible."""
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
    """Return the entry that serves all events matching it; None if an event may not match it."""
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
