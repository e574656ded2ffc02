"""Migration of a topic to its other code: no event matches both old and new tables.

Every topic has two neighbouring codes. A change of the network or of the indexed attributes can change the
trees of a topic's regions. Then the topic is planned again under its unused code. The old tables stay, and
change only when registrations start or end. After publishers use the new code, the old tables are removed
(see `docs/decisions/0006-moving-under-the-other-code.md` and `migration_steps`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.topic import Topic
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.live_network import LiveNetwork
from tercast.routing.topic_routing import TopicRouting, TreeMembership
from tercast.topology.topology import Topology


@dataclass(slots=True)
class TopicMigration:
    """A topic under its former code: its plan, its former network, and its registrations.

    `version` is the version of the encoding that follows. `live` has the registrations with their former dz.
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

    def serves(
        self, registration: Registration, network: LiveNetwork, topic: Topic, limits: Limits
    ) -> Registration | None:
        """Return a registration in its former encoding; None if its host is new or has moved.

        Args:
            registration: A registration of the topic.
            network: The current network.
            topic: The topic with its current encoding.
            limits: The limits of encodings.
        """
        host = registration.host
        if host not in self.topology.hosts:
            return None
        if self.topology.live_attachment(host) != network.place(host):
            return None
        former = self.plan.topic
        dz = registration.dz
        if (topic.indexed, topic.cuts) != (former.indexed, former.cuts):
            if registration.filter is None:
                return None
            dz = encode_text(registration.filter, former, self.plan.order.depth, limits.max_dz_per_filter)
        return former_registration(registration, former, registration.encoded(dz))

    def subscribe(
        self, registration: Registration, network: LiveNetwork, topic: Topic, limits: Limits
    ) -> None:
        """Let a subscription receive the events of the former code too; see `serves` for arguments.

        An advertisement is ignored, because a new publisher never uses the former code.
        """
        if registration.kind == ADVERTISEMENT:
            return
        mine = self.serves(registration, network, topic, limits)
        if mine is not None:
            self.live[mine.id] = mine
            self.plan.subscribe(mine.host, mine.dz)

    def withdraw(self, name: str) -> tuple[Registration, TreeMembership | None] | None:
        """End a registration here too; return the argument of `restore`, or None if it is not here."""
        mine = self.live.pop(name, None)
        if mine is None:
            return None
        if mine.kind == ADVERTISEMENT:
            return mine, self.plan.leave_trees(mine.id, mine.host)
        self.plan.unsubscribe(mine.host, mine.dz)
        return mine, None

    def restore(self, gone: tuple[Registration, TreeMembership | None]) -> None:
        """Undo `withdraw`."""
        mine, membership = gone
        self.live[mine.id] = mine
        self.live = dict(sorted(self.live.items(), key=lambda item: item[1].seq))
        if mine.kind != ADVERTISEMENT:
            self.plan.subscribe(mine.host, mine.dz)
        elif membership is not None:
            self._rejoin(mine, membership)

    def drop_host(self, host: str) -> None:
        """Stop serving a host, because it has moved."""
        for registration in [one for one in self.live.values() if one.host == host]:
            self.withdraw(registration.id)
        self.plan.detach_host(host)

    def _rejoin(self, mine: Registration, membership: TreeMembership) -> None:
        forests = self.plan.forests
        if not any(forest is membership.forest for forest in forests.values()):
            forests[min(forests, default=0) - 1] = membership.forest  # the value of the key is not used here
        self.plan.revive_trees(membership)
        self.plan.join_trees(mine.id, mine.host, membership)


def former_registration(one: Registration, topic: Topic, encoded: Registration) -> Registration:
    """Return a registration under the former code of its topic, with the dz of `encoded`."""
    return Registration(one.seq, one.kind, one.id, one.host, topic.name, one.filter, encoded.dz)
