"""Answer to a question about the path of an event, as JSON."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

from controlplane.common.problems import FieldError, Problem, conflict
from controlplane.explain.network_state import EncodedRow, announced, situation_of
from controlplane.explain.question import ExplainQuestion, refused_parameter
from controlplane.explain.real_switches import read_back_eyes, traced_eyes
from controlplane.planning.planner_state import PlannerBehind, reading
from controlplane.registry.models import Topic
from controlplane.requestlog.models import FINAL_STATES
from tercast.errors import Refused, RefusedMany, shown
from tercast.explain.event import ExplainedEvent, Space, read_event
from tercast.explain.explanation import explain
from tercast.explain.observers import FirstThatSees
from tercast.explain.real_path import trace
from tercast.planner.planner import Planner
from tercast.requests.registry import ADVERTISEMENT

SECONDS = 10.0
"""Longest wait for the planner: for earlier questions, and until it has applied the log."""


def answer(asked: ExplainQuestion) -> dict[str, Any]:
    """Explain the path of an event.

    The planner is locked while the answer is computed, but not while switches are read.

    Raises:
        Problem: 400 or 404 if the event is not possible, 503 if the planner is not available in time.
    """
    with reading_planner() as planner:
        encodings = {
            name: EncodedRow.find(planner, name, asked.codes.get(name))
            for name in asked.topics
            if name in planner.topics
        }
        event = _event(asked, planner, encodings)
        situation = situation_of(planner, encodings[event.topic], event.full)
        found = explain(situation, event)
        fields = {**found.to_json(), "real": None}
        looking = asked.trace and bool(found.way.hops)
        traced = traced_eyes(found, planner) if looking else None
    if looking:
        with read_back_eyes(found) as read_back:
            eyes = FirstThatSees(read_back) if traced is None else FirstThatSees(traced, read_back)
            fields["real"] = trace(found, eyes).to_json()
    return fields


@contextmanager
def reading_planner() -> Iterator[Planner]:
    """Provide the planner with the log applied; raise `Problem` (503) after `SECONDS`."""
    with ExitStack() as stack:
        try:
            planner = stack.enter_context(reading(SECONDS))
        except PlannerBehind:
            detail = (
                f"This web server has not read the newest state of the network within {SECONDS:g} s: it is "
                "busy with another call, or many requests are new. Try again in a few seconds."
            )
            raise Problem(503, "busy", detail, headers={"Retry-After": "10"}) from None
        yield planner


def _event(asked: ExplainQuestion, planner: Planner, encodings: Mapping[str, EncodedRow]) -> ExplainedEvent:
    """Return the event of the question, in the encodings that its publisher uses."""
    name = asked.publisher.name
    live = [one for encoded in encodings.values() for one in encoded.registered(ADVERTISEMENT)]
    own = [announced(one, name) for one in live if one.id in asked.advertisements]
    topics = {topic: encoded.topic for topic, encoded in encodings.items()}
    space = Space(planner.address, planner.depth, topics)
    try:
        return read_event(space, own, asked.values, asked.publisher.host.name, asked.topic)
    except (Refused, RefusedMany) as refused:
        _check_planned(asked.topic, planner)
        raise refused_parameter(refused) from None


def _check_planned(name: str | None, planner: Planner) -> None:
    """Raise `Problem` (409) if the topic is registered, but the planner does not have it yet."""
    if name is None or name in planner.topics:
        return
    row = Topic.objects.select_related("request").filter(name=name).first()
    if row is not None and row.request is not None and row.request.state not in FINAL_STATES:
        detail = (
            f"Topic {shown(name)} is registered, but request {row.request_id} that adds it has not ended: "
            f"it is {row.request.state}. Repeat the call when the request is active."
        )
        error = FieldError("", "not_active", detail, name, parameter="topic")
        raise conflict("not_active", detail, [error])
