"""The answer to a question, as JSON."""

from typing import Any

from controlplane.control.planner_state import reading
from controlplane.explain.asked import Asked, refused_parameter
from controlplane.explain.situation import announced, situation_of
from controlplane.explain.switches import read_back_eyes, traced_eyes
from tercast.errors import Refused, RefusedMany
from tercast.explain.event import Event, Space, read_event
from tercast.explain.explanation import explain
from tercast.explain.eyes import FirstThatSees
from tercast.explain.real import trace
from tercast.planner import Planner


def answer(asked: Asked) -> dict[str, Any]:
    """The explanation of the event; raises `Problem` where there is no such event.

    The planner is held while the answer is worked out, and not while switches are looked at.
    """
    with reading() as planner:
        event = _event(asked, planner)
        situation = situation_of(planner, [event.topic], {event.topic: event.full})
        found = explain(situation, event)
        told = {**found.to_json(), "real": None}
        looking = asked.trace and bool(found.way.hops)
        traced = traced_eyes(found, planner) if looking else None
    if looking:
        with read_back_eyes(found) as read_back:
            eyes = FirstThatSees(read_back) if traced is None else FirstThatSees(traced, read_back)
            told["real"] = trace(found, eyes).to_json()
    return told


def _event(asked: Asked, planner: Planner) -> Event:
    """The event that is asked about."""
    live = planner.registry.live
    name = asked.publisher.name
    own = [announced(live[one], name) for one in asked.advertisements if one in live]
    space = Space(planner.address, planner.depth, planner.topics)
    try:
        return read_event(space, own, asked.values, asked.publisher.host.name, asked.topic)
    except (Refused, RefusedMany) as refused:
        raise refused_parameter(refused) from None
