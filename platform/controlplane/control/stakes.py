"""What a request depends on: the events that it is about, and the switches whose tables it needs."""

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.control.lag import Lag, Region
from controlplane.control.models import Request
from controlplane.control.ways import Ways
from controlplane.registry.models import Advertisement, Subscription
from tercast import dz
from tercast.planner import Planner

ANNOUNCING = frozenset({"advertise", "subscribe"})
WITHDRAWING = frozenset({"unadvertise", "unsubscribe"})


@dataclass(frozen=True, slots=True)
class Stake:
    """A request waits for `switches` that lag in `region`; None is every event."""

    region: Region | None
    switches: frozenset[str]

    def waits(self, lag: Lag, among: Iterable[str]) -> list[str]:
        """Those of `among` that the request has to wait for, sorted."""
        return sorted(name for name in among if name in self.switches and lag.concerns(name, self.region))


def stakes(requests: Iterable[Request], planner: Planner) -> dict[int, Stake]:
    """What each request depends on, by its id.

    An announcement depends on the tables between its host and its counterparts, whoever had the entries put
    there. All other requests depend on what they changed themselves.
    """
    rows = list(requests)
    ways = Ways(planner)
    withdrawn = _withdrawn(rows, planner)
    return {row.pk: _stake(row, planner, ways, withdrawn) for row in rows}


def _stake(row: Request, planner: Planner, ways: Ways, withdrawn: dict[str, Region]) -> Stake:
    own = frozenset(row.switches)
    if row.kind in WITHDRAWING:
        return Stake(withdrawn.get(str(row.payload.get("id"))), own)
    live = planner.registry.live.get(str(row.payload.get("id"))) if row.kind in ANNOUNCING else None
    if live is None:
        return Stake(None, own)
    region = Region(planner.topics[live.topic].code, live.dz)
    return Stake(region, own | ways.of(live))


def _withdrawn(rows: Iterable[Request], planner: Planner) -> dict[str, Region]:
    """By the planner's id: what withdrawals are about."""
    names = {kind: [row.payload["id"] for row in rows if row.kind == kind] for kind in WITHDRAWING}
    found: list[Advertisement | Subscription] = [
        *Advertisement.objects.filter(pk__in=_keys(names["unadvertise"])).select_related("topic"),
        *Subscription.objects.filter(pk__in=_keys(names["unsubscribe"])).select_related("topic"),
    ]
    return {
        row.planner_id: Region(row.topic.code, tuple(map(dz.parse, row.dz)))
        for row in found
        if row.dz and row.topic.reindexing_id is None  # else it may have been encoded anew
    }


def _keys(names: Iterable[str]) -> list[int]:
    return [int(name[1:]) for name in names if name[1:].isdigit()]
