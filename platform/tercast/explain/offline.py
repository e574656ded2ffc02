"""Network state of a scenario and its plan."""

from __future__ import annotations

from collections.abc import Iterator

from tercast.errors import Refused, shown
from tercast.eventspace.dz import canonical
from tercast.explain.event import ExplainedEvent, Space, read_event
from tercast.explain.event_values import RawValues
from tercast.explain.network_state import AnnouncementState, NetworkState
from tercast.explain.reasons import DeliveryStanding
from tercast.offline.plan_file import PlanFile
from tercast.offline.scenario import Scenario
from tercast.requests.model import Subscribe, Unsubscribe
from tercast.requests.registry import ADVERTISEMENT
from tercast.tables.entries import Table


def situation_of(scenario: Scenario, plan: PlanFile) -> NetworkState:
    """Build the state of the network after all requests, with the tables of the plan."""
    final = scenario.final
    failed = {failure.id: failure.reason for failure in plan.failed}
    advertisements: dict[str, AnnouncementState] = {}
    wishes: list[AnnouncementState] = []
    for reg in final.live.values():
        dz = canonical(plan.encodings.get(reg.id, reg.dz))
        exact = scenario.filters[reg.id]
        if reg.kind == ADVERTISEMENT:
            if reg.id not in failed:
                advertisements[reg.id] = AnnouncementState(
                    reg.id, reg.host, reg.topic, reg.filter, dz, exact=exact
                )
            continue
        standing = DeliveryStanding.FAILED if reg.id in failed else DeliveryStanding.LIVE
        note = failed.get(reg.id, "")
        dz = dz if standing is DeliveryStanding.LIVE else ()
        wishes.append(
            AnnouncementState(reg.id, reg.host, reg.topic, reg.filter, dz, standing, note=note, exact=exact)
        )
    wishes += _withdrawn(scenario)

    def table(switch: str) -> Table:
        return plan.flows.get(switch, ())

    return NetworkState(
        scenario.address,
        scenario.depth,
        final.topology,
        final.topics,
        advertisements,
        wishes,
        plan.trees,
        table,
        table,
    )


def event_of(
    situation: NetworkState, publisher: str, values: RawValues, topic: str | None = None
) -> ExplainedEvent:
    """Read the event of an advertisement by id, or of a host by name; Refused for other names."""
    ads = situation.advertisements
    space = Space(situation.address, situation.depth, situation.topics)
    if publisher in ads:
        return read_event(space, [ads[publisher]], values)
    if publisher not in situation.topology.hosts:
        detail = (
            f"{shown(publisher)} is neither the id of an active advertisement nor the name of a host; "
            "use such an id or name"
        )
        raise Refused(("publisher",), "unknown_publisher", detail, publisher)
    own = [ad for ad in ads.values() if ad.host == publisher and topic in (None, ad.topic)]
    return read_event(space, own, values, publisher, topic)


def _withdrawn(scenario: Scenario) -> Iterator[AnnouncementState]:
    """Yield the subscriptions that a later request withdrew, the last one of each id."""
    gone: dict[str, Subscribe] = {}
    asked: dict[str, Subscribe] = {}
    for request in scenario.requests:
        if isinstance(request, Subscribe):
            asked[request.id] = request
            gone.pop(request.id, None)
        elif isinstance(request, Unsubscribe) and request.id in asked:
            gone[request.id] = asked.pop(request.id)
    topics, hosts = scenario.final.topics, scenario.final.topology.hosts
    for request in gone.values():
        if request.topic in topics and request.host in hosts:
            yield AnnouncementState(
                request.id, request.host, request.topic, request.filter, (), DeliveryStanding.WITHDRAWN
            )
