"""Partial merge: if no whole subtree may be merged, merge below a point and keep exceptions.

In the papers, trees do not have different links, so no merges are forbidden. This step follows LA, so that
fewer requests fail because of nested trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from tercast.aggregation.incremental.cover_node import CoverCells
from tercast.aggregation.incremental.cover_repair import saves
from tercast.aggregation.incremental.installed_table import InstalledTable, Undo
from tercast.aggregation.incremental.merge_points import common
from tercast.routing.cell_keys import NONE, Key
from tercast.routing.switch_ports import PortMask


def merge_partially(table: InstalledTable) -> tuple[Undo, int] | None:
    """Merge a part below the lowest possible point; return the undo and the saved entries."""
    for point in table.start_points().forbidden():
        members = table.within(point)
        if all(common(table.order, a, b) != point for a, b in pairwise(members)):
            continue  # an outdated merge point
        for kept in _exception_sets(table, point, members):
            cover = _enclosing_cover(table, point, members, kept)
            built = table.exact.build(cover)
            saved = len(table.within(cover[0])) - len(built)
            top = next(node for key, node in built if key == cover[0])
            obeys = all(node is not None and table.rule.holds(key, node) for key, node in built)
            if saved > 0 and obeys and top is not None and saves(top):
                return table.replace_cell(cover[0], built), saved
    return None


def _exception_sets(table: InstalledTable, point: Key, members: list[Key]) -> Iterator[set[Key]]:
    """Yield sets of possible exceptions.

    One set has the entries that not every tree allows. Each other set has the space of all trees except those
    with the same links: an entry for the space of such trees is always allowed.
    """
    edges, links = table.rule.edges(point), table.rule.links
    allowed = ~links
    if edges:
        allowed |= links & _all(edges.values())
    stay = {key for key in members if (table.value(key) or 0) & ~allowed} - {point}
    if len(stay) + 1 < len(members):
        yield stay
    apart = [{cell for cell, mask in edges.items() if mask != some} for some in {*edges.values()}]
    for others in sorted(apart, key=lambda cells: (len(cells), sorted(cells))):
        if len(others) + 1 < len(members):
            yield others


def _all(masks: Iterable[PortMask]) -> PortMask:
    found = -1
    for mask in masks:
        found &= mask
    return found


def _enclosing_cover(table: InstalledTable, point: Key, members: list[Key], kept: set[Key]) -> CoverCells:
    """The cover of a point with its exceptions, or the cover around the point with these in it."""
    top = table.top(members[0]) if members[0] in table.nodes else NONE
    if top in (NONE, point) or not table.order.covers(top, point):
        return point, tuple(sorted(kept))
    return top, tuple(sorted((set(table.kept(top)) - set(members)) | kept | {point}))
