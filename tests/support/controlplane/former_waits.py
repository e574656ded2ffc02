"""Brute force for what requests wait for: each one is compared with every unconfirmed change.

The planner session worked like this before it had indexes; tests compare the two.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from controlplane.common.address_plan import address_plan
from controlplane.planning.unconfirmed import EventRegion, OutstandingChange, Unconfirmed
from controlplane.registry.models import Advertisement, Subscription
from controlplane.registry.transitions import stages
from controlplane.requestlog.kinds import ANNOUNCING, REMOVES_PART, WITHDRAWING
from controlplane.requestlog.models import Request, State
from tercast.eventspace import dz
from tercast.eventspace.dz import overlaps, set_overlaps
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, Registration


class BothLag(Unconfirmed):
    """The unconfirmed changes of a session, with the open ones of each request as plain sets."""

    def __init__(self) -> None:
        super().__init__()
        self.debts: dict[str, OutstandingChange] = {}

    def add(self, switch: str, debt: OutstandingChange) -> None:
        super().add(switch, debt)
        before = self.debts.get(switch, OutstandingChange())
        missing, left_over = before.missing | debt.missing, before.left_over | debt.left_over
        self.debts[switch] = OutstandingChange(
            missing, left_over, debt.reason, before.refused or debt.refused, debt.held
        )

    def lose(self, switch: str, reason: str) -> None:
        super().lose(switch, reason)
        self.debts[switch] = replace(
            self.debts.get(switch, OutstandingChange()), reason=reason, refused=False
        )

    def put(self, switch: str, debt: OutstandingChange) -> None:
        super().put(switch, debt)
        self.debts[switch] = debt

    def settle(self, switch: str) -> None:
        super().settle(switch)
        self.debts.pop(switch, None)

    def concerns_plainly(self, switch: str, region: EventRegion | None) -> bool:
        debt = self.debts.get(switch)
        if debt is None:
            return False
        return region is None or _touches(region, debt.missing) or _touches(region, debt.left_over)

    def held_plainly(self, dsts: Iterable[str], silent: Iterable[str]) -> set[str]:
        wanted = [self.debts[name].missing for name in silent if name in self.debts]
        return {dst for dst in dsts if any(_touches(_region(dst), missing) for missing in wanted)}

    def held_up_plainly(self) -> list[str]:
        return [
            name for name, debt in self.debts.items() if debt.held or (debt.left_over and not debt.missing)
        ]


def _region(dst: str) -> EventRegion:
    code, cell = address_plan().parse_match(dst)
    return EventRegion(code, (cell,))


def _touches(region: EventRegion, dsts: Iterable[str]) -> bool:
    for dst in dsts:
        other = _region(dst)
        if region.code | 1 == other.code | 1 and any(overlaps(a, other.dz[0]) for a in region.dz):
            return True
    return False


@dataclass(frozen=True)
class Stake:
    region: EventRegion | None
    switches: frozenset[str]

    def waits(self, unconfirmed: BothLag, among: Iterable[str]) -> list[str]:
        return sorted(
            name
            for name in among
            if name in self.switches and unconfirmed.concerns_plainly(name, self.region)
        )


def stakes(rows: Iterable[Request], planner: Planner) -> dict[int, Stake]:
    return {row.pk: _stake(row, planner) for row in rows}


def _stake(row: Request, planner: Planner) -> Stake:
    own = frozenset(row.switches)
    if row.kind in WITHDRAWING:
        return Stake(_withdrawn(row), own)
    live = planner.registry.live.get(str(row.payload.get("id"))) if row.kind in ANNOUNCING else None
    if live is None:
        return Stake(None, own)
    return Stake(EventRegion(planner.topics[live.topic].code, live.dz), own | _ways(live, planner))


def _withdrawn(row: Request) -> EventRegion | None:
    model = Advertisement if row.kind == "unadvertise" else Subscription
    name = str(row.payload.get("id"))
    found = (
        model.objects.filter(pk=int(name[1:])).select_related("topic").first() if name[1:].isdigit() else None
    )
    if found is None or not found.dz or found.topic.reindexing_id is not None:
        return None
    return EventRegion(found.topic.code, tuple(map(dz.parse, found.dz)))


def _ways(one: Registration, planner: Planner) -> frozenset[str]:
    start = _switch(one.host, planner)
    if start is None:
        return frozenset()
    registry = planner.registry
    others = registry.subscriptions if one.kind == ADVERTISEMENT else registry.advertisements
    ends = {_switch(o.host, planner) for o in others(one.topic) if set_overlaps(o.dz, one.dz)} - {None}
    found = {start}
    for tree in planner.trees():
        if tree.topic == one.topic and set_overlaps(tree.dz, one.dz):
            found |= _between(tree.edges, start, ends)
    return frozenset(found)


def _switch(host: str, planner: Planner) -> str | None:
    place = planner.topology.live_attachment(host)
    return None if place is None else place.switch


def _between(edges, start, ends) -> set[str]:
    near = defaultdict(list)
    for a, _, b, _ in edges:
        near[a].append(b)
        near[b].append(a)
    came, order = {start: start}, [start]
    for switch in order:
        for other in near[switch]:
            if other not in came:
                came[other] = switch
                order.append(other)
    found = {start}
    for end in ends:
        switch = end if end in came else start
        while switch not in found:
            found.add(switch)
            switch = came[switch]
    return found


def decided(
    rows: Iterable[Request], touched: Iterable[str], unconfirmed: BothLag, planner: Planner
) -> dict[int, list[str]]:
    """Return what requests that are being decided wait for, by id."""
    rows = list(rows)
    needs = stakes(rows, planner)
    leaving = {row.pk: {row.payload["switch"]} if row.kind == "remove_switch" else set() for row in rows}
    return {
        row.pk: sorted(
            {*touched, *needs[row.pk].waits(unconfirmed, list(unconfirmed.debts))} - leaving[row.pk]
        )
        for row in rows
    }


def finished(unconfirmed: BothLag, planner: Planner) -> dict[int, list[str] | None]:
    """Return what each deploying request waits for after a check of all, by id; None if it is active."""
    for name in list(unconfirmed.debts):
        if name not in planner.topology.switches:
            del unconfirmed.debts[name]
    rows = list(Request.objects.filter(state=State.DEPLOYING).order_by("position"))
    held_up = [row for row in rows if any(name in unconfirmed.debts for name in row.waits_for)]
    needs, moving = stakes(held_up, planner), stages.with_open_moves()
    found: dict[int, list[str] | None] = {}
    removals = []
    for row in rows:
        waits = needs[row.pk].waits(unconfirmed, row.waits_for) if row.pk in needs else []
        if not waits and row.pk not in moving and not (row.kind == "remove_switch" and removals):
            found[row.pk] = None
            continue
        found[row.pk] = waits
        if row.kind in REMOVES_PART:
            removals.append(row)
    return found
