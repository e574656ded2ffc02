"""Node of the tree of cells during the refinement of a filter."""

from __future__ import annotations

from collections.abc import Sequence

from tercast.encoding.grid_boxes import Part
from tercast.eventspace.cut_space import Branch
from tercast.eventspace.dz import Dz
from tercast.eventspace.interleaving import BitSchedule


class Cell:
    """A cell with parts of a filter: the first `width - rest` bits of the interleaved `code`.

    `volume` is the volume of the cell, `met` the volume of the filter in it. `met` is an estimate if the
    parts are many and overlap, but it is less than `volume` unless the cell is known to be full. If sizes are
    not powers of two, `codes` are the attributes' codes of one of its points. `least[n - 1]` is the least
    volume with n cells. `branch` is set only in a space with cuts (see `tercast.encoding.cut_refinement`).
    """

    __slots__ = (
        "branch",
        "code",
        "codes",
        "disjoint",
        "least",
        "left",
        "met",
        "parent",
        "parts",
        "rest",
        "right",
        "tried",
        "volume",
    )

    branch: Branch
    disjoint: bool
    least: list[int]
    left: Cell | None
    parent: Cell | None
    right: Cell
    tried: int

    def __init__(
        self, code: int, rest: int, volume: int, met: int, parts: Sequence[Part], *, codes: Sequence[int] = ()
    ) -> None:
        self.code = code
        self.rest = rest
        self.volume = volume
        self.met = met
        self.parts = parts
        self.codes = codes
        self.left = None


def dz_of(schedule: BitSchedule, cell: Cell) -> Dz:
    """The dz of a cell."""
    if not schedule.phantoms:
        return 1 << schedule.width - cell.rest | cell.code >> cell.rest
    return schedule.dz(cell.code, cell.rest, cell.codes)
