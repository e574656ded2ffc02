"""Checks of a table without packets: ambiguous, misordered and redundant entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tercast.eventspace.dz import Dz, covers, length
from tercast.tables.entries import HIGHEST_PRIORITY, LOWEST_PRIORITY, Action, Entry, SetDst
from tercast.verification.allowance import Allowance
from tercast.verification.violations import Findings

STRICT = Allowance(exact=True, covers=None)


Copy = tuple[str, str]
"""A port, and the host whose address is set before the output; empty without a rewrite."""


@dataclass(frozen=True, slots=True)
class LintRow:
    """An entry with the cell that it matches."""

    dz: Dz
    entry: Entry


def check_rows(
    switch: str,
    topic: str,
    rows: Iterable[LintRow],
    above: Iterable[LintRow],
    found: Findings,
    *,
    allowance: Allowance = STRICT,
) -> None:
    """Check the entries of one topic at one switch against each other and against `above`.

    Args:
        switch: the switch.
        topic: the topic.
        rows: the entries to check, depth first.
        above: entries that cover all of `rows`, from short to long prefixes.
        found: receives the violations.
        allowance: which entries are merged; a merged entry may be redundant.
    """
    open_rows = list(above)
    effects = Effects()
    for row in rows:
        while open_rows and not covers(open_rows[-1].dz, row.dz):
            open_rows.pop()
        _check_row(switch, topic, row, open_rows, effects, found=found, allowance=allowance)
        open_rows.append(row)


class Effects:
    """Cache of the effects of entries by their actions, which many entries share.

    The key is the identity of the actions, so the cache holds a reference to them.
    """

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[int, int | None], tuple[tuple[Action, ...], list[Copy]]] = {}

    def of(self, entry: Entry, port: int | None) -> list[Copy]:
        """Return the result of `effect` from the cache."""
        key = id(entry.actions), port
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = (entry.actions, effect(entry, port))
        return known[1]


def _check_row(
    switch: str,
    topic: str,
    row: LintRow,
    above: list[LintRow],
    effects: Effects,
    *,
    found: Findings,
    allowance: Allowance,
) -> None:
    """Compare an entry with the entries that cover it, the nearest last."""
    entry = row.entry

    def note(kind: str, detail: str) -> None:
        found.add(kind, f"{switch}: {detail}", topic=topic, region=(row.dz,), switch=switch)

    if not LOWEST_PRIORITY <= entry.priority <= HIGHEST_PRIORITY:
        note(
            "priority",
            f"entry {entry.dst} has priority {entry.priority}; "
            f"allowed are {LOWEST_PRIORITY} to {HIGHEST_PRIORITY}",
        )
    for port, host in _repeated(effects.of(entry, None)):
        note("doubled", f"entry {named(entry)} sends to port {port}{host and f' as {host}'} more than once")
    for other in above:
        _check_pair(row, other, note)
    hidden = _hidden(row, above)
    if not _says_news(row, hidden, effects):
        among = (row,) if hidden is None else (row, hidden)
        if not any(allowance.is_merged(switch, topic, one.entry.in_port, one.dz) for one in among):
            same = named(hidden.entry) if hidden is not None else "no entry"
            note("redundant", f"entry {named(row.entry)} has the same effect as {same}")


def _check_pair(row: LintRow, other: LintRow, note: Callable[[str, str], None]) -> None:
    """Compare an entry with one that covers it, if both match packets of one ingress port."""
    entry, over = row.entry, other.entry
    if entry.in_port is not None and over.in_port is not None and entry.in_port != over.in_port:
        return
    if over.key == entry.key:
        note("ambiguous", f"entry {named(entry)} exists twice")
    elif over.priority == entry.priority:
        note("ambiguous", f"entries {named(over)} and {named(entry)} have the same priority {entry.priority}")
    elif (over.priority > entry.priority) != _wins(other, row):
        low, high = (entry, over) if _wins(row, other) else (over, entry)
        note(
            "priority",
            f"entry {named(high)} has a higher priority than {named(low)}, but needs a lower one",
        )


def _repeated(copies: list[Copy]) -> list[Copy]:
    """Return the outputs that an entry has more than once, even if no host gets the copies."""
    if len({*copies}) == len(copies):
        return []
    return [output for output, count in Counter(copies).items() if count > 1]


def _wins(a: LintRow, b: LintRow) -> bool:
    """Whether `a` must win over `b`, which it overlaps."""
    if (a.entry.in_port is None) != (b.entry.in_port is None):
        return a.entry.in_port is not None
    return length(a.dz) > length(b.dz)


def _says_news(row: LintRow, hidden: LintRow | None, effects: Effects) -> bool:
    """Whether the effect of an entry differs from that of the entry it hides."""
    port = row.entry.in_port
    return effects.of(row.entry, port) != (effects.of(hidden.entry, port) if hidden is not None else [])


def _hidden(row: LintRow, above: list[LintRow]) -> LintRow | None:
    """Return the entry that packets match without this one."""
    port = row.entry.in_port
    found = None
    for other in above:
        if other.entry.in_port in (None, port) and (
            found is None or other.entry.priority > found.entry.priority
        ):
            found = other
    return found


def effect(entry: Entry, port: int | None) -> list[Copy]:
    """Return the copies that an entry makes of packets from `port`: ports with new destinations.

    None as `port` means any port.
    """
    copies: list[Copy] = []
    rewritten = ""
    for action in entry.actions:
        if isinstance(action, SetDst):
            rewritten = action.host
        elif action.port != port:
            copies.append((str(action.port), rewritten))
    return sorted(copies)


def named(entry: Entry) -> str:
    """Return the name of an entry in findings."""
    return entry.dst if entry.in_port is None else f"{entry.dst} from port {entry.in_port}"
