"""Question of an explain call: publisher, values and topic of the event."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

from controlplane.common.problems import FieldError, Problem, bad_parameter, invalid, no_such, pointer
from controlplane.registry.models import Advertisement, Publisher
from controlplane.registry.transitions import leases
from controlplane.rest.query_parameters import read_flag, read_id, read_text
from tercast.errors import Refused, RefusedMany, shown
from tercast.explain.event_values import RawValues

PARAMETERS = ("publisher", "values", "topic", "trace")
MAX_VALUES = 16_384


@dataclass(frozen=True, slots=True)
class ExplainQuestion:
    """Question about an event. `advertisements` are the possible ones by name, the oldest first.

    `codes` are the codes of their topics that the publisher uses.
    """

    publisher: Publisher
    advertisements: tuple[str, ...]
    values: RawValues
    topic: str | None
    codes: Mapping[str, int]
    trace: bool = True

    @property
    def topics(self) -> set[str]:
        """Return all topics that the event can have."""
        return {*self.codes, *filter(None, (self.topic,))}

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Self:
        """Read a question from the query.

        Raises:
            Problem: 400 for missing or malformed parameters, 404 if the publisher does not exist.
        """
        _check(query)
        values = RawValues.parse(query["values"])
        publisher, advertisements = _publisher(query["publisher"])
        trace = read_flag("trace", query.get("trace", "true"))
        topic = query.get("topic")
        meant = [one for one in advertisements if topic in (None, one.topic.name)]
        if topic is None and meant:
            topic = meant[-1].topic.name  # for events outside of all active advertisements
        codes = {one.topic.name: leases.encoding_for(one).code for one in meant}
        return cls(publisher, tuple(one.planner_id for one in meant), values, topic, codes, trace)


_SAYS = {
    "publisher": "Give a publisher by name or id, or an advertisement such as a7.",
    "values": 'Give the event, as {"low": 92} or as low=92.',
}


def _check(query: Mapping[str, str]) -> None:
    """Check required and readable parameters; raise one `Problem` with all errors."""
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
            wrong.append(FieldError("", "required", f"{name} is missing. {_SAYS[name]}", parameter=name))
    if wrong:
        raise invalid(wrong)


def _parse(text: str) -> RawValues:
    if len(text) > MAX_VALUES:
        detail = f"values has {len(text)} characters; at most {MAX_VALUES} are allowed. Shorten it."
        raise bad_parameter("values", "too_long", detail)
    try:
        return RawValues.parse(text)
    except (Refused, RefusedMany) as refused:
        raise refused_parameter(refused) from None


def refused_parameter(refused: Refused | RefusedMany) -> Problem:
    """Return a refusal of the core library as a problem 400 with parameter and place."""
    errors = refused.errors if isinstance(refused, RefusedMany) else (refused,)
    return invalid(
        FieldError(pointer(one.path[1:]), one.code, one.detail, one.value, parameter=_parameter(one))
        for one in errors
    )


def _parameter(refused: Refused) -> str:
    return str(refused.path[0]) if refused.path and refused.path[0] in PARAMETERS else "values"


def _publisher(text: str) -> tuple[Publisher, list[Advertisement]]:
    """Return the publisher by name, advertisement or id, and its matching advertisements."""
    publishers = Publisher.objects.select_related("host")
    publisher = publishers.filter(name=text).first()
    if publisher is None and text.startswith("a") and text[1:].isdecimal() and text.isascii():
        rows = Advertisement.objects.select_related("topic", "request", "publisher__host")
        one = rows.filter(pk=_id(text[1:], text)).first()
        if one is None:
            raise no_such("advertisement", shown(text))
        return one.publisher, [one]
    if publisher is None and text.isdecimal() and text.isascii():
        publisher = publishers.filter(pk=_id(text, text)).first()
    if publisher is None:
        raise no_such("publisher", shown(text))
    return publisher, list(publisher.advertisements.select_related("topic", "request").order_by("id"))


def _id(digits: str, text: str) -> int:
    """Return the id in the text that names a publisher or an advertisement."""
    try:
        return read_id(digits)
    except Problem as problem:
        (error,) = problem.errors
        detail = f"publisher={shown(text)}: {error.detail}"
        raise bad_parameter("publisher", error.code, detail, text) from None
