"""The event to explain: its publisher, values, dz and address, and why it may not be sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercast.errors import Refused, RefusedMany
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.dz import Dz, length, text
from tercast.eventspace.topic import Topic
from tercast.explain.event_values import RawValues
from tercast.explain.network_state import AnnouncementState
from tercast.explain.reasons import DeliveryReason
from tercast.runtime.strict_json import value_json
from tercast.runtime.wording import unknown_name
from tercast.verification.forwarding import ForwardingModel


@dataclass(frozen=True, slots=True)
class Space:
    """Data for reading an event: addresses, the length of a full-depth dz, topics by name."""

    address: AddressPlan
    depth: int
    topics: Mapping[str, Topic]


@dataclass(frozen=True, slots=True)
class ExplainedEvent:
    """One event. `full` is its dz, padded with zeros to the number of dz bits in an address.

    `problem` is the reason why its publisher's library would not send it.
    """

    advertisement: AnnouncementState | None
    host: str
    topic: str
    values: dict[str, Any]
    dz: Dz
    full: Dz
    address: str
    problem: DeliveryReason | None = None

    def to_json(self, world: ForwardingModel, topic: Topic) -> dict[str, object]:
        """Write the source, the values and the address of the event."""
        ad = self.advertisement
        place = world.place.get(self.host)
        return {
            "publisher": None if ad is None else ad.owner,
            "advertisement": None if ad is None else ad.id,
            "filter": None if ad is None else ad.filter,
            "host": self.host,
            "switch": None if place is None else place[0],
            "port": None if place is None else place[1],
            "topic": self.topic,
            "values": topic.values_json(self.values),
            "dz": text(self.dz),
            "cuts": self._cuts(topic),
            "address": self.address,
            "problem": self.problem,
        }

    def _cuts(self, topic: Topic) -> list[dict[str, object]]:
        """The cuts on the path of the event, first to last, and on which side it is."""
        if not topic.cuts:
            return []
        steps = topic.cut_space(max(1, length(self.dz))).decisions(self.values)
        names = [attribute.name for attribute in topic.attributes]
        return [
            {"attribute": names[cut.attribute], "value": value_json(cut.value), "less": less}
            for cut, less in steps
        ]


def read_event(
    space: Space,
    candidates: Sequence[AnnouncementState],
    values: RawValues,
    host: str | None = None,
    topic: str | None = None,
) -> ExplainedEvent:
    """Read an event of one of several live advertisements: the first that matches, if any.

    If none matches, it is an event of the first advertisement whose topic fits the values. Without
    candidates, it is an event of `host` and `topic` without an advertisement.

    Raises:
        Refused: The values fit no topic, or the topic is missing or unknown; the path is below `values`
            for values.
        RefusedMany: Several values are wrong.
    """
    wrong: Refused | RefusedMany | None = None
    outside: ExplainedEvent | None = None
    for ad in candidates:
        try:
            event = _event(space, ad, ad.host, ad.topic, values)
        except (Refused, RefusedMany) as refused:
            wrong = wrong or refused
            continue
        if event.problem is None:
            return event
        outside = outside or event
    if outside is not None:
        return outside
    if wrong is not None:
        raise wrong
    if host is None or topic is None:
        detail = "this publisher has no advertisement; name the topic to see what would happen to the event"
        raise Refused(("topic",), "missing_topic", detail)
    if topic not in space.topics:
        raise Refused(("topic",), "unknown_topic", unknown_name("topic", topic, space.topics), topic)
    return _event(space, None, host, topic, values)


def _event(
    space: Space, ad: AnnouncementState | None, host: str, topic_name: str, given: RawValues
) -> ExplainedEvent:
    topic = space.topics[topic_name]
    values = given.read(topic)
    dz = topic.event_dz(values, space.depth)
    full = dz << space.address.dz_room - dz.bit_length() + 1
    problem = None
    if ad is None:
        problem = DeliveryReason.NO_ADVERTISEMENT
    elif not ad.matches(topic, values, full):
        problem = DeliveryReason.OUTSIDE_ADVERTISEMENT
    address = space.address.event_address(topic.code, dz)
    return ExplainedEvent(ad, host, topic_name, values, dz, full, address, problem)
