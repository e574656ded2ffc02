"""Filters of rows to dz sets, by the core library; each distinct filter of a call is encoded once."""

from dataclasses import dataclass, field
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


def core_topic(row: Topic) -> eventspace.Topic:
    """The topic as the core library has it."""
    return eventspace.Topic.from_json(
        {"name": row.name, "code": row.code, "attributes": row.attributes, "indexed": row.indexed}
    )


@dataclass(frozen=True, slots=True)
class EncodedAnnouncement:
    """The dz set of a filter, as texts, and its excess volume as a share of the filter's own (when asked).

    `digest` is equal for filters that are known to be equivalent.
    """

    dz: list[str]
    excess: float = 0.0
    digest: str = ""


@dataclass(slots=True)
class Encoder:
    """Encodes the filters of one call; `costs` also tells their excess, which takes time."""

    costs: bool = False
    topics: dict[int, eventspace.Topic] = field(default_factory=dict)
    done: dict[tuple[int, str], EncodedAnnouncement | Refused] = field(default_factory=dict)

    def encode(self, topic: Topic, text: str) -> EncodedAnnouncement:
        """The filter's dz set; raises `Refused`, its path being that within the text's field."""
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
            return EncodedAnnouncement([dz.text(cell) for cell in encoding.dz], encoding.excess, digest)
        cells = encode_dz(parsed, max_dz_length(), MAX_DZ_PER_FILTER)
        return EncodedAnnouncement([dz.text(cell) for cell in cells], digest=digest)


def current_dz(row: Any) -> list[str]:
    """The dz set of an announcement as it is deployed: anew where `indexed` changed since it was stored.

    Needs the row's topic and the topic's `reindexing` loaded.
    """
    change = None if row.by_dz else row.topic.reindexing
    changed = change is not None and change.state == State.ACTIVE and row.request_id < change.pk
    if row.dz and not changed:
        stored: list[str] = row.dz
        return stored
    return Encoder().encode(row.topic, row.filter).dz
