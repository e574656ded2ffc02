"""Dependencies of requests: their events, and the switches whose tables they need."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.common.chunks import chunks
from controlplane.planning.delivery_paths import DeliveryPaths
from controlplane.planning.deploying_requests import Waiter
from controlplane.planning.unconfirmed import EventRegion, Unconfirmed
from controlplane.registry.models import ANNOUNCEMENT_MODELS
from controlplane.requestlog.kinds import ANNOUNCING, WITHDRAWING
from tercast.eventspace import dz
from tercast.planner.planner import Planner
from tercast.requests.registry import Registration


@dataclass(frozen=True, slots=True)
class Dependency:
    """The switches that a request waits for, if they lag in `region` (None: any event).

    These are `own`, the switches whose tables the request changed itself. For a live announcement they
    include the switches that its events cross, regardless of which request caused the entries.
    """

    region: EventRegion | None
    own: frozenset[str]
    live: Registration | None = None

    def waits(self, unconfirmed: Unconfirmed, paths: DeliveryPaths, among: Iterable[str]) -> list[str]:
        """Return those of `among` that the request must wait for, sorted."""
        names = among if self.live is not None else self.own.intersection(among)
        found = unconfirmed.concerned(names, self.region)
        if self.live is not None and not self.own.issuperset(found):
            needed = self.own | paths.of(self.live)
            found = [name for name in found if name in needed]
        return sorted(found)


def find_dependencies(requests: Sequence[Waiter], planner: Planner) -> dict[int, Dependency]:
    """Return the dependency of each request, by its id."""
    withdrawn = _withdrawn(requests)
    return {row.pk: _stake(row, planner, withdrawn) for row in requests}


def _stake(row: Waiter, planner: Planner, withdrawn: dict[str, EventRegion]) -> Dependency:
    own = frozenset(row.switches)
    if row.kind in WITHDRAWING:
        return Dependency(withdrawn.get(row.announcement), own)
    live = planner.registry.live.get(row.announcement) if row.kind in ANNOUNCING else None
    if live is None:
        return Dependency(None, own)
    return Dependency(EventRegion(planner.topics[live.topic].code, live.dz), own, live)


def _withdrawn(rows: Sequence[Waiter]) -> dict[str, EventRegion]:
    """Return the events of withdrawals by the planner's id."""
    found: dict[str, EventRegion] = {}
    for kind, model in ANNOUNCEMENT_MODELS.items():
        if kind not in WITHDRAWING:
            continue
        keys = [
            int(row.announcement[1:]) for row in rows if row.kind == kind and row.announcement[1:].isdigit()
        ]
        for part in chunks(keys):
            for one in model._default_manager.filter(pk__in=part).select_related("topic"):
                if one.dz and one.topic.reindexing_id is None:  # otherwise its encoding may have changed
                    found[one.planner_id] = EventRegion(one.topic.code, tuple(map(dz.parse, one.dz)))
    return found
