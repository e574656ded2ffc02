"""The question of a call: whose event, which values, of which topic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from controlplane.common.problems import FieldError, Problem, bad_parameter, invalid, not_found, pointer
from controlplane.registry.models import Advertisement, Publisher
from controlplane.registry.transitions import leases
from controlplane.rest.query_parameters import read_flag, read_id, read_text
from tercast.errors import Refused, RefusedMany, shown
from tercast.explain.event_values import Given

PARAMETERS = ("publisher", "values", "topic", "trace")
MAX_VALUES = 16_384


@dataclass(frozen=True, slots=True)
class ExplainQuestion:
    """A question; `advertisements` are the ids of those that may be meant, the oldest first.

    `codes` are those of their topics that the publisher is told.
    """

    publisher: Publisher
    advertisements: tuple[str, ...]
    values: Given
    topic: str | None
    codes: Mapping[str, int]
    trace: bool = True

    @property
    def topics(self) -> set[str]:
        """All topics that the event may be of."""
        return {*self.codes, *filter(None, (self.topic,))}

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """From the query; raises `Problem` for what is missing or malformed, 404 for who is not there."""
        _check(query)
        values = Given.parse(query["values"])
        publisher, advertisements = _publisher(query["publisher"])
        trace = read_flag("trace", query.get("trace", "true"))
        topic = query.get("topic")
        meant = [one for one in advertisements if topic in (None, one.topic.name)]
        if topic is None and meant:
            topic = meant[-1].topic.name  # of events outside of all that is live
        codes = {one.topic.name: leases.told(one).code for one in meant}
        return cls(publisher, tuple(one.planner_id for one in meant), values, topic, codes, trace)


_SAYS = {
    "publisher": "who sends: a publisher by name or id, or an advertisement like a7",
    "values": 'what: {"low": 92}, or low=92',
}


def _check(query: Mapping[str, str]) -> None:
    """That what is needed is there and can be read; raises one `Problem` with all that is not so."""
    readers: Mapping[str, Callable[[str], object]] = {
        "publisher": lambda text: read_text("publisher", text),
        "values": _parse,
        "trace": lambda text: read_flag("trace", text),
    }
    wrong: list[FieldError] = []
    for name, read in readers.items():
        if name in query:
            try:
                read(query[name])
            except Problem as problem:
                wrong += problem.errors
        elif name in _SAYS:
            wrong.append(
                FieldError("", "required", f"{name} is missing; it says {_SAYS[name]}.", parameter=name)
            )
    if wrong:
        raise invalid(wrong)


def _parse(text: str) -> Given:
    if len(text) > MAX_VALUES:
        detail = f"values has {len(text)} characters; at most {MAX_VALUES} are taken."
        raise bad_parameter("values", "too_long", detail)
    try:
        return Given.parse(text)
    except (Refused, RefusedMany) as refused:
        raise refused_parameter(refused) from None


def refused_parameter(refused: Refused | RefusedMany) -> Problem:
    """What the core library refused, as a 400 that names the parameter, and within it the place."""
    errors = refused.errors if isinstance(refused, RefusedMany) else (refused,)
    return invalid(
        FieldError(pointer(one.path[1:]), one.code, one.detail, one.value, parameter=_parameter(one))
        for one in errors
    )


def _parameter(refused: Refused) -> str:
    return str(refused.path[0]) if refused.path and refused.path[0] in PARAMETERS else "values"


def _publisher(text: str) -> tuple[Publisher, list[Advertisement]]:
    """The publisher of that name, advertisement or id, and what it means of its advertisements."""
    publishers = Publisher.objects.select_related("host")
    publisher = publishers.filter(name=text).first()
    if publisher is None and text.startswith("a") and text[1:].isdecimal() and text.isascii():
        rows = Advertisement.objects.select_related("topic", "request", "publisher__host")
        one = rows.filter(pk=_id(text[1:], text)).first()
        if one is None:
            raise not_found(f"There is no advertisement {shown(text)}.")
        return one.publisher, [one]
    if publisher is None and text.isdecimal() and text.isascii():
        publisher = publishers.filter(pk=_id(text, text)).first()
    if publisher is None:
        raise not_found(f"There is no publisher {shown(text)}. Look into /api/v1/publishers/.")
    return publisher, list(publisher.advertisements.select_related("topic", "request").order_by("id"))


def _id(digits: str, text: str) -> int:
    """The id in the text that names a publisher or an advertisement."""
    try:
        return read_id(digits)
    except Problem as problem:
        (error,) = problem.errors
        detail = f"publisher={shown(text)}: {error.detail}"
        raise bad_parameter("publisher", error.code, detail, text) from None
