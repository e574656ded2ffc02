"""Parts of a topic's cuts, for publishers that read them from answers in band."""

import json
from functools import lru_cache
from typing import Any

from controlplane.registry.models import Topic
from tercast.eventspace.cut_tree import CutTree
from tercast.eventspace.topic_reader import parse_attributes
from tercast.signalling.cut_bytes import write_cuts
from tercast.signalling.messages import MAX_PART, CutReader, CutsPart


def cuts_part(topic: Topic, lease: dict[str, Any], reader: CutReader) -> CutsPart | None:
    """Return the cuts of a lease from the position that the publisher asks for.

    None without cuts, and if the publisher uses the lease's version already.
    """
    if not lease["cuts"] or reader.version == lease["version"]:
        return None
    data = _bytes_of(json.dumps([topic.attributes, lease["cuts"]]))
    position = min(reader.position, len(data))
    return CutsPart(len(data), position, data[position : position + MAX_PART])


@lru_cache(maxsize=16)
def _bytes_of(text: str) -> bytes:
    attributes, cuts = json.loads(text)
    parsed = parse_attributes(attributes, ())
    return write_cuts(CutTree.from_json(cuts, parsed), parsed)
