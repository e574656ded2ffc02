"""Announcements whose events cross a switch or a link, by the trees that carry them."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator

from controlplane.explain.impact.groups import CellGroup, Deadline, grouped
from controlplane.explain.impact.question import Cut
from tercast.eventspace.dz import intersection, set_overlaps
from tercast.planner.planner import Planner
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.topology.elements import LinkEnds

SELF = "the switch itself"


def crossing(planner: Planner, cut: Cut, deadline: Deadline) -> tuple[int, dict[str, Registration]]:
    """Return the number of cut trees, and the announcements whose events cross the cut, by id."""
    found: dict[str, Registration] = {}
    trees = [tree for tree in planner.trees() if _touches(tree, cut)]
    for tree in trees:
        sides = _sides(tree, cut)
        kinds = {kind: _placed(planner, tree, kind, sides) for kind in (ADVERTISEMENT, SUBSCRIPTION)}
        ads, subs = kinds[ADVERTISEMENT], kinds[SUBSCRIPTION]
        for ad, sub in _pairs(ads, subs, tree, deadline):
            found |= {one.id: one for one in (*ads[ad], *subs[sub])}
    return len(trees), found


def _pairs(
    ads: Iterable[CellGroup], subs: Iterable[CellGroup], tree: TreeView, deadline: Deadline
) -> Iterator[tuple[CellGroup, CellGroup]]:
    """Yield groups on two sides of the cut, or at the removed switch, that share events."""
    for ad in ads:
        sent = intersection(ad[0], tree.dz)
        for sub in subs:
            if deadline.over():
                return
            if (ad[1] != sub[1] or ad[1] == SELF) and set_overlaps(sent, sub[0]):
                yield ad, sub


def _placed(
    planner: Planner, tree: TreeView, kind: str, sides: dict[str, Hashable]
) -> dict[CellGroup, list[Registration]]:
    """Return the active announcements of the tree's topic on the tree, by dz set and side."""
    rows: list[tuple[Registration, Hashable]] = []
    for one in planner.registry.live.values():
        if one.kind == kind and one.topic == tree.topic:
            place = planner.topology.live_attachment(one.host)
            if place is not None and place.switch in sides:
                rows.append((one, sides[place.switch]))
    return grouped(rows)


def _touches(tree: TreeView, cut: Cut) -> bool:
    return (cut.port is None and cut.switch == tree.root) or any(_cuts(cut, edge) for edge in tree.edges)


def _cuts(cut: Cut, edge: LinkEnds) -> bool:
    """Whether the cut removes the edge."""
    a, a_port, b, b_port = edge
    if cut.port is None:
        return cut.switch in (a, b)
    return (cut.switch, cut.port) in ((a, a_port), (b, b_port))


def _sides(tree: TreeView, cut: Cut) -> dict[str, Hashable]:
    """Return the part of the cut tree that each switch is in."""
    near: dict[str, list[str]] = defaultdict(list)
    near[tree.root] = []
    for a, a_port, b, b_port in tree.edges:
        near[a] += []
        near[b] += []
        if not _cuts(cut, (a, a_port, b, b_port)):
            near[a].append(b)
            near[b].append(a)
    sides: dict[str, Hashable] = {}
    for start in near:
        part = [start] if start not in sides else []
        for switch in part:  # the loop extends the list
            sides.setdefault(switch, start)
            part += [other for other in near[switch] if other not in sides]
    if cut.port is None:
        sides[cut.switch] = SELF
    return sides
