"""Reading of the parts of a topic: its name, attributes, and indexed names, with all errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from tercast.errors import Path, Refused, shown
from tercast.eventspace.attribute import Attribute
from tercast.eventspace.attribute_reader import attribute_errors, parse_attribute
from tercast.eventspace.cut_tree import cut_errors
from tercast.eventspace.string_attribute import text_problem
from tercast.runtime.strict_json import caught, expect_list, expect_text

MAX_ATTRIBUTES = 64
MAX_TOPIC_NAME = 128


def topic_errors(
    name: object, attributes: object, indexed: object = None, cuts: object = None
) -> list[Refused]:
    """Return all errors in the parts of a new topic; empty if the parts are valid.

    Args:
        name: The name; None is not checked.
        attributes: The JSON list of attributes; None is not checked.
        indexed: The JSON list of indexed names; None is not checked.
        cuts: The JSON list of nodes of the cut tree; None is not checked. It is also not checked if
            attributes are invalid.
    """
    errors: list[Refused] = []
    if name is not None:
        caught(errors, lambda: parse_topic_name(name, ("name",)))
    if attributes is not None:
        errors += _attribute_list_errors(attributes, ("attributes",))
    if indexed is not None:
        errors += indexed_errors(indexed, _readable_names(attributes), ("indexed",))
    if cuts is not None and attributes is not None and not _attribute_list_errors(attributes, ()):
        errors += cut_errors(cuts, parse_attributes(attributes, ()), ("cuts",))
    return errors


def space_errors(
    attributes: Sequence[Attribute], indexed: object = None, cuts: object = None
) -> list[Refused]:
    """Return all errors in other indexed names or cuts of a topic; None is not checked."""
    names = [attribute.name for attribute in attributes]
    errors = [] if indexed is None else indexed_errors(indexed, names, ("indexed",))
    return errors if cuts is None else errors + cut_errors(cuts, attributes, ("cuts",))


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


def parse_topic_name(value: object, path: Path) -> str:
    """Read the name of a topic: at most 128 characters that can be printed."""
    name = expect_text(value, path)
    if not 1 <= len(name) <= MAX_TOPIC_NAME:
        detail = f"the name has {len(name)} characters; a topic name has 1 to {MAX_TOPIC_NAME}"
        raise Refused(path, "bad_name", detail, name)
    if text_problem(name) or not name.isprintable():
        detail = f"{shown(name)} contains a character that cannot be printed"
        raise Refused(path, "bad_name", detail, name)
    return name


def parse_attributes(value: object, path: Path) -> tuple[Attribute, ...]:
    """Read the JSON list of a topic's attributes."""
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
