"""The event space of a topic: attributes in order, indexed attributes, and dz of events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.attribute_reader import parse_attribute
from tercast.eventspace.counted_attributes import Bool, Enum, Int
from tercast.eventspace.cut_space import CutSpace
from tercast.eventspace.cut_tree import NO_CUTS, CutTree
from tercast.eventspace.dz import Dz
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.interleaving import BitSchedule
from tercast.eventspace.string_attribute import String
from tercast.eventspace.topic_reader import parse_attributes, parse_indexed, parse_topic_name
from tercast.runtime.strict_json import expect_integer, expect_keys, parse_integer, value_json
from tercast.runtime.wording import first_of

__all__ = ["FORMER", "Attribute", "Bool", "Enum", "Float", "Int", "String", "Topic", "parse_attribute"]

MAX_CODE = (1 << 112) - 1
MAX_DEPTH = 4_096

FORMER = "\n"
"""Suffix of the name of a topic under its former code; it cannot be printed, so no topic name has it."""

_KEPT_DEPTHS = 16


@dataclass(frozen=True, slots=True)
class Topic:
    """A named kind of event: its code in addresses, its attributes, and the indexed names.

    `indexed` is in the attributes' order, in which their bits alternate in a dz. `cuts` are the first
    decisions of a dz (see `tercast.eventspace.cut_tree`).
    """

    name: str
    code: int
    attributes: tuple[Attribute, ...]
    indexed: tuple[str, ...] = ()
    cuts: CutTree = NO_CUTS
    positions: dict[str, int] = field(init=False, compare=False, repr=False)
    indexed_positions: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _schedules: dict[int, BitSchedule] = field(init=False, compare=False, repr=False)
    _cut_spaces: dict[int, CutSpace] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        positions = {attribute.name: i for i, attribute in enumerate(self.attributes)}
        if not self.attributes or len(positions) < len(self.attributes):
            raise Refused(("attributes",), "duplicate", "a topic needs attributes with distinct names")
        chosen = {positions.get(name, -1) for name in self.indexed or positions}
        if -1 in chosen:
            detail = "an indexed name is not an attribute of the topic"
            raise Refused(("indexed",), "unknown_attribute", detail)
        object.__setattr__(self, "positions", positions)
        object.__setattr__(self, "indexed_positions", tuple(sorted(chosen)))
        object.__setattr__(self, "indexed", tuple(self.attributes[i].name for i in sorted(chosen)))
        object.__setattr__(self, "_schedules", {})
        object.__setattr__(self, "_cut_spaces", {})

    def __reduce__(self) -> tuple[Any, ...]:
        return Topic, (self.name, self.code, self.attributes, self.indexed, self.cuts)

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> Topic:
        """Read a topic from its JSON object.

        Without `indexed`, all attributes are indexed. Without `cuts`, there are none.
        """
        fields = expect_keys(obj, path, ("name", "code", "attributes"), ("indexed", "cuts"))
        name = parse_topic_name(fields["name"], (*path, "name"))
        code = expect_integer(fields["code"], (*path, "code"), 0, MAX_CODE)
        attributes = parse_attributes(fields["attributes"], (*path, "attributes"))
        cuts = CutTree.from_json(fields.get("cuts", ()), attributes, (*path, "cuts"))
        if "indexed" not in fields:
            return cls(name, code, attributes, (), cuts)
        names = [attribute.name for attribute in attributes]
        return cls(name, code, attributes, parse_indexed(fields["indexed"], names, (*path, "indexed")), cuts)

    def to_json(self) -> dict[str, object]:
        """Write the object that `from_json` reads; it has `cuts` only if there are any."""
        cuts = {"cuts": self.cuts.to_json(self.attributes)} if self.cuts else {}
        return {
            "name": self.name,
            "code": self.code,
            "indexed": list(self.indexed),
            **cuts,
            "attributes": [attribute.to_json() for attribute in self.attributes],
        }

    def with_indexed(self, indexed: object, path: Path = ()) -> Topic:
        """Return a copy of the topic with other indexed attributes, a list of names; cuts stay."""
        names = parse_indexed(indexed, [attribute.name for attribute in self.attributes], path)
        return Topic(self.name, self.code, self.attributes, names, self.cuts)

    def with_cuts(self, cuts: object, path: Path = ()) -> Topic:
        """Return a copy of the topic with other cuts, given as the JSON list of nodes."""
        tree = CutTree.from_json(cuts, self.attributes, path)
        return Topic(self.name, self.code, self.attributes, self.indexed, tree)

    def with_code(self, code: int) -> Topic:
        """Return a copy of the topic with another code."""
        return Topic(self.name, code, self.attributes, self.indexed, self.cuts)

    def with_name(self, name: str) -> Topic:
        """Return a copy of the topic with another name."""
        return Topic(name, self.code, self.attributes, self.indexed, self.cuts)

    @property
    def coded_positions(self) -> tuple[int, ...]:
        """The positions of the attributes that determine a dz: indexed, or with cuts."""
        return self.cuts.coded_positions(self.indexed_positions)

    def attribute(self, name: str) -> Attribute:
        """The attribute with this name; Refused if there is none."""
        position = self.positions.get(name)
        if position is None:
            raise self._unknown(name, ())
        return self.attributes[position]

    def check(self, values: Mapping[str, object], path: Path = ()) -> dict[str, Any]:
        """Return the event's values in their normal form and in the topic's order.

        Refused if a value is missing, null, of a wrong type or outside its domain, or has an unknown name.
        """
        if not isinstance(values, Mapping):
            detail = f"found {shown(values)}, expected an object with a value for each attribute"
            raise Refused(path, "wrong_type", detail, values)
        out = {}
        for attribute in self.attributes:
            name = attribute.name
            if name not in values:
                detail = "the event has no value for this attribute"
                raise Refused((*path, name), "missing_attribute", detail)
            out[name] = attribute.check(values[name], (*path, name))
        if len(values) > len(out):
            name = next(name for name in values if name not in out)
            raise self._unknown(name, (*path, str(name)), values[name])
        return out

    def check_json(self, values: object, path: Path = ()) -> dict[str, Any]:
        """Check values from JSON; an integer beyond 2**53-1 of an int attribute may be a string."""
        if isinstance(values, Mapping):
            values = {
                name: parse_integer(value, (*path, name))
                if isinstance(value, str) and isinstance(self._find(name), Int)
                else value
                for name, value in values.items()
            }
        return self.check(values, path)  # type: ignore[arg-type]

    def values_json(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Write checked values as JSON; integers beyond 2**53-1 are decimal strings."""
        return {name: value_json(value) for name, value in values.items()}

    def event_dz(self, values: Mapping[str, Any], depth: int) -> Dz:
        """The dz of an event at `depth` bits, or fewer if its path ends earlier.

        Only the indexed attributes and those with cuts are read. Refused, as in `check`, if a value is
        outside its domain.
        """
        if self.cuts:
            return self.cut_space(depth).event_dz(values)
        schedule = self.schedule(depth)
        indexes = []
        for i in self.indexed_positions:
            attribute = self.attributes[i]
            if attribute.name not in values:
                detail = "the event has no value for this attribute"
                raise Refused((attribute.name,), "missing_attribute", detail)
            indexes.append(attribute.index(values[attribute.name]))
        return schedule.event_dz(indexes)

    def schedule(self, depth: int) -> BitSchedule:
        """The order of the indexed attributes' bits up to `depth`, without cuts."""
        found = self._schedules.get(depth)
        if found is None:
            _make_room(self._schedules, depth)
            found = BitSchedule([self.attributes[i].size for i in self.indexed_positions], depth)
            self._schedules[depth] = found
        return found

    def cut_space(self, depth: int) -> CutSpace:
        """The branches of the topic's cuts up to `depth`; ValueError without cuts."""
        found = self._cut_spaces.get(depth)
        if found is None:
            if not self.cuts:
                raise ValueError(f"topic {self.name} has no cuts")
            _make_room(self._cut_spaces, depth)
            found = CutSpace(self.attributes, self.indexed_positions, self.cuts, depth)
            self._cut_spaces[depth] = found
        return found

    def _find(self, name: object) -> Attribute | None:
        position = self.positions.get(name) if isinstance(name, str) else None
        return None if position is None else self.attributes[position]

    def _unknown(self, name: object, path: Path, value: object = None) -> Refused:
        names = first_of((attribute.name for attribute in self.attributes), 12)
        detail = f"{shown(name)} is not an attribute of topic {shown(self.name)}; use one of {names}"
        return Refused(path, "unknown_attribute", detail, value)


def _make_room(kept: dict[int, Any], depth: int) -> None:
    """Extend a cache by another depth; Refused for a depth that no dz has."""
    expect_integer(depth, ("depth",), 1, MAX_DEPTH)
    if len(kept) >= _KEPT_DEPTHS:
        kept.clear()
