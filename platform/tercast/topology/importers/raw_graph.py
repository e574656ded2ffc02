"""Common result of all readers: nodes and edges as the file has them, before the repair."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from tercast.errors import shown

WEIGHTS = ("weight", "cost", "metric")


@dataclass(frozen=True, slots=True)
class RawNode:
    """A node of the file.

    Attributes:
        key: its name in the file.
        latitude: degrees, or None, like `longitude`.
        ip: the address of a host, or None, like `mac`.
    """

    key: Hashable
    label: str = ""
    latitude: object = None
    longitude: object = None
    dpid: object = None
    hyperedge: bool = False
    is_host: bool = False
    ip: object = None
    mac: object = None
    is_group: bool = False

    @classmethod
    def from_fields(cls, key: Hashable, fields: Mapping[str, object], *, is_group: bool = False) -> "RawNode":
        """Make a node of the attributes that GraphML and GML files use (names in lower case).

        `is_group` means that the node frames other nodes. GML files of yEd have an attribute for this.
        """
        hyperedge = str_of(fields.get("hyperedge")).lower() in ("1", "true")
        label = str_of(fields.get("label", fields.get("name", key)))
        return cls(
            key=key,
            label="" if hyperedge and label == "None" else label,
            latitude=first_of(fields, ("latitude", "lat")),
            longitude=first_of(fields, ("longitude", "lon", "lng")),
            dpid=fields.get("dpid"),
            hyperedge=hyperedge,
            is_group=is_group or str_of(fields.get("isgroup")).lower() in ("1", "true"),
        )


@dataclass(frozen=True, slots=True)
class RawEdge:
    """An edge of the file with its line; `weight` and the ports are None if the file has none."""

    a: Hashable
    b: Hashable
    weight: object = None
    a_port: object = None
    b_port: object = None
    line: int | None = None


@dataclass(slots=True)
class RawGraph:
    """The graph of a file.

    Attributes:
        both_ways: whether the file lists each link once for each direction. None: the file does not say, so
            the edges show it.
        surely_both_ways: whether the format requires both directions. Otherwise a file may also list all its
            links only once.
        edges_name: the name of the list of edges in the file.
        notes: lines about parts of the file that the reader ignored.
    """

    nodes: list[RawNode] = field(default_factory=list)
    edges: list[RawEdge] = field(default_factory=list)
    both_ways: bool | None = None
    surely_both_ways: bool = False
    edges_name: str = "edges"
    notes: list[str] = field(default_factory=list)


def str_of(value: object) -> str:
    """Convert a text or a number to text; any other value becomes an empty text."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def text_of(key: Hashable) -> str:
    """Convert the key of a node to text; a list is written as JSON."""
    return json.dumps(key, ensure_ascii=False) if isinstance(key, tuple) else str(key)


def shown_key(key: Hashable) -> str:
    """Format a key for a message; a list is shown without outer quotes."""
    return shown(text_of(key))[1:-1] if isinstance(key, tuple) else shown(key)


def first_of(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    """Return the field of the first of these names that exists, or None."""
    return next((fields[name] for name in names if name in fields), None)


def words_of(error: Exception) -> str:
    """Return the message of an error of another library: one printable line of limited length."""
    line = " ".join(str(error).split())[:200]
    return "".join(char if char.isprintable() else "?" for char in line) or type(error).__name__
