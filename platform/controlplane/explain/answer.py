"""The answer to a question, as JSON."""

from collections.abc import Mapping
from typing import Any

from controlplane.control.planner_state import reading
from controlplane.explain.asked import Asked, refused_parameter
from controlplane.explain.situation import Encoded, announced, situation_of
from controlplane.explain.switches import read_back_eyes, traced_eyes
from tercast.errors import Refused, RefusedMany
from tercast.explain.event import Event, Space, read_event
from tercast.explain.explanation import explain
from tercast.explain.eyes import FirstThatSees
from tercast.explain.real import trace
from tercast.planner import Planner
from tercast.registry import ADVERTISEMENT


def answer(asked: Asked) -> dict[str, Any]:
    """The explanation of the event; raises `Problem` where there is no such event.

    The planner is held while the answer is worked out, and not while switches are looked at.
    """
    with reading() as planner:
        encodings = {
            name: Encoded.find(planner, name, asked.codes.get(name))
            for name in asked.topics
            if name in planner.topics
        }
        event = _event(asked, planner, encodings)
        situation = situation_of(planner, encodings[event.topic], event.full)
        found = explain(situation, event)
        told = {**found.to_json(), "real": None}
        looking = asked.trace and bool(found.way.hops)
        traced = traced_eyes(found, planner) if looking else None
    if looking:
        with read_back_eyes(found) as read_back:
            eyes = FirstThatSees(read_back) if traced is None else FirstThatSees(traced, read_back)
            told["real"] = trace(found, eyes).to_json()
    return told


def _event(asked: Asked, planner: Planner, encodings: Mapping[str, Encoded]) -> Event:
    """The event that is asked about, in the encodings that its publisher is told."""
    name = asked.publisher.name
    live = [one for encoded in encodings.values() for one in encoded.registered(ADVERTISEMENT)]
    own = [announced(one, name) for one in live if one.id in asked.advertisements]
    topics = {topic: encoded.topic for topic, encoded in encodings.items()}
    space = Space(planner.address, planner.depth, topics)
    try:
        return read_event(space, own, asked.values, asked.publisher.host.name, asked.topic)
    except (Refused, RefusedMany) as refused:
        raise refused_parameter(refused) from None
