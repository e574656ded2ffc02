"""Hosts that receive the event and hosts that do not, each with the reason."""

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
    """The reason why one subscription makes its host receive the event, or does not."""

    wish: AnnouncementState
    reason: DeliveryReason


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result for one host: its copies, the reason, and a reason for each subscription.

    `switch` is the switch that causes the result, if there is one.
    """

    host: str
    copies: int
    reason: DeliveryReason
    detail: str
    answers: tuple[VerdictAnswer, ...] = ()
    switch: str | None = None


class Verdicts:
    """Results of all hosts of a network for the path of one event."""

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
        """All hosts: first those that receive the event, then the others, by name."""
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
        return self._redundant(host, copies, answers)

    def _redundant(self, host: str, copies: int, answers: list[VerdictAnswer]) -> Verdict:
        """The result of a host without a matching subscription: an entry on the path is too wide."""
        at = next(number for receiver, number in self._way.deliveries if receiver == host)
        hops = list(self._way.ancestry(at))[::-1]
        for kind, reason in (
            (UNPLANNED, DeliveryReason.STALE_ENTRY),
            (AGGREGATED, DeliveryReason.AGGREGATION),
        ):
            for hop in hops:
                origin = self._of_hop[hop.number]
                if origin is not None and hop.entry is not None and origin.kind == kind:
                    detail = _REDUNDANT[kind].format(entry=hop.entry.dst, switch=hop.switch)
                    return Verdict(host, copies, reason, detail, tuple(answers), hop.switch)
        detail = (
            "no subscription of this host matches the event, but entries on its path forward the event to "
            "the host"
        )
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
        """The reason for a host without attachment: all its switches, or some ports, are down."""
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
        """The switch at which the event leaves the path to a host, and the missing output there."""
        start, end = self._situation.switch_of(self._event.host), self._situation.switch_of(host)
        assert start is not None
        assert end is not None
        ways = self._origins.ways
        legs = None if ways is None else ways.way(start, end)
        if legs is None:
            detail = "no tree carries such events" if ways is None else f"its tree does not reach {end}"
            return None, f"{detail}, so no switch has an entry towards {host}"
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
        return f"switch {hop.switch} drops events to {address}: an entry that sends them {what} is missing"
    return (
        f"at switch {hop.switch}, the event to {address} matches entry {hop.entry.dst}, priority "
        f"{hop.entry.priority}, which does not send it {what}; the correct entry is missing"
    )


_WANTED = {
    DeliveryReason.MATCH: "a subscription of the host matches the event",
    DeliveryReason.TRUNCATION: "the filter of a subscription does not match, but its cells contain the "
    "event: cells check only indexed attributes, and their number and length are limited",
}

_REDUNDANT = {
    UNPLANNED: (
        "entry {entry} at switch {switch} is not in the plan, so the next change of the table removes it"
    ),
    AGGREGATED: (
        "entry {entry} at switch {switch} is a merged entry: to keep the switch within its budget, it also "
        "matches events without a subscription"
    ),
}

_MISSED = {
    DeliveryReason.UNREACHABLE: "no path of working links connects the host to host {publisher}",
    DeliveryReason.SWITCH_DOWN: "every switch that host {host} is attached to is out of service",
    DeliveryReason.HOST_DOWN: "host {host} is not attached to a working switch port",
    DeliveryReason.NO_ADVERTISEMENT: "host {publisher} has no advertisement for this topic, so it cannot "
    "send the event",
    DeliveryReason.OUTSIDE_ADVERTISEMENT: (
        "the event does not match the advertisement of the publisher ({ad}), so it is not sent"
    ),
    DeliveryReason.NOT_ACTIVE: "the matching subscription is not active yet",
    DeliveryReason.FAILED: "the matching subscription has failed",
    DeliveryReason.WITHDRAWN: "the matching subscription was withdrawn",
    DeliveryReason.NO_MATCH: "no subscription of the host matches the event",
}
