"""Origin of an installed entry: the active subscriptions that it serves in the plan."""

from collections.abc import Iterator
from typing import Any

from controlplane.common.address_plan import address_plan
from controlplane.explain.explanation import reading_planner
from controlplane.explain.network_state import EncodedRow, announced, number_of
from controlplane.network.models import InstalledEntry
from controlplane.planning.confirmed_entries import entries
from controlplane.registry.models import Subscription, Topic
from tercast.errors import Refused
from tercast.eventspace.dz import Dz, overlaps
from tercast.explain.entry_origin import EntryOrigin, entry_origin
from tercast.explain.network_state import AnnouncementState, NetworkState
from tercast.explain.origins import UNPLANNED
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT, SUBSCRIPTION

SHOWN = 100
"""Maximum number of subscriptions listed by name."""


def origin_of(row: InstalledEntry) -> dict[str, Any]:
    """Return `kind`, the first subscriptions that the entry serves, and their number.

    Raises:
        Problem: 503 if the planner of this process is not available in time.
    """
    with reading_planner() as planner:
        found = _find(row, planner)
    ids = sorted(number_of(name) for name in found.subscriptions)
    return {
        "kind": found.kind,
        "subscriptions": list(_subscription_rows(ids[:SHOWN])),
        "subscriptions_count": len(ids),
    }


def _find(row: InstalledEntry, planner: Planner) -> EntryOrigin:
    try:
        code, cell = address_plan().parse_match(row.dst)
    except Refused:
        return EntryOrigin(UNPLANNED, (), ())
    topic = Topic.objects.filter(code__in=(code, code & ~1)).first()
    if topic is None or topic.name not in planner.topics or row.switch.name not in planner.topology.switches:
        return EntryOrigin(UNPLANNED, (), ())
    encoded = EncodedRow.find(planner, topic.name, code)
    (entry,) = entries(InstalledEntry.objects.filter(pk=row.pk))
    return entry_origin(_situation(planner, encoded, cell), topic.name, row.switch.name, entry)


def _situation(planner: Planner, encoded: EncodedRow, cell: Dz) -> NetworkState:
    """Return the part of a topic that can concern a cell, without filters and database records."""
    name = encoded.topic.name
    return NetworkState(
        planner.address,
        planner.depth,
        planner.topology,
        {name: encoded.topic},
        {one.id: one for one in _meeting(encoded, ADVERTISEMENT, cell)},
        list(_meeting(encoded, SUBSCRIPTION, cell)),
        list(encoded.trees()),
        encoded.planned(planner),
        encoded.planned(planner),
    )


def _meeting(encoded: EncodedRow, kind: str, cell: Dz) -> Iterator[AnnouncementState]:
    for one in encoded.registered(kind):
        if any(overlaps(own, cell) for own in one.dz):
            yield announced(one, None)


def _subscription_rows(ids: list[int]) -> Iterator[dict[str, Any]]:
    rows = Subscription.objects.filter(pk__in=ids).select_related("subscriber__host").order_by("pk")
    for row in rows:
        yield {
            "id": row.pk,
            "name": row.planner_id,
            "subscriber": row.subscriber.name,
            "host": row.subscriber.host.name,
            "filter": None if row.by_dz else row.filter,
        }
