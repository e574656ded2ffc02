"""Name of a set of dz that two neighbours exchange."""

from typing import NamedTuple


class SetName(NamedTuple):
    """A set of one border: its topic, and `advertisement` or `subscription`."""

    topic: str
    kind: str
