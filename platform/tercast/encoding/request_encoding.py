"""The dz set of a request: encoded from its filter, or given in the request."""

from __future__ import annotations

from tercast.encoding.dispatch import dz_of_mixed_text, dz_of_text, sides_of_text
from tercast.encoding.encoder import encode_dz
from tercast.errors import Path, Refused
from tercast.eventspace.dz import Dz, DzSet, text
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.requests.model import Registering


def encoding_of(request: Registering, topic: Topic, depth: int, limit: int) -> DzSet:
    """The dz set of a request: its own, if it has one that is short enough, or its filter's.

    A filter in addition to a dz set is parsed too, because changes of `indexed` start from the filter.
    """
    if request.dz is None:
        return encode_text(request.filter or "", topic, depth, limit)
    for i, dz in enumerate(request.dz):
        check_length(dz, depth, ("dz", i))
    if request.filter is not None:
        _check_filter(request.filter, topic, depth)
    return request.dz


def _check_filter(text: str, topic: Topic, depth: int) -> None:
    """Raise Refused if a filter is invalid. A filter that the kernels can read is valid."""
    schedule = topic.schedule(depth)
    if dz_of_text(text, topic, schedule, 1) is None and sides_of_text(text, topic, schedule) is None:
        Filter.parse(text, topic, ("filter",))


def check_length(dz: Dz, depth: int, path: Path) -> None:
    """Raise Refused if a dz is longer than the limit."""
    length = dz.bit_length() - 1
    if length > depth:
        detail = f"the dz has {length} bits; at most {depth} are allowed"
        raise Refused(path, "dz_too_long", detail, text(dz))


def encode_text(filter_text: str, topic: Topic, depth: int, limit: int) -> DzSet:
    """The dz set of a filter's text."""
    schedule = topic.schedule(depth)
    found = dz_of_text(filter_text, topic, schedule, limit)
    if found is None:
        found = dz_of_mixed_text(filter_text, topic, schedule, limit)
    if found is not None:
        return found
    return encode_dz(Filter.parse(filter_text, topic, ("filter",)), depth, limit)
