"""Who receives the event and who does not, each with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tercast.explain.event import ExplainedEvent
from tercast.explain.network_state import AnnouncementState, NetworkState
from tercast.explain.origins import AGGREGATED, UNPLANNED, DzOrigin, DzOrigins
from tercast.explain.path import EventPath, PathHop
from tercast.explain.reasons import REASON_OF, DeliveryReason
from tercast.explain.tree_paths import Leg


@dataclass(frozen=True, slots=True)
class VerdictAnswer:
    """Why one subscription does, or does not, bring the event to its host."""

    wish: AnnouncementState
    reason: DeliveryReason


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one host: the copies it gets, the reason, and what each subscription has to do with it.

    `switch` is where the reason lies, where it lies at a switch.
    """

    host: str
    copies: int
    reason: DeliveryReason
    detail: str
    answers: tuple[VerdictAnswer, ...] = ()
    switch: str | None = None


class Verdicts:
    """Judges all hosts of a network by the way of one event."""

    def __init__(
        self,
        situation: NetworkState,
        event: ExplainedEvent,
        way: EventPath,
        origins: DzOrigins,
        of_hop: Sequence[DzOrigin | None],
    ) -> None:
        self._situation = situation
        self._event = event
        self._way = way
        self._origins = origins
        self._of_hop = of_hop
        self._wishes: dict[str, list[AnnouncementState]] = {}
        for wish in situation.wishes:
            if wish.topic == event.topic:
                self._wishes.setdefault(wish.host, []).append(wish)

    def all(self) -> list[Verdict]:
        """All hosts: first those who receive the event, then the others, by name."""
        got = Counter(host for host, _ in self._way.deliveries)
        received = [self._received(host, copies) for host, copies in sorted(got.items())]
        others = [self._missed(host) for host in sorted(self._situation.topology.hosts) if host not in got]
        return received + others

    def _received(self, host: str, copies: int) -> Verdict:
        event = self._event
        topic = self._situation.topics[event.topic]
        answers: list[VerdictAnswer] = []
        for wish in self._wishes.get(host, ()):
            if wish.matches(topic, event.values, event.full):
                reason = DeliveryReason.MATCH if wish.is_planned else REASON_OF[wish.standing]
                answers.append(VerdictAnswer(wish, reason))
            elif wish.holds(event.full) and wish.is_planned:
                answers.append(VerdictAnswer(wish, DeliveryReason.TRUNCATION))
        for reason, detail in _WANTED.items():
            if any(answer.reason == reason for answer in answers):
                return Verdict(host, copies, reason, detail, tuple(answers))
        return self._needless(host, copies, answers)

    def _needless(self, host: str, copies: int, answers: list[VerdictAnswer]) -> Verdict:
        """It wants nothing of the kind: some entry on the way says more than was asked for."""
        at = next(number for receiver, number in self._way.deliveries if receiver == host)
        hops = list(self._way.ancestry(at))[::-1]
        for kind, reason in (
            (UNPLANNED, DeliveryReason.STALE_ENTRY),
            (AGGREGATED, DeliveryReason.AGGREGATION),
        ):
            for hop in hops:
                origin = self._of_hop[hop.number]
                if origin is not None and hop.entry is not None and origin.kind == kind:
                    detail = _NEEDLESS[kind].format(entry=hop.entry.dst, switch=hop.switch)
                    return Verdict(host, copies, reason, detail, tuple(answers), hop.switch)
        detail = "no subscription of this host names the event, and yet the entries on its way serve it"
        return Verdict(host, copies, DeliveryReason.STALE_ENTRY, detail, tuple(answers), hops[-1].switch)

    def _missed(self, host: str) -> Verdict:
        answers = tuple(VerdictAnswer(wish, self._why_not(wish)) for wish in self._wishes.get(host, ()))
        if not answers:
            if self._event.problem is DeliveryReason.NO_ADVERTISEMENT:
                return Verdict(host, 0, self._event.problem, self._detail(self._event.problem, None))
            detail = f"the host has no subscription to topic {self._event.topic}"
            return Verdict(host, 0, DeliveryReason.NO_SUBSCRIPTION, detail)
        first = min(answers, key=lambda answer: answer.reason.rank)
        if first.reason is DeliveryReason.ENTRY_MISSING:
            switch, detail = self._where(host)
            return Verdict(host, 0, first.reason, detail, answers, switch)
        return Verdict(host, 0, first.reason, self._detail(first.reason, first.wish), answers)

    def _why_not(self, wish: AnnouncementState) -> DeliveryReason:
        event, situation = self._event, self._situation
        if not wish.matches(situation.topics[event.topic], event.values, event.full):
            return DeliveryReason.NO_MATCH
        if not wish.is_planned:
            return REASON_OF[wish.standing]
        if event.problem is not None:
            return event.problem
        for host in (wish.host, event.host):
            if host not in situation.world.place:
                return self._down(host)
        if situation.component(wish.host) != situation.component(event.host):
            return DeliveryReason.UNREACHABLE
        return REASON_OF.get(wish.standing, DeliveryReason.ENTRY_MISSING)

    def _down(self, host: str) -> DeliveryReason:
        """A host that is reached nowhere: all its switches are down, or some port is."""
        topology = self._situation.topology
        places = topology.hosts[host].attachments if host in topology.hosts else ()
        if places and all(place.switch in topology.down_switches for place in places):
            return DeliveryReason.SWITCH_DOWN
        return DeliveryReason.HOST_DOWN

    def _detail(self, reason: DeliveryReason, wish: AnnouncementState | None) -> str:
        event = self._event
        ad = event.advertisement
        named = "" if ad is None else f"{ad.id}: {ad.filter or 'true'}"
        down = event.host
        if wish is not None and wish.host not in self._situation.world.place:
            down = wish.host
        text = _MISSED[reason].format(host=down, publisher=event.host, ad=named)
        return text if wish is None or not wish.note else f"{text}; {wish.note}"

    def _where(self, host: str) -> tuple[str | None, str]:
        """The switch at which the event parts from the way to a host, and what is missing there."""
        start, end = self._situation.switch_of(self._event.host), self._situation.switch_of(host)
        assert start is not None
        assert end is not None
        ways = self._origins.ways
        legs = None if ways is None else ways.way(start, end)
        if legs is None:
            detail = "no tree carries such events" if ways is None else f"its tree does not lead to {end}"
            return None, f"{detail}, so that no switch has an entry towards {host}"
        number: int | None = 0
        for leg in legs:
            hop = self._way.hops[number or 0]
            number = self._along(hop, leg)
            if number is None:
                return hop.switch, _lacks(hop, self._event.address, f"to port {leg.port}, towards {leg.far}")
        last = self._way.hops[number or 0]
        port = self._situation.world.place[host][1]
        return last.switch, _lacks(last, self._event.address, f"to {host} at port {port}")

    def _along(self, hop: PathHop, leg: Leg) -> int | None:
        for step in hop.steps:
            if step.port == leg.port and step.far is not None:
                return self._way.next_hop(hop, step)
        return None


def _lacks(hop: PathHop, address: str, what: str) -> str:
    if hop.entry is None:
        return f"switch {hop.switch} drops {address}: an entry is missing that sends it {what}"
    return (
        f"switch {hop.switch} meets {address} with {hop.entry.dst}, priority {hop.entry.priority}, which "
        f"does not send it {what}; an entry that does is missing"
    )


_WANTED = {
    DeliveryReason.MATCH: "a subscription of the host matches the event exactly",
    DeliveryReason.TRUNCATION: "the dz set of a subscription holds the event, its filter does "
    "not: a dz set knows "
    "indexed attributes alone, and is limited in length and number of cells",
}

_NEEDLESS = {
    UNPLANNED: "entry {entry} at switch {switch} is not, or no more, in the plan",
    AGGREGATED: "entry {entry} at switch {switch} is aggregated to keep the switch within its budget, and "
    "stands for more than was asked for",
}

_MISSED = {
    DeliveryReason.UNREACHABLE: "no path of links that are up leads there from host {publisher}",
    DeliveryReason.SWITCH_DOWN: "every switch of host {host} is down",
    DeliveryReason.HOST_DOWN: "host {host} is attached to no port that is up",
    DeliveryReason.NO_ADVERTISEMENT: "host {publisher} advertises nothing of the kind, and so may not "
    "send the event",
    DeliveryReason.OUTSIDE_ADVERTISEMENT: "the event lies outside of its advertisement ({ad}) and is not "
    "sent",
    DeliveryReason.NOT_ACTIVE: "the subscription that matches is not active yet",
    DeliveryReason.FAILED: "the subscription that matches has failed",
    DeliveryReason.WITHDRAWN: "the subscription that matches was withdrawn",
    DeliveryReason.NO_MATCH: "no subscription of the host matches the event",
}
