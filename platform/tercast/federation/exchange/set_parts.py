"""Parts of topics and sets that fit one message each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from tercast.eventspace.dz import Dz, DzSet
from tercast.eventspace.topic import Topic
from tercast.federation.exchange.exchanged_sets import SetChange
from tercast.federation.messages import peer_messages as m
from tercast.federation.messages.message_fields import cells_size
from tercast.federation.messages.set_name import SetName
from tercast.federation.tree.border_ends import SessionId

PART_BYTES = 1_100
"""Bytes of cells and of the topic's name in one message; the other fields need at most 91."""


def topic_terms(topic: Topic, version: int, depth: int) -> m.TopicTerms:
    """Return what two partitions must agree on to share a topic."""
    schema = json.dumps(topic.to_json(), sort_keys=True).encode()
    return m.TopicTerms(topic.name, topic.code, hashlib.sha256(schema).digest(), version, depth)


def topic_parts(session: SessionId, topics: tuple[m.TopicTerms, ...]) -> Iterator[m.Numbered]:
    """Divide topics into messages; a name has at most 128 characters, and 512 bytes."""
    groups = [topics[i : i + 1] for i in range(len(topics))] or [()]
    return (m.Topics(session, i, len(groups), group) for i, group in enumerate(groups))


def diff_parts(session: SessionId, name: SetName, change: SetChange) -> Iterator[m.Numbered]:
    """Divide a change into messages."""
    parts = split_cells(name, change.added, change.removed)
    for i, (added, removed) in enumerate(parts):
        numbers = change.from_version, change.to_version, i, len(parts)
        yield m.SetDiff(session, name, *numbers, added, removed, change.digest)


def split_cells(name: SetName, added: DzSet, removed: DzSet) -> list[tuple[DzSet, DzSet]]:
    """Divide cells into parts that fit one message; at least one part."""
    parts: list[tuple[list[Dz], list[Dz]]] = [([], [])]
    left = most = PART_BYTES - len(name.topic.encode())
    for which, cells in enumerate((added, removed)):
        for dz in cells:
            size = cells_size((dz,)) - 2
            if size > left:
                parts.append(([], []))
                left = most
            parts[-1][which].append(dz)
            left -= size
    return [(tuple(some), tuple(others)) for some, others in parts]
