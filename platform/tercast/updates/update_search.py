"""Search for the update of a table within a limit, with a safe table after every change."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal

from tercast.updates.prefix_tree import ROOTLESS
from tercast.updates.region_outputs import NOTHING, RegionOutputs, RegionRow, RegionRows

Kind = Literal["added", "modified", "removed"]
RowChange = tuple[Kind, int, int | None, RegionRow]
"""Kind of change, number of the prefix, ingress port, and the entry that is added or removed.

ROOTLESS is modified if the default action for unmatched events changes; this needs no entry.
"""

DROPPED = RegionRow((), NOTHING)
"""The default action for unmatched events, at the start and at the end."""

ALL = 3

LABOUR = 3_000_000
"""Number of regions to examine before the search gives up, which takes about one second."""


class UpdateSearch:
    """The current table and the changes so far, each of which is safe."""

    __slots__ = (
        "_judges",
        "_labour",
        "_ports",
        "after",
        "answers",
        "backwards",
        "changes",
        "count",
        "last_first",
        "limit",
        "rest",
        "rows",
        "tried",
    )

    def __init__(self, answers: RegionOutputs, before: RegionRows, after: RegionRows, limit: int) -> None:
        self.answers = answers
        self.after = after
        self.limit = limit
        self.backwards = False  # for equivalent parts: the last one comes first
        self.last_first = False  # for equivalent entries to remove: the last one comes first
        self.rows: RegionRows = {port: dict(before.get(port, {})) for port in {*before, *after}}
        self.count = sum(map(len, self.rows.values()))
        self.rest = DROPPED
        self.changes: list[RowChange] = []
        self.tried: set[tuple[int, int | None]] = set()
        self._labour = LABOUR
        self._ports: list[set[int | None]] = [set() for _ in answers.prefixes.values]
        for rows in (before, after):
            for port, table in rows.items():
                for n in table:
                    self._ports[n].add(port)
        self._judges: tuple[Callable[[int], bool], ...] = (self._frees, self._fits, lambda _: True)

    def hurry(self) -> None:
        """Limit the search further."""
        self._labour = LABOUR // 10

    def pending(self) -> bool:
        """Whether there are changes left."""
        return self.rest is not DROPPED or any(self._wanting(n) for n in range(len(self._ports)))

    def go_on(self, patience: int = ALL) -> bool:
        """Make changes towards the new table; return whether there were any.

        With a `patience` of 1, only parts that free entries change. With 2, also parts that fit as a whole.
        With 3, any part.
        """
        tops, judges = self.answers.prefixes.tops, self._judges[:patience]
        return any(sum(self._visit(top, judge) for top in self._in_turn(tops)) > 0 for judge in judges)

    def put(self, n: int, port: int | None, row: RegionRow) -> bool:
        """Add or replace an entry if there is space for it and it is safe; return whether it was."""
        table = self.rows[port]
        had = table.get(n)
        if had is None and self.count >= self.limit:
            return False
        table[n] = row
        if not self.is_safe(n, port):
            self._restore(n, port, had)
            return False
        self.count += had is None
        self._ports[n].add(port)
        if had is None or had.actions != row.actions:
            self.changes.append(("added" if had is None else "modified", n, port, row))
        return True

    def drop(self, n: int, port: int | None) -> bool:
        """Remove an entry if it is safe; return whether it was."""
        had = self.rows[port].pop(n)
        if not self.is_safe(n, port):
            self._restore(n, port, had)
            return False
        self.count -= 1
        self.changes.append(("removed", n, port, had))
        return True

    def is_safe(self, n: int, port: int | None, *, throughout: bool = False) -> bool:
        """Whether events that match or matched the entry at `n` have permitted outputs.

        `throughout` examines all regions within `n`, also below longer entries.
        """
        answers, table = self.answers, self.rows[port]
        at, end = n, answers.prefixes.ends[n]
        while at < end:
            if at != n and at in table and not throughout:
                at = answers.prefixes.ends[at]
                continue
            self._labour -= 1
            if not answers.prefixes.hollow[at] and not self._is_right(at, port):
                return False
            at += 1
        return self._labour > 0

    def send_rest(self, row: RegionRow) -> bool:
        """Change the default action for unmatched events if it is safe; return whether it was."""
        had, self.rest = self.rest, row
        if not all(self._is_right(n, None) for n in self.left_over()):
            self.rest = had
            return False
        self.changes.append(("modified", ROOTLESS, None, row))
        return True

    def left_over(self) -> Iterator[int]:
        """Yield the regions without a plain entry; only entries for a port can match there."""
        table, prefixes = self.rows.get(None, {}), self.answers.prefixes
        n = 0
        while n < len(prefixes.values):
            if n in table:
                n = prefixes.ends[n]
                continue
            self._labour -= 1
            if not prefixes.hollow[n]:
                yield n
            n += 1

    def within(self, n: int) -> range:
        """Return the numbers of the prefixes in prefix `n`, with `n`."""
        return range(n, self.answers.prefixes.ends[n])

    def advance(self, n: int, *, adding: bool = True) -> bool:
        """Make the possible changes at `n`; return whether there were any."""
        return sum(self._advance(n, port, adding) for port in self._wanting(n)) > 0

    def _advance(self, n: int, port: int | None, adding: bool) -> bool:
        want = self.after.get(port, {}).get(n)
        if want is None:
            return self.drop(n, port)
        return (adding or n in self.rows[port]) and self.put(n, port, want)

    def _is_right(self, n: int, port: int | None) -> bool:
        for entering in self.answers.ports if port is None else (port,):
            row = self.answers.at(self.rows, n, entering) or self.rest
            if not self.answers.allow(row.outputs, n, entering, coarse=row.coarse):
                return False
        return True

    def _restore(self, n: int, port: int | None, had: RegionRow | None) -> None:
        if had is None:
            del self.rows[port][n]
        else:
            self.rows[port][n] = had

    def _wanting(self, n: int) -> list[int | None]:
        """Return the ports whose entry at `n` differs from the new table."""
        return [port for port in self._ports[n] if self._balance(n, port) is not None]

    def _balance(self, n: int, port: int | None) -> int | None:
        """Return 1 if an entry must be added, -1 if removed, 0 if replaced; None if it is right."""
        have, want = self.rows[port].get(n), self.after.get(port, {}).get(n)
        if have is None or want is None:
            return None if have is want else (1 if have is None else -1)
        return None if have.actions == want.actions else 0

    def _balances(self, n: int) -> list[int]:
        self._labour -= self.answers.prefixes.ends[n] - n
        found = (self._balance(at, port) for at in self.within(n) for port in self._ports[at])
        return [one for one in found if one is not None]

    def _in_turn(self, numbers: list[int]) -> list[int]:
        """Sort the parts with changes by the number of entries that they free, most first."""
        found = [(sum(balances), n) for n in numbers if (balances := self._balances(n))]
        turn = -1 if self.backwards else 1
        return [n for _, n in sorted(found, key=lambda one: (one[0], turn * one[1]))]

    def _fits(self, n: int) -> bool:
        return self._balances(n).count(1) <= self.limit - self.count

    def _frees(self, n: int) -> bool:
        return sum(self._balances(n)) <= 0 and self._fits(n)

    def _visit(self, n: int, judge: Callable[[int], bool]) -> bool:
        """Carry out the widest parts of `n` that `judge` accepts; return whether anything changed."""
        if judge(n) and self._carry_out(n):
            return True
        moved = sum(self._visit(kid, judge) for kid in self._in_turn(self.answers.prefixes.kids[n])) > 0
        return self.advance(n, adding=False) or moved

    def _carry_out(self, n: int) -> bool:
        """Make all possible changes within `n`, from below, then those that became possible."""
        moved = sum(self._carry_out(kid) for kid in self._in_turn(self.answers.prefixes.kids[n])) > 0
        if not self.advance(n):
            return moved
        for at in self.within(n):
            self.advance(at, adding=False)
        return True
