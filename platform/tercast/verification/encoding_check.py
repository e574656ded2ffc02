"""Check that a set of dz covers a filter, by cuts and halving, without the encoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tercast.eventspace.cut_tree import Leaf, Region, whole_region
from tercast.eventspace.dz import WHOLE, Dz, DzSet, covers
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.filters.place_terms import PlaceTerm, place_terms

Span = tuple[int, int]
"""First and last index."""

_SpansByAttribute = dict[int, list[Span]]


def missing(filter_: Filter, cells: DzSet) -> Iterator[Dz]:
    """Yield, in order, the cells outside a canonical set that overlap the filter.

    The first bits follow the cuts of the topic. Then each bit halves the next attribute in turn. An attribute
    with a single index left is skipped. If no attribute can be halved, addresses continue with zeros, and no
    event is on the right.
    """
    topic = filter_.topic
    turns = topic.indexed_positions
    if topic.cuts:
        yield from _missing_with_cuts(filter_, cells)
        return
    whole = {position: (0, topic.attributes[position].size - 1) for position in turns}
    yield from _missing_below(WHOLE, cells, whole, turns, _terms(filter_))


def _missing_with_cuts(filter_: Filter, cells: DzSet) -> Iterator[Dz]:
    """Yield the missing cells of a topic with cuts: follow the tree, then halve in each leaf."""
    topic = filter_.topic
    terms = place_terms(filter_, topic.attributes, topic.coded_positions)
    waiting: list[tuple[Dz, DzSet, Region, int]] = [(WHOLE, cells, whole_region(topic.attributes), 0)]
    while waiting:
        dz, inside, region, number = waiting.pop()
        held = [term for term in terms if _reaches(term, region)]
        if not held or (inside and inside[0] == dz):
            continue
        if not inside:
            yield dz
            continue
        node = topic.cuts.nodes[number]
        left = tuple(cell for cell in inside if covers(dz << 1, cell))
        if isinstance(node, Leaf):
            yield from _missing_in_leaf(topic, dz, inside, region, held)
            continue
        low, high = region[node.attribute]
        before, after = region[: node.attribute], region[node.attribute + 1 :]
        right = inside[len(left) :]
        waiting.append((dz << 1 | 1, right, (*before, (node.place, high), *after), node.right))
        waiting.append((dz << 1, left, (*before, (low, node.place), *after), node.left))


def _reaches(term: PlaceTerm, region: Region) -> bool:
    """Whether a term overlaps a region."""
    return all(
        any(low < region[position][1] and high > region[position][0] for low, high in spans)
        for position, spans in term.items()
    )


def _missing_in_leaf(
    topic: Topic, dz: Dz, cells: DzSet, region: Region, terms: Sequence[PlaceTerm]
) -> Iterator[Dz]:
    """Yield the missing cells of a leaf: the same halving, of the places that reach the leaf."""
    turns = topic.indexed_positions
    sections = {position: topic.attributes[position].section(*region[position]) for position in turns}
    whole = {position: (0, section.size - 1) for position, section in sections.items()}
    spans: list[_SpansByAttribute] = []
    for term in terms:
        spans.append({})
        for position in turns:
            first, end = region[position]
            inside = [(max(low, first), min(high, end)) for low, high in term.get(position, ((first, end),))]
            met = [sections[position].cells(low, high) for low, high in inside if low < high]
            spans[-1][position] = [span for span in met if span[0] <= span[1]]
    yield from _missing_below(dz, cells, whole, turns, spans)


def _missing_below(
    root: Dz, cells: DzSet, whole: dict[int, Span], turns: tuple[int, ...], terms: list[_SpansByAttribute]
) -> Iterator[Dz]:
    """Yield the missing cells below a dz whose attributes have these first and last indexes."""
    waiting: list[tuple[Dz, DzSet, dict[int, Span], int, int]] = [(root, cells, whole, 0, turns[0])]
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


def _terms(filter_: Filter) -> list[_SpansByAttribute]:
    """Convert each term to the indexes that its tests match, for the attributes that it tests."""
    attributes = filter_.topic.attributes
    terms: list[_SpansByAttribute] = []
    for term in filter_.terms:
        spans = {
            position: [attributes[position].cells(interval) for interval in held] for position, held in term
        }
        terms.append(
            {position: [span for span in met if span[0] <= span[1]] for position, met in spans.items()}
        )
    return terms


def _touches(terms: list[_SpansByAttribute], sides: dict[int, Span], cut: int) -> bool:
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
