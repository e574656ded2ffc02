"""Encoding of rows' filters by the core library, once for each distinct filter of a call."""

import json
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from controlplane.common.address_plan import MAX_DZ_PER_FILTER, max_dz_length
from controlplane.registry.filter_digests import digest_of_filter
from controlplane.registry.models import Topic
from controlplane.requestlog.models import State
from tercast.encoding.encoder import encode, encode_dz
from tercast.errors import Refused
from tercast.eventspace import dz
from tercast.eventspace import topic as eventspace
from tercast.filters.filter import Filter

_FIELDS = ("name", "code", "attributes", "indexed", "cuts")


def core_topic(row: Topic) -> eventspace.Topic:
    """Return the topic as an object of the core library."""
    fields = (row.name, row.code, row.attributes, row.indexed, row.cuts)
    return _read_topic(json.dumps(dict(zip(_FIELDS, fields, strict=True))))


@lru_cache(maxsize=64)
def _read_topic(text: str) -> eventspace.Topic:
    return eventspace.Topic.from_json(json.loads(text))


@dataclass(frozen=True, slots=True)
class EncodedAnnouncement:
    """Encoding of a filter: dz cells as texts, and the excess if it was requested.

    The excess is the volume beyond the filter as a share of the filter's volume. `volume_error` is the error
    of that volume (see `EncodedFilter`); 0 means that the excess is exact. `digest` is equal for filters that
    are known to be equivalent.
    """

    dz: list[str]
    excess: float = 0.0
    digest: str = ""
    volume_error: float = 0.0


@dataclass(slots=True)
class Encoder:
    """Encoder for the filters of one call. `costs`: also compute the excess, which takes time."""

    costs: bool = False
    topics: dict[int, eventspace.Topic] = field(default_factory=dict)
    done: dict[tuple[int, str], EncodedAnnouncement | Refused] = field(default_factory=dict)

    def encode(self, topic: Topic, text: str) -> EncodedAnnouncement:
        """Return the encoding of a filter; raise `Refused` with a path within the filter's field."""
        key = (topic.pk, text)
        found = self.done.get(key)
        if found is None:
            found = self.done[key] = self._encode(topic, text)
        if isinstance(found, Refused):
            raise found
        return found

    def _encode(self, topic: Topic, text: str) -> EncodedAnnouncement | Refused:
        known = self.topics.get(topic.pk)
        if known is None:
            known = self.topics[topic.pk] = core_topic(topic)
        try:
            parsed = Filter.parse(text, known)
        except Refused as refused:
            return refused
        digest = digest_of_filter(parsed)
        if self.costs:
            encoding = encode(parsed, max_dz_length(), MAX_DZ_PER_FILTER)
            texts = [dz.text(cell) for cell in encoding.dz]
            return EncodedAnnouncement(texts, encoding.excess, digest, encoding.volume_error)
        cells = encode_dz(parsed, max_dz_length(), MAX_DZ_PER_FILTER)
        return EncodedAnnouncement([dz.text(cell) for cell in cells], digest=digest)


def current_dz(row: Any) -> list[str]:
    """Return the dz set of an announcement as it is deployed.

    If the event space has changed since the row was stored, the filter is encoded again. The caller must have
    loaded the row's topic and the topic's `reindexing`.
    """
    change = None if row.by_dz else row.topic.reindexing
    changed = change is not None and change.state == State.ACTIVE and row.request_id < change.pk
    if row.dz and not changed:
        stored: list[str] = row.dz
        return stored
    return Encoder().encode(row.topic, row.filter).dz
