"""Moving a topic to its other code, so that no event meets half of an old table and half of a new one.

Every topic has two neighbouring codes. Where a change of the network, or of what is indexed, takes regions
of a topic to other trees, the topic is planned anew under the code that it does not use, beside the old
tables, which stay as they are but for subscriptions and advertisements that come and go. Once publishers have
changed over, `finish` takes the old tables away (see `docs/decisions/0006-moving-under-the-other-code.md`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tercast.encoding.request_encoding import encode_text
from tercast.errors import Refused, shown
from tercast.eventspace.topic import FORMER, Topic
from tercast.requests.model import Add, Change, FinishMove, RemoveLink, SetIndexed, SetPort, SetSwitch
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.topic_routing import Claim, TopicRouting
from tercast.topology.elements import Link
from tercast.topology.topology import Topology

if TYPE_CHECKING:
    from tercast.planner.state import PlannerState


@dataclass(slots=True)
class TopicMigration:
    """What is left of a topic under its former code: its plan, its network then, whom it serves.

    `version` is that of the encoding which comes after it; `live` holds what it serves as encoded here.
    """

    name: str
    plan: TopicRouting
    topology: Topology
    live: dict[str, Registration]
    version: int

    @property
    def code(self) -> int:
        """The former code."""
        return self.plan.topic.code

    def serves(self, registration: Registration, planner: PlannerState) -> Registration | None:
        """How a registration would stand here; None where its host came later, or has moved since."""
        host = registration.host
        if host not in self.topology.hosts:
            return None
        if self.topology.live_attachment(host) != planner.network.place(host):
            return None
        topic = self.plan.topic
        dz = registration.dz
        if planner.topics[self.name].indexed != topic.indexed:
            if registration.filter is None:
                return None
            dz = encode_text(registration.filter, topic, planner.depth, planner.limits.max_dz_per_filter)
        return _of(registration, topic, registration.encoded(dz))

    def subscribe(self, registration: Registration, planner: PlannerState) -> None:
        """A subscription gets the events of the former code, too; a new publisher never uses that."""
        if registration.kind == ADVERTISEMENT:
            return
        mine = self.serves(registration, planner)
        if mine is not None:
            self.live[mine.id] = mine
            self.plan.subscribe(mine.host, mine.dz)

    def withdraw(self, name: str) -> tuple[Registration, Claim | None] | None:
        """A registration ends here as well; what it takes to `give_back`."""
        mine = self.live.pop(name, None)
        if mine is None:
            return None
        if mine.kind == ADVERTISEMENT:
            return mine, self.plan.leave_trees(mine.id, mine.host)
        self.plan.unsubscribe(mine.host, mine.dz)
        return mine, None

    def give_back(self, gone: tuple[Registration, Claim | None]) -> None:
        """Take `withdraw` back."""
        mine, claim = gone
        self.live[mine.id] = mine
        self.live = dict(sorted(self.live.items(), key=lambda item: item[1].seq))
        if mine.kind != ADVERTISEMENT:
            self.plan.subscribe(mine.host, mine.dz)
        elif claim is not None:
            self._reclaim(mine, claim)

    def drop_host(self, host: str) -> None:
        """A host is somewhere else now: here it is served no more."""
        for registration in [one for one in self.live.values() if one.host == host]:
            self.withdraw(registration.id)
        self.plan.detach_host(host)

    def _reclaim(self, mine: Registration, claim: Claim) -> None:
        forests = self.plan.forests
        if not any(forest is claim.forest for forest in forests.values()):
            forests[min(forests, default=0) - 1] = claim.forest  # keys say nothing here
        self.plan.revive_trees(claim)
        self.plan.join_trees(mine.id, mine.host, claim)


def may_move(planner: PlannerState, request: Change) -> bool:
    """Whether a request could take regions to other trees, and leaves the time to move them.

    What has failed already leaves none: its tables change in place, at once.
    """
    if planner.is_stale or not planner.registry.live:
        return False
    match request:
        case SetIndexed(topic, _):
            return topic in planner.topics and can_move(planner, topic)
        case SetPort(switch, port, up, planned):
            link = planner.topology.links.get((switch, port))
            if link is None or not (up or planned):
                return False
            return _parted(planner, link.a, link.b) if up else _is_used(planner, link)
        case SetSwitch(_, up, planned):
            return up or planned
        case RemoveLink(switch, port):
            link = planner.topology.links.get((switch, port))
            return link is not None and _is_used(planner, link)
        case Add("link", value):
            return isinstance(value, dict) and _parted(planner, value.get("a"), value.get("b"))
    return False


def _parted(planner: PlannerState, a: object, b: object) -> bool:
    """Whether two switches lie in different parts of the network, both of them up."""
    numbers = [planner.network.component_of(name) for name in (a, b) if isinstance(name, str)]
    return len({*numbers} - {None}) == 2


def _is_used(planner: PlannerState, link: Link) -> bool:
    """Whether a link works, and is in a tree."""
    if link in planner.topology.down_links:
        return False
    return any(link in tree.links for plan in planner.plans for tree in plan.trees())


def can_move(planner: PlannerState, name: str) -> bool:
    """Whether a topic has another code and does not use it already."""
    other = planner.topics[name].code ^ 1
    if name in planner.leaving or other >> planner.address.topic_bits:
        return False
    return all(topic.code != other for topic in planner.topics.values())


def move(planner: PlannerState, name: str, former: Topology, topic: Topic | None = None) -> TopicMigration:
    """Plan a topic anew under its other code; `topic` where it is encoded anew as well.

    What is live has to be encoded as it is to be already, and the network to be the new one; the tables
    beneath were made for `former`.
    """
    old = planner.plan(name)
    before = old.topic
    live = {
        ad_or_sub.id: ad_or_sub
        for ad_or_sub in planner.registry.live.values()
        if ad_or_sub.topic == name and (ad_or_sub.kind != ADVERTISEMENT or ad_or_sub.id in old.claims)
    }
    old.topic = Topic(name + FORMER, before.code, before.attributes, before.indexed)
    mine = {key: _of(one, old.topic, one) for key, one in live.items()}
    planner.versions[name] = planner.versions.get(name, 1) + 1
    leaving = planner.leaving[name] = TopicMigration(name, old, former, mine, planner.versions[name])
    planner.set_topic((topic or before).with_code(before.code ^ 1))
    for host in sorted({one.host for one in mine.values()}):
        place = former.live_attachment(host)
        if place is not None and place != planner.network.place(host):
            leaving.drop_host(host)  # with the change it was taken out where it had been
    return leaving


def finish(planner: PlannerState, request: FinishMove) -> None:
    """Publishers have changed over: the old tables go, from the publishers' switches on."""
    leaving = planner.leaving.get(request.topic)
    if leaving is None or leaving.version != request.version:
        detail = f"topic {shown(request.topic)} is not moving to version {request.version}"
        raise Refused(("topic",), "not_moving", detail, request.topic)
    drop(planner, leaving)


def drop(planner: PlannerState, leaving: TopicMigration) -> None:
    """The old tables of a topic go."""
    plan = leaving.plan
    places = (
        leaving.topology.live_attachment(one.host)
        for one in leaving.live.values()
        if one.kind == ADVERTISEMENT
    )
    sources = {place.switch for place in places if place is not None}
    plan.clear(last=sources)  # what changes last is removed first
    planner.keeper.forget_plan(plan)
    del planner.leaving[leaving.name]


def _of(one: Registration, topic: Topic, encoded: Registration) -> Registration:
    return Registration(one.seq, one.kind, one.id, one.host, topic.name, one.filter, encoded.dz)
