"""Tables for the lookup of many events: each is a sorted partition of the event space.

All rules of a topic, at all switches, divide the space into *atoms*. Within an atom no table distinguishes
events. A table is the list of points where another rule starts to win. For a batch, only the atoms of its
events matter: each table becomes a line of winning rules, and a lookup is an index into it.

The rules of one switch have numbers such that the higher number wins of two that match: by priority, and for
equal priorities the shorter prefix, then the earlier rule. Rules with an `in_port` form separate tables. They
are looked up in addition to the plain ones, and again the higher number wins.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercast.eventspace.dz import Dz
from tercast.simulation.port_index import PortIndex, ShortInts
from tercast.tables.entries import Action

LookupColumn = npt.NDArray[Any]
"""Points of the event space: numbers, or bytes if they have more than 63 bits."""

_NO_RULE = 0


class LookupRule(NamedTuple):
    """One entry of a topic's table: `actions` for events of `dz` (from `in_port` if it is set)."""

    dz: Dz
    in_port: int | None
    priority: int
    actions: tuple[Action, ...]


class Lookup:
    """The tables of one topic, given as rules by switch.

    Lines are tables: first those of the switches, in their order, then those of gates with own rules, then an
    empty one. `own[gate]` is the line of a gate's own rules. `effect[rule]` is the number of a rule's effect,
    which is a list of outputs. Its outputs are `first[effect]` to `first[effect + 1]`, with their `port`, far
    gate (`onward`) and `host` as in `PortIndex.outputs`.
    """

    def __init__(self, rules: Mapping[str, Iterable[LookupRule]], wiring: PortIndex) -> None:
        known = {switch: _by_rank(rules.get(switch, ())) for switch in wiring.switches}
        self.width = max((rule.dz.bit_length() - 1 for own in known.values() for rule in own), default=0)
        effects = _RuleEffects(wiring)
        lines: list[LookupLine] = []
        gated: list[LookupLine] = []
        self.own = np.full(len(wiring.ports), -1, dtype=np.int32)
        for switch, ranked in known.items():
            tables = self._tables(ranked, effects.add(switch, ranked))
            lines.append(tables.pop(None, ([], [])))
            for port, line in tables.items():
                gate = wiring.gates.get((switch, port or 0))
                if gate is not None:
                    self.own[gate] = len(known) + len(gated)
                    gated.append(line)
        self.lines = [*lines, *gated, ([], [])]
        self.own[self.own < 0] = len(self.lines) - 1
        self.effect, self.first = effects.of_rules(), effects.firsts()
        self.port, self.onward, self.host = effects.columns()
        self._index()

    def atoms(self, points: LookupColumn) -> ShortInts:
        """Return the atom of each point (see `column`)."""
        return np.searchsorted(self._points, points, side="right").astype(np.int32) - 1

    def winners(self, atoms: ShortInts) -> tuple[ShortInts, ShortInts]:
        """Return the winning rules (lines, columns) in a batch's atoms, and each event's column."""
        here = np.zeros(len(self._points) + 1, dtype=np.int32)
        here[atoms + 1] = 1
        before = np.cumsum(here, dtype=np.int32)
        columns = int(before[-1])
        starts = before[self._starts]
        counts = np.diff(np.append(starts, columns))
        counts[self._last] = columns - starts[self._last]
        table = np.repeat(self._winners, counts).reshape(len(self.lines), columns)
        return table, before[atoms]

    def _tables(self, ranked: Sequence[LookupRule], lowest: int) -> dict[int | None, LookupLine]:
        """Return the lines of a switch: one for its plain rules, and one for each `in_port`."""
        spans: dict[int | None, list[tuple[int, int, int]]] = {}
        width = self.width
        for number, (dz, in_port, _, _) in enumerate(ranked, lowest):
            length = dz.bit_length() - 1
            spans.setdefault(in_port, []).append(((dz ^ 1 << length) << width - length, length, number))
        return {in_port: _partition(sorted(own), width) for in_port, own in spans.items()}

    def _index(self) -> None:
        """Number the atoms, and find for each line the atoms at which it changes."""
        width, lines = self.width, self.lines
        columns = [column([0, *starts] if not starts or starts[0] else starts, width) for starts, _ in lines]
        winners = [
            np.array([_NO_RULE, *numbers] if not starts or starts[0] else numbers, dtype=np.int32)
            for starts, numbers in lines
        ]
        points = np.concatenate(columns)
        self._points, self._starts = np.unique(points, return_inverse=True)
        self._winners = np.concatenate(winners)
        self._last = np.cumsum([len(line) for line in winners]) - 1


LookupLine = tuple[list[int], list[int]]
"""Changes of a table: points in order, and the number of the rule that wins from each point on."""


def column(points: Sequence[int], width: int) -> LookupColumn:
    """Convert points of `width` bits to an array in which they compare correctly."""
    if width <= 63:
        return np.array(points, dtype=np.uint64)
    size = -(-width // 8)
    return np.array([point.to_bytes(size, "big") for point in points], dtype=f"S{size}")


def _by_rank(rules: Iterable[LookupRule]) -> list[LookupRule]:
    """Sort rules by the order in which they win, the weakest first."""
    listed = list(rules)
    listed.reverse()
    listed.sort(key=lambda rule: (rule.priority, -rule.dz.bit_length()))
    return listed


def _partition(spans: Iterable[tuple[int, int, int]], width: int) -> LookupLine:
    """Find the points where another rule starts to win.

    Args:
        spans: start, length of the prefix, and number of each rule, in order.
        width: the length of a point in bits.
    """
    points: list[int] = []
    winners: list[int] = []
    open_spans = [(1 << width + 1, _NO_RULE)]
    for start, length, number in spans:
        while open_spans[-1][0] <= start:
            _change_winner(points, winners, open_spans.pop()[0], open_spans[-1][1])
        wins = max(number, open_spans[-1][1])
        _change_winner(points, winners, start, wins)
        open_spans.append((start + (1 << width - length), wins))
    while len(open_spans) > 1:
        _change_winner(points, winners, open_spans.pop()[0], open_spans[-1][1])
    if points and points[-1] >> width:
        points.pop()
        winners.pop()
    return points, winners


def _change_winner(points: list[int], winners: list[int], point: int, number: int) -> None:
    """Record that another rule wins from `point` on."""
    if points and points[-1] == point:
        winners[-1] = number
    else:
        points.append(point)
        winners.append(number)


class _RuleEffects:
    """The effects of rules, each listed once."""

    def __init__(self, wiring: PortIndex) -> None:
        self._wiring = wiring
        self._numbers: dict[tuple[str, tuple[int, ...]], int] = {}
        self._of_rule: list[int] = [0]
        self._counts: list[int] = [0]
        self._outputs: list[tuple[int, int, int]] = []

    def add(self, switch: str, ranked: Sequence[LookupRule]) -> int:
        """Add the rules of a switch; return the number of the first one."""
        lowest = len(self._of_rule)
        for rule in ranked:
            actions = rule.actions
            key = switch, tuple(map(id, actions))  # all actions are referenced, so ids are unique
            number = self._numbers.get(key)
            if number is None:
                number = self._numbers[key] = len(self._counts)
                outputs = self._wiring.outputs(switch, actions)
                self._counts.append(len(outputs))
                self._outputs += outputs
            self._of_rule.append(number)
        return lowest

    def of_rules(self) -> ShortInts:
        """Return the effect of every rule."""
        return np.array(self._of_rule, dtype=np.int32)

    def firsts(self) -> npt.NDArray[np.int64]:
        """Return the first output of every effect, and the total number as last element."""
        return np.concatenate(([0], np.cumsum(self._counts)))

    def columns(self) -> tuple[npt.NDArray[np.int64], ShortInts, ShortInts]:
        """Return ports, far gates and hosts of all outputs."""
        rows = np.array(self._outputs, dtype=np.int64).reshape(-1, 3)
        return rows[:, 0].copy(), rows[:, 1].astype(np.int32), rows[:, 2].astype(np.int32)
