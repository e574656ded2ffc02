"""A topic that moves to its other code, so that no event matches half of an old table and half of a new one.

Every topic has two neighbouring codes. Where a change of the network, or of what is indexed, takes regions of
a topic to other trees, the topic is planned again under the code that it does not use, in addition to the old
tables, which stay as they are but for registrations that begin or end. Once publishers have changed over, the
old tables are removed (see `docs/decisions/0006-moving-under-the-other-code.md` and `migration_steps`).
"""

from __future__ import annotations

from dataclasses import dataclass

from tercast.encoding.limits import Limits
from tercast.encoding.request_encoding import encode_text
from tercast.eventspace.topic import Topic
from tercast.requests.registry import ADVERTISEMENT, Registration
from tercast.routing.live_network import LiveNetwork
from tercast.routing.topic_routing import Claim, TopicRouting
from tercast.topology.topology import Topology


@dataclass(slots=True)
class TopicMigration:
    """A topic under its former code: its plan, its network then, and the registrations that it serves.

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

    def serves(
        self, registration: Registration, network: LiveNetwork, topic: Topic, limits: Limits
    ) -> Registration | None:
        """Return a registration as it is encoded here; None if its host came later, or has moved since.

        Args:
            registration: A registration of the topic.
            network: The network as it is now.
            topic: The topic with its present encoding.
            limits: The limits of encodings.
        """
        host = registration.host
        if host not in self.topology.hosts:
            return None
        if self.topology.live_attachment(host) != network.place(host):
            return None
        former = self.plan.topic
        dz = registration.dz
        if topic.indexed != former.indexed:
            if registration.filter is None:
                return None
            dz = encode_text(registration.filter, former, self.plan.order.depth, limits.max_dz_per_filter)
        return former_registration(registration, former, registration.encoded(dz))

    def subscribe(
        self, registration: Registration, network: LiveNetwork, topic: Topic, limits: Limits
    ) -> None:
        """Let a subscription get the events of the former code, too; see `serves` for the arguments.

        An advertisement is ignored: a new publisher never uses the former code.
        """
        if registration.kind == ADVERTISEMENT:
            return
        mine = self.serves(registration, network, topic, limits)
        if mine is not None:
            self.live[mine.id] = mine
            self.plan.subscribe(mine.host, mine.dz)

    def withdraw(self, name: str) -> tuple[Registration, Claim | None] | None:
        """End a registration here as well; return what `restore` needs, None if it is not served here."""
        mine = self.live.pop(name, None)
        if mine is None:
            return None
        if mine.kind == ADVERTISEMENT:
            return mine, self.plan.leave_trees(mine.id, mine.host)
        self.plan.unsubscribe(mine.host, mine.dz)
        return mine, None

    def restore(self, gone: tuple[Registration, Claim | None]) -> None:
        """Undo `withdraw`."""
        mine, claim = gone
        self.live[mine.id] = mine
        self.live = dict(sorted(self.live.items(), key=lambda item: item[1].seq))
        if mine.kind != ADVERTISEMENT:
            self.plan.subscribe(mine.host, mine.dz)
        elif claim is not None:
            self._reclaim(mine, claim)

    def drop_host(self, host: str) -> None:
        """Serve a host no longer, since it is somewhere else now."""
        for registration in [one for one in self.live.values() if one.host == host]:
            self.withdraw(registration.id)
        self.plan.detach_host(host)

    def _reclaim(self, mine: Registration, claim: Claim) -> None:
        forests = self.plan.forests
        if not any(forest is claim.forest for forest in forests.values()):
            forests[min(forests, default=0) - 1] = claim.forest  # keys say nothing here
        self.plan.revive_trees(claim)
        self.plan.join_trees(mine.id, mine.host, claim)


def former_registration(one: Registration, topic: Topic, encoded: Registration) -> Registration:
    """Return a registration under the former code of its topic, with the dz of `encoded`."""
    return Registration(one.seq, one.kind, one.id, one.host, topic.name, one.filter, encoded.dz)
