"""Encoding of filters in an event space with cuts.

The filter's terms descend the cut tree. A branch that a term covers is a cell. In a leaf, the terms become
parts of a grid, and halving continues. Cells are measured by weight: the events that the leaves had in the
past, spread evenly over a leaf, with a trace for volume. So at the limit, the selection of cells keeps the
number of false positives low, and not the excess volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tercast.encoding.cell_node import Cell
from tercast.encoding.cell_selection import chosen
from tercast.encoding.grid_boxes import Part, Side, joined_side, make_part
from tercast.encoding.refinement import Parts, is_exact, smallest
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.cut_space import Branch, CutSpace, LeafSpace
from tercast.eventspace.dz import Dz, joined
from tercast.filters.place_terms import PlaceTerm

_BRANCH = -1
"""`rest` of a cell that is a whole branch."""

_BOX = -2
"""`rest` of a cell with one term of a leaf, in `parts`; it becomes a cell of the grid when it is needed."""


def refine_in_cuts(space: CutSpace, terms: Sequence[PlaceTerm], limit: int) -> list[Cell]:
    """Return at most `limit` disjoint cells, in text order, that contain all of the terms.

    If the limit is large enough, the cells are the canonical set of all full-length dz that overlap the
    filter.
    """
    descent = _Descent(space)
    root = descent.on_grid(descent.met(terms))
    root.parent = None
    return chosen(_CutParts(descent, root, limit), limit)


def cut_terms(
    terms: Sequence[PlaceTerm], branch: Branch, attributes: Sequence[Attribute]
) -> tuple[list[PlaceTerm], list[PlaceTerm]]:
    """The parts of terms on both sides of a cut, without tests that every value passes."""
    node = branch.cut
    assert node is not None
    a, place = node.attribute, node.place
    low, high = branch.region[a]
    snapped = attributes[a].snapped
    left, right = [], []
    for term in terms:
        spans = term.get(a)
        if spans is None:
            left.append(term)
            right.append(term)
            continue
        for out, side, first, end in (
            (left, tuple((x, min(y, place)) for x, y in spans if x < place), low, place),
            (right, tuple((max(x, place), y) for x, y in spans if y > place), place, high),
        ):
            if len(side) == 1 and side[0][0] <= first and snapped(side[0][1]) >= end:
                out.append({position: other for position, other in term.items() if position != a})
            elif side:
                out.append({**term, a: side})
    return left, right


def dz_in_cuts(cell: Cell) -> Dz:
    """The dz of a cell."""
    branch = cell.branch
    if cell.rest == _BRANCH or branch.leaf is None:
        return branch.dz
    return joined(branch.dz, branch.leaf.schedule.dz(cell.code, cell.rest, cell.codes))


def share_in_cuts(cell: Cell) -> Fraction:
    """The cell's share of the event space, by the attributes that are indexed or cut."""
    return cell.branch.share * Fraction(cell.volume, cell.branch.weight)


class _Descent:
    """The descent of a filter's terms to the leaves."""

    def __init__(self, space: CutSpace) -> None:
        self.space = space
        self.exact = True

    def met(self, terms: Sequence[PlaceTerm]) -> Cell:
        """The smallest cell with all of the terms."""
        waiting: list[tuple[Branch, Sequence[PlaceTerm]]] = [(self.space.root, terms)]
        found: dict[Branch, Cell] = {}
        order = []
        while waiting:
            branch, held = waiting.pop()
            if not all(held):  # a term without tests covers the branch
                found[branch] = _whole(branch)
            elif branch.cut is None:
                found[branch] = self._in_leaf(branch, held)
            else:
                order.append(branch)
                left, right = cut_terms(held, branch, self.space.attributes)
                waiting += [pair for pair in ((branch.right, right), (branch.left, left)) if pair[1]]
        for branch in reversed(order):
            left_cell, right_cell = found.get(branch.left), found.get(branch.right)
            found[branch] = (
                _joined(branch, left_cell, right_cell)
                if left_cell and right_cell
                else left_cell or right_cell  # type: ignore[assignment]
            )
        return found[self.space.root]

    def on_grid(self, cell: Cell) -> Cell:
        """Return the cell, shrunk to its part of the filter."""
        return self._shrunk(cell.branch, cell.parts) if cell.rest == _BOX else cell  # type: ignore[arg-type]

    def _in_leaf(self, branch: Branch, terms: Sequence[PlaceTerm]) -> Cell:
        """The cell of a leaf with the terms: shrunk now if there are several."""
        leaf = branch.leaf
        if leaf is None or not leaf.splits:
            return _whole(branch)
        if len(terms) > 1 or not leaf.complete:
            return self._shrunk(branch, terms)
        cell = Cell(0, _BOX, branch.weight, self._volume(leaf, terms[0]) * leaf.unit, terms)  # type: ignore[arg-type]
        cell.branch = branch
        return cell

    def _volume(self, leaf: LeafSpace, term: PlaceTerm) -> int:
        """The number of points of a leaf's grid that a term overlaps."""
        volume = 1
        for section, position in zip(leaf.sections, self.space.indexed, strict=True):
            spans = term.get(position)
            if spans is None:
                volume *= section.size
            else:
                volume *= _points([section.cells(low, high) for low, high in spans])
        return volume

    def _shrunk(self, branch: Branch, terms: Sequence[PlaceTerm]) -> Cell:
        """The smallest cell of a leaf with the terms."""
        leaf = branch.leaf
        assert leaf is not None
        parts = [self._part(leaf, term) for term in terms]
        cell = _weighed(smallest(leaf.schedule, parts, len(parts) == 1, None), branch)
        self.exact = self.exact and is_exact(leaf.schedule, cell)
        return cell

    def _part(self, leaf: LeafSpace, term: PlaceTerm) -> Part:
        sides: list[Side] = []
        schedule = leaf.schedule
        for a, position in enumerate(self.space.indexed):
            spans = term.get(position)
            if spans is None:
                sides.append(schedule.whole_sides[a])
                continue
            section, halving = leaf.sections[a], schedule.halvings[a]
            ranges = [section.cells(low, high) for low, high in spans]
            sides.append(
                joined_side(halving, [(halving.code(first), halving.code(last)) for first, last in ranges])
            )
        return make_part(schedule, tuple(sides))


class _CutParts(Parts):
    """The refinement below a cell; the halves of a branch are known, and are in its `parts`."""

    __slots__ = ("descent",)

    def __init__(self, descent: _Descent, root: Cell, limit: int) -> None:
        super().__init__(None, root, limit, descent.exact)
        self.descent = descent

    def split(self, cell: Cell) -> None:
        """Take the halves of a branch, or cut the parts of a cell of a leaf."""
        if cell.rest == _BRANCH:
            cell.left, cell.right = map(self.descent.on_grid, cell.parts)  # type: ignore[arg-type]
            cell.left.parent = cell.right.parent = cell
            return
        branch = cell.branch
        assert branch.leaf is not None
        left, right = self.halves(branch.leaf.schedule, cell)
        cell.left, cell.right = _weighed(left, branch), _weighed(right, branch)


def _weighed(cell: Cell, branch: Branch) -> Cell:
    """A cell of a leaf with its weights in place of volumes."""
    assert branch.leaf is not None
    cell.volume *= branch.leaf.unit
    cell.met *= branch.leaf.unit
    cell.branch = branch
    return cell


def _whole(branch: Branch) -> Cell:
    cell = Cell(0, _BRANCH, branch.weight, branch.weight, ())
    cell.branch = branch
    cell.disjoint = True
    return cell


def _joined(branch: Branch, left: Cell, right: Cell) -> Cell:
    """The cell of a branch whose halves both have a part of the filter."""
    cell = Cell(0, _BRANCH, branch.weight, left.met + right.met, ())
    cell.branch = branch
    cell.disjoint = True
    cell.parts = (left, right)  # type: ignore[assignment]
    return cell


def _points(ranges: Sequence[tuple[int, int]]) -> int:
    """The number of indexes in ascending ranges, which may overlap in their ends."""
    points, end = 0, -1
    for first, last in ranges:
        points += max(0, last - max(first - 1, end))
        end = max(end, last)
    return points
