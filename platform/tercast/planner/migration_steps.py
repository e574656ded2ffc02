"""Conditions for the migration of a topic to its other code, and its start and end."""

from __future__ import annotations

from tercast.errors import Refused, shown
from tercast.eventspace.topic import FORMER, Topic
from tercast.planner.state import PlannerState
from tercast.planner.topic_migration import TopicMigration, former_registration
from tercast.requests.model import Add, FinishMove, NetworkChange, RemoveLink, SetIndexed, SetPort, SetSwitch
from tercast.requests.registry import ADVERTISEMENT
from tercast.topology.elements import Link
from tercast.topology.topology import Topology


def may_migrate(planner: PlannerState, request: NetworkChange) -> bool:
    """Return whether a request may change the trees of regions and leaves time for a migration.

    After a failure there is no time, so tables change in place immediately.
    """
    if planner.is_stale or not planner.registry.live:
        return False
    match request:
        case SetIndexed(topic):
            return topic in planner.topics and can_migrate(planner, topic)
        case SetPort(switch, port, up, planned):
            link = planner.topology.links.get((switch, port))
            if link is None or not (up or planned):
                return False
            return _are_apart(planner, link.a, link.b) if up else _is_used(planner, link)
        case SetSwitch(_, up, planned):
            return up or planned
        case RemoveLink(switch, port):
            link = planner.topology.links.get((switch, port))
            return link is not None and _is_used(planner, link)
        case Add("link", value):
            return isinstance(value, dict) and _are_apart(planner, value.get("a"), value.get("b"))
    return False


def _are_apart(planner: PlannerState, a: object, b: object) -> bool:
    """Return whether two switches are up and in different components of the network."""
    numbers = [planner.network.component_of(name) for name in (a, b) if isinstance(name, str)]
    return len({*numbers} - {None}) == 2


def _is_used(planner: PlannerState, link: Link) -> bool:
    """Return whether a link is up and in a tree."""
    if link in planner.topology.down_links:
        return False
    return any(link in tree.links for plan in planner.plans for tree in plan.trees())


def can_migrate(planner: PlannerState, name: str) -> bool:
    """Return whether a topic has another code, does not use it already, and is not shared.

    Another partition has entries for the current code only.
    """
    registry = planner.registry
    if planner.topology.borders and any(
        one.topic == name and registry.is_external(one) for one in registry.live.values()
    ):
        return False
    other = planner.topics[name].code ^ 1
    if name in planner.leaving or other >> planner.address.topic_bits:
        return False
    return all(topic.code != other for topic in planner.topics.values())


def migrate(planner: PlannerState, name: str, former: Topology, topic: Topic | None = None) -> TopicMigration:
    """Start to plan a topic under its other code.

    Args:
        planner: The planner, with the new network and the new encodings of live registrations.
        name: The name of the topic.
        former: The network of the current tables.
        topic: The topic with its new encoding, if that changes too.
    """
    old = planner.plan(name)
    before = old.topic
    live = {
        ad_or_sub.id: ad_or_sub
        for ad_or_sub in planner.registry.live.values()
        if ad_or_sub.topic == name and (ad_or_sub.kind != ADVERTISEMENT or ad_or_sub.id in old.memberships)
    }
    old.topic = before.with_name(name + FORMER)
    mine = {key: former_registration(one, old.topic, one) for key, one in live.items()}
    planner.versions[name] = planner.versions.get(name, 1) + 1
    leaving = planner.leaving[name] = TopicMigration(name, old, former, mine, planner.versions[name])
    planner.set_topic((topic or before).with_code(before.code ^ 1))
    for host in sorted({one.host for one in mine.values()}):
        place = former.live_attachment(host)
        if place is not None and place != planner.network.place(host):
            leaving.drop_host(host)  # the change detached it from its former place
    return leaving


def finish_migration(planner: PlannerState, request: FinishMove) -> None:
    """Remove the old tables of a topic, because its publishers use the other code."""
    leaving = planner.leaving.get(request.topic)
    if leaving is None or leaving.version != request.version:
        detail = f"topic {shown(request.topic)} is not migrating to version {request.version}"
        raise Refused(("topic",), "not_moving", detail, request.topic)
    drop_migration(planner, leaving)


def drop_migration(planner: PlannerState, leaving: TopicMigration) -> None:
    """Remove the old tables of a topic, first those at the switches of publishers."""
    plan = leaving.plan
    places = (
        leaving.topology.live_attachment(one.host)
        for one in leaving.live.values()
        if one.kind == ADVERTISEMENT
    )
    sources = {place.switch for place in places if place is not None}
    plan.clear(last=sources)  # tries that change last are removed first
    planner.budget_enforcer.forget_plan(plan)
    del planner.leaving[leaving.name]
