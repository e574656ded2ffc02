"""A part of a full table that passes through one coarser entry, so that what is in the way can go first.

It sends to every host and over every link that any entry of the part does, before or after: nothing is
lost, hosts may get what they have not asked for while it stands. Links only where the trees there have them.
"""

from __future__ import annotations

from itertools import product

from tercast.aggregation.answers import NOTHING, Outputs, Row, actions_for
from tercast.aggregation.turning import Turning


def pass_through(turning: Turning, widest: bool) -> bool:
    """Let a part have its new entries by way of a coarser one: the smallest that can, or the widest."""
    prefixes = turning.answers.prefixes
    numbers = sorted(range(len(prefixes.values)), key=lambda n: prefixes.ends[n] - n, reverse=widest)
    for n in numbers:
        for port in turning.answers.ports:
            if (n, port) not in turning.tried and port in turning.rows and _pass(turning, n, port):
                return True
    return False


def _pass(turning: Turning, n: int, port: int | None) -> bool:
    table = turning.rows[port]
    if not turning.answers.may_stand(n) or (n not in table and turning.count >= turning.limit):
        return False
    below = [at for at in turning.within(n) if at != n and at in table]
    wrong = [at for at in below if table[at] != turning.after.get(port, {}).get(at)]
    for going in (wrong, below):
        if going and _has_room(turning, n, port, going) and _stand(turning, n, port, going):
            return True
    return False


def _has_room(turning: Turning, n: int, port: int | None, going: list[int]) -> bool:
    """Whether the new entries of the part fit in the place of those that go."""
    table, gone = turning.rows[port], set(going)
    after = turning.after.get(port, {})
    coming = sum(1 for at in turning.within(n) if at != n and at in after and (at not in table or at in gone))
    return turning.count - len(going) + (n not in table) + coming <= turning.limit


def _stand(turning: Turning, n: int, port: int | None, going: list[int]) -> bool:
    """Put the coarser entry in the place of `going`, then the new ones, and take it away if it can go."""
    row = _coarse(turning, n, port, going)
    if row is None or not turning.put(n, port, row):
        return False
    turning.tried.add((n, port))
    for at in going:
        turning.drop(at, port)
    for at in reversed(turning.within(n)):
        turning.advance(at)
    return True


def _coarse(turning: Turning, n: int, port: int | None, going: list[int]) -> Row | None:
    """The entry that serves all that would meet it; None where a point may not meet it."""
    table = turning.rows[port]
    saved = dict(table)
    for at in going:
        del table[at]
    table[n] = mark = Row((), NOTHING, coarse=True)
    outputs: Outputs = NOTHING
    for at, entering in product(turning.within(n), turning.answers.ports if port is None else (port,)):
        if not turning.answers.prefixes.hollow[at] and turning.answers.at(turning.rows, at, entering) is mark:
            outputs = outputs.union(*turning.answers.bounds(at, entering))
    row = table[n] = Row(actions_for(outputs), outputs, coarse=True)
    safe = turning.is_safe(n, port, throughout=True)
    table.clear()
    table.update(saved)
    return row if safe else None
