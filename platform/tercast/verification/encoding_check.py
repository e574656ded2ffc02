"""Check that a set of dz covers a filter, by halving as specified, without the encoder."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.eventspace.dz import WHOLE, Dz, DzSet, covers
from tercast.filters.filter import Filter

Span = tuple[int, int]
"""First and last index."""

_Spans = dict[int, list[Span]]


def missing(filter_: Filter, cells: DzSet) -> Iterator[Dz]:
    """Yield, in order, the cells outside a canonical set that overlap the filter.

    Each bit halves the next attribute in turn. An attribute with a single index left is skipped. If no
    attribute can be halved, addresses continue with zeros, and no event is on the right.
    """
    topic = filter_.topic
    turns = topic.indexed_positions
    terms = _terms(filter_)
    whole = {position: (0, topic.attributes[position].size - 1) for position in turns}
    waiting: list[tuple[Dz, DzSet, dict[int, Span], int, int]] = [(WHOLE, cells, whole, 0, turns[0])]
    while waiting:
        dz, inside, sides, turn, cut = waiting.pop()
        if not inside:
            if _touches(terms, sides, cut):
                yield dz
            continue
        if inside[0] == dz:
            continue
        left = tuple(cell for cell in inside if covers(dz << 1, cell))
        right = inside[len(left) :]
        place = _next_turn(turns, turn, sides)
        if place is None:
            waiting.append((dz << 1, left, sides, turn, cut))
            continue
        position, turn = turns[place], (place + 1) % len(turns)
        low, high = sides[position]
        middle = low + (high - low + 1) // 2
        waiting.append((dz << 1 | 1, right, {**sides, position: (middle, high)}, turn, position))
        waiting.append((dz << 1, left, {**sides, position: (low, middle - 1)}, turn, position))


def _next_turn(turns: tuple[int, ...], turn: int, sides: dict[int, Span]) -> int | None:
    """Return the index in `turns` of the attribute to halve next; None if there is none."""
    for step in range(len(turns)):
        place = (turn + step) % len(turns)
        low, high = sides[turns[place]]
        if low < high:
            return place
    return None


def _terms(filter_: Filter) -> list[_Spans]:
    """Convert each term to the indexes that its tests match, for the attributes that it tests."""
    attributes = filter_.topic.attributes
    terms: list[_Spans] = []
    for term in filter_.terms:
        spans = {
            position: [attributes[position].cells(interval) for interval in held] for position, held in term
        }
        terms.append(
            {position: [span for span in met if span[0] <= span[1]] for position, met in spans.items()}
        )
    return terms


def _touches(terms: list[_Spans], sides: dict[int, Span], cut: int) -> bool:
    """Whether a term overlaps a box; the attribute `cut` was halved last and usually decides."""
    for term in terms:
        if cut in term and not _overlaps(term[cut], sides[cut]):
            continue
        for position, spans in term.items():
            if position in sides and not _overlaps(spans, sides[position]):
                break
        else:
            return True
    return False


def _overlaps(spans: list[Span], side: Span) -> bool:
    low, high = side
    for first, last in spans:  # noqa: SIM110 - a generator would take most of the time
        if first <= high and last >= low:
            return True
    return False
