"""What every format is read into: nodes and edges as the file has them, nothing repaired yet."""

from collections.abc import Hashable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RawNode:
    """A node of the file. `key` names it there; coordinates are degrees, or None."""

    key: Hashable
    label: str = ""
    latitude: object = None
    longitude: object = None
    dpid: object = None
    hyperedge: bool = False
    is_host: bool = False


@dataclass(frozen=True, slots=True)
class RawEdge:
    """An edge of the file; `weight` None where it gives none, ports likewise."""

    a: Hashable
    b: Hashable
    weight: object = None
    a_port: object = None
    b_port: object = None


@dataclass(slots=True)
class RawGraph:
    """A file's graph. With `both_ways`, each link stands there once for each direction."""

    nodes: list[RawNode] = field(default_factory=list)
    edges: list[RawEdge] = field(default_factory=list)
    both_ways: bool = False
