"""The event space of a topic: attributes in order, indexed attributes, and dz of events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute, Bool, Enum, Int
from tercast.eventspace.attribute_reader import attribute_errors, parse_attribute
from tercast.eventspace.dz import Dz
from tercast.eventspace.float_attribute import Float
from tercast.eventspace.interleaving import BitSchedule
from tercast.eventspace.string_attribute import String, text_problem
from tercast.runtime.strict_json import (
    caught,
    expect_integer,
    expect_keys,
    expect_list,
    expect_text,
    integer_json,
    parse_integer,
)

__all__ = ["FORMER", "Attribute", "Bool", "Enum", "Float", "Int", "String", "Topic", "parse_attribute"]

MAX_ATTRIBUTES = 64
MAX_TOPIC_NAME = 128
MAX_CODE = (1 << 112) - 1
MAX_DEPTH = 4_096

FORMER = "\n"
"""Suffix of the name of a topic under its former code; it cannot be printed, so no topic name has it."""

_KEPT_SCHEDULES = 16


@dataclass(frozen=True, slots=True)
class Topic:
    """A named kind of event: its code in addresses, its attributes, and the indexed names.

    `indexed` is in the attributes' order, in which their bits alternate in a dz.
    """

    name: str
    code: int
    attributes: tuple[Attribute, ...]
    indexed: tuple[str, ...] = ()
    positions: dict[str, int] = field(init=False, compare=False, repr=False)
    indexed_positions: tuple[int, ...] = field(init=False, compare=False, repr=False)
    _schedules: dict[int, BitSchedule] = field(init=False, compare=False, repr=False)

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

    def __reduce__(self) -> tuple[Any, ...]:
        return Topic, (self.name, self.code, self.attributes, self.indexed)

    @classmethod
    def from_json(cls, obj: object, path: Path = ()) -> Topic:
        """Read a topic from its JSON object; without `indexed`, all attributes are indexed."""
        fields = expect_keys(obj, path, ("name", "code", "attributes"), ("indexed",))
        name = _parse_topic_name(fields["name"], (*path, "name"))
        code = expect_integer(fields["code"], (*path, "code"), 0, MAX_CODE)
        attributes = _parse_attributes(fields["attributes"], (*path, "attributes"))
        if "indexed" not in fields:
            return cls(name, code, attributes)
        names = [attribute.name for attribute in attributes]
        return cls(name, code, attributes, parse_indexed(fields["indexed"], names, (*path, "indexed")))

    def to_json(self) -> dict[str, object]:
        """Write the object that `from_json` reads as this topic."""
        return {
            "name": self.name,
            "code": self.code,
            "indexed": list(self.indexed),
            "attributes": [attribute.to_json() for attribute in self.attributes],
        }

    def with_indexed(self, indexed: object, path: Path = ()) -> Topic:
        """Return a copy of the topic with other indexed attributes, given as a list of names."""
        names = parse_indexed(indexed, [attribute.name for attribute in self.attributes], path)
        return Topic(self.name, self.code, self.attributes, names)

    def with_code(self, code: int) -> Topic:
        """Return a copy of the topic with another code."""
        return Topic(self.name, code, self.attributes, self.indexed)

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
            detail = f"{shown(values)} is not an object with a value for each attribute"
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
        return {name: integer_json(value) if type(value) is int else value for name, value in values.items()}

    def event_dz(self, values: Mapping[str, Any], depth: int) -> Dz:
        """The dz of an event at `depth` bits, or fewer if its path ends earlier.

        Only the indexed attributes are read. Refused, as in `check`, if a value is outside its domain.
        """
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
        """The order of the indexed attributes' bits up to `depth`."""
        found = self._schedules.get(depth)
        if found is None:
            expect_integer(depth, ("depth",), 1, MAX_DEPTH)
            if len(self._schedules) >= _KEPT_SCHEDULES:
                self._schedules.clear()
            found = BitSchedule([self.attributes[i].size for i in self.indexed_positions], depth)
            self._schedules[depth] = found
        return found

    def _find(self, name: object) -> Attribute | None:
        position = self.positions.get(name) if isinstance(name, str) else None
        return None if position is None else self.attributes[position]

    def _unknown(self, name: object, path: Path, value: object = None) -> Refused:
        names = ", ".join(attribute.name for attribute in self.attributes[:12])
        more = f" and {len(self.attributes) - 12} more" if len(self.attributes) > 12 else ""
        detail = f"{shown(name)} is not an attribute of topic {shown(self.name)}; use one of {names}{more}"
        return Refused(path, "unknown_attribute", detail, value)


def topic_errors(name: object, attributes: object, indexed: object = None) -> list[Refused]:
    """Return all errors in the parts of a new topic; empty if the parts are valid.

    Args:
        name: The name; None is not checked.
        attributes: The JSON list of attributes; None is not checked.
        indexed: The JSON list of indexed names; None is not checked.
    """
    errors: list[Refused] = []
    if name is not None:
        caught(errors, lambda: _parse_topic_name(name, ("name",)))
    if attributes is not None:
        errors += _attribute_list_errors(attributes, ("attributes",))
    if indexed is not None:
        errors += indexed_errors(indexed, _readable_names(attributes), ("indexed",))
    return errors


def _readable_names(attributes: object) -> list[str] | None:
    """Return the names in a JSON list of attributes; None if a name is missing or no text."""
    if not isinstance(attributes, list | tuple) or not attributes:
        return None
    names = [each.get("name") if isinstance(each, Mapping) else None for each in attributes]
    known = [name for name in names if isinstance(name, str)]
    return known if len(known) == len(names) else None


def indexed_errors(value: object, names: Iterable[str] | None, path: Path = ()) -> list[Refused]:
    """Return all errors in a list of indexed names; `names` None: the attributes are unknown."""
    errors: list[Refused] = []
    items = caught(errors, lambda: expect_list(value, path))
    if items is not None and not items:
        errors.append(Refused(path, "empty", "the list is empty; index at least one attribute", value))
    known = None if names is None else tuple(names)
    chosen: set[str] = set()
    for i, item in enumerate(items or ()):
        name = caught(errors, partial(_parse_indexed_name, item, (*path, i), known, chosen))
        if name is not None:
            chosen.add(name)
    return errors


def parse_indexed(value: object, names: Iterable[str], path: Path = ()) -> tuple[str, ...]:
    """Read `value`, a non-empty list of distinct names from `names`."""
    for error in indexed_errors(value, names, path):
        raise error
    return tuple(str(name) for name in expect_list(value, path))


def _parse_indexed_name(
    value: object, path: Path, known: Collection[str] | None, chosen: Collection[str]
) -> str:
    name = expect_text(value, path)
    if known is not None and name not in known:
        detail = f"{shown(name)} is not an attribute of the topic; use one of {', '.join(known)}"
        raise Refused(path, "unknown_attribute", detail, name)
    if name in chosen:
        raise Refused(path, "duplicate", f"{shown(name)} is listed twice", name)
    return name


def _parse_topic_name(value: object, path: Path) -> str:
    name = expect_text(value, path)
    if not 1 <= len(name) <= MAX_TOPIC_NAME:
        detail = f"the name has {len(name)} characters; a topic name has 1 to {MAX_TOPIC_NAME}"
        raise Refused(path, "bad_name", detail, name)
    if text_problem(name) or not name.isprintable():
        detail = f"{shown(name)} contains a character that cannot be printed"
        raise Refused(path, "bad_name", detail, name)
    return name


def _parse_attributes(value: object, path: Path) -> tuple[Attribute, ...]:
    out: dict[str, Attribute] = {}
    for i, item in enumerate(_attribute_items(value, path)):
        attribute = parse_attribute(item, (*path, i))
        if attribute.name in out:
            raise _repeated(attribute.name, (*path, i))
        out[attribute.name] = attribute
    return tuple(out.values())


def _attribute_items(value: object, path: Path) -> Sequence[object]:
    items = expect_list(value, path)
    if not 1 <= len(items) <= MAX_ATTRIBUTES:
        detail = f"the list has {len(items)} attributes; a topic has 1 to {MAX_ATTRIBUTES}"
        raise Refused(path, "bad_count", detail, value)
    return items


def _attribute_list_errors(value: object, path: Path) -> list[Refused]:
    errors: list[Refused] = []
    seen: set[object] = set()
    for i, item in enumerate(caught(errors, lambda: _attribute_items(value, path)) or ()):
        errors += attribute_errors(item, (*path, i))
        name = item.get("name") if isinstance(item, Mapping) else None
        if isinstance(name, str):
            if name in seen:
                errors.append(_repeated(name, (*path, i)))
            seen.add(name)
    return errors


def _repeated(name: str, path: Path) -> Refused:
    detail = f"{shown(name)} is already an attribute of this topic; choose another name"
    return Refused((*path, "name"), "duplicate", detail, name)
