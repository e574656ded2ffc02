"""Whose events cross a switch or a link, by the trees that carry them."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator

from controlplane.explain.impact.groups import Deadline, Group, grouped
from controlplane.explain.impact.question import Cut
from tercast.eventspace.dz import intersection, set_overlaps
from tercast.planner.planner import Planner
from tercast.requests.outcome import TreeView
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION, Registration
from tercast.topology.elements import LinkEnds

SELF = "the switch itself"

Crossing = tuple[int, dict[str, Registration]]


def crossing(planner: Planner, cut: Cut, deadline: Deadline) -> Crossing:
    """How many trees the cut goes through, and the announcements whose events cross it, by id."""
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
    ads: Iterable[Group], subs: Iterable[Group], tree: TreeView, deadline: Deadline
) -> Iterator[tuple[Group, Group]]:
    """Groups on two sides of the cut (or at the switch that goes) that share events of the tree."""
    for ad in ads:
        sent = intersection(ad[0], tree.dz)
        for sub in subs:
            if deadline.over():
                return
            if (ad[1] != sub[1] or ad[1] == SELF) and set_overlaps(sent, sub[0]):
                yield ad, sub


def _placed(
    planner: Planner, tree: TreeView, kind: str, sides: dict[str, Hashable]
) -> dict[Group, list[Registration]]:
    """The live announcements of the tree's topic, by dz set and side; what is not on the tree is left out."""
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
    """Whether the edge goes."""
    a, a_port, b, b_port = edge
    if cut.port is None:
        return cut.switch in (a, b)
    return (cut.switch, cut.port) in ((a, a_port), (b, b_port))


def _sides(tree: TreeView, cut: Cut) -> dict[str, Hashable]:
    """The part of the tree that each switch is in, once it is cut."""
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
        for switch in part:  # grows
            sides.setdefault(switch, start)
            part += [other for other in near[switch] if other not in sides]
    if cut.port is None:
        sides[cut.switch] = SELF
    return sides
