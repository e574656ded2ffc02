"""What every format is read into: nodes and edges as the file has them, nothing repaired yet."""

import json
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from tercast.errors import shown

WEIGHTS = ("weight", "cost", "metric")


@dataclass(frozen=True, slots=True)
class RawNode:
    """A node of the file. `key` names it there; coordinates are degrees, or None; addresses are a host's."""

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
        """From the attributes (their names in small letters) that GraphML and GML files use.

        `is_group` says that the node frames other nodes; GML of yEd says it by an attribute.
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
    """An edge of the file, and its line there; `weight` and ports are None where it gives none."""

    a: Hashable
    b: Hashable
    weight: object = None
    a_port: object = None
    b_port: object = None
    line: int | None = None


@dataclass(slots=True)
class RawGraph:
    """A file's graph. With `both_ways`, the file lists each link once for each direction.

    None where the file does not say: its links then show it. Unless `surely_both_ways`, a file may
    have all its links only once as well.

    `edges_name` is what the file calls its list of edges, `notes` tells what the reader itself left out.
    """

    nodes: list[RawNode] = field(default_factory=list)
    edges: list[RawEdge] = field(default_factory=list)
    both_ways: bool | None = None
    surely_both_ways: bool = False
    edges_name: str = "edges"
    notes: list[str] = field(default_factory=list)


def str_of(value: object) -> str:
    """A text or a number as text; empty for whatever else stands where a text is expected."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def text_of(key: Hashable) -> str:
    """The text of a node's key: a list as JSON writes it, others as they are."""
    return json.dumps(key, ensure_ascii=False) if isinstance(key, tuple) else str(key)


def shown_key(key: Hashable) -> str:
    """The key for a message; a list as it is, cut like others."""
    return shown(text_of(key))[1:-1] if isinstance(key, tuple) else shown(key)


def first_of(fields: Mapping[str, object], names: tuple[str, ...]) -> object:
    """The field of the first of these names that is there; None without one."""
    return next((fields[name] for name in names if name in fields), None)


def words_of(error: Exception) -> str:
    """What an error of another library says: one line, printable, not too long."""
    line = " ".join(str(error).split())[:200]
    return "".join(char if char.isprintable() else "?" for char in line) or type(error).__name__
