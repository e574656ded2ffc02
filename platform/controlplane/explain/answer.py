"""The answer to a question, as JSON."""

from typing import Any

from controlplane.control.planner_state import reading
from controlplane.explain.asked import Asked, refused_parameter
from controlplane.explain.situation import announced, situation_of
from tercast.errors import Refused, RefusedMany
from tercast.explain.event import Event, Space, read_event
from tercast.explain.explanation import explain
from tercast.planner import Planner


def answer(asked: Asked) -> dict[str, Any]:
    """The explanation of the event; raises `Problem` where there is no such event."""
    with reading() as planner:
        event = _event(asked, planner)
        situation = situation_of(planner, [event.topic], {event.topic: event.full})
        return explain(situation, event).to_json()


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
