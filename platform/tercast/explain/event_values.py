"""Values of an event as users write them: a JSON object, or name=value pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tercast.client.publish_command import parse_value
from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace.topic import Int, Topic
from tercast.runtime.json_files import parse_json
from tercast.runtime.strict_json import parse_integer
from tercast.runtime.wording import first_of


@dataclass(frozen=True, slots=True)
class RawValues:
    """Values before a topic reads them: from JSON, or texts by name."""

    json: object = None
    texts: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def parse(cls, text: str) -> RawValues:
        """Parse `{"low": 92}` or `low=92,symbol=IBM`; Refused for other texts."""
        if text.lstrip().startswith("{"):
            try:
                return cls(parse_json(text.encode("utf-8", "surrogatepass")))
            except (Refused, RefusedMany) as refused:
                raise refused.under("values") from None
        return cls.pairs(text.split(",") if text else ())

    @classmethod
    def pairs(cls, items: Iterable[str]) -> RawValues:
        """Parse items like `low=92`."""
        texts: dict[str, str] = {}
        wrong: list[Refused] = []
        for item in items:
            name, separator, text = item.partition("=")
            if not separator or not name:
                detail = f"{shown(item)} is not NAME=VALUE; write NAME=VALUE, or a JSON object"
                wrong.append(Refused(("values",), "bad_value", detail, item))
            elif name in texts:
                detail = f"{shown(name)} has two values; keep one"
                wrong.append(Refused(("values", name), "duplicate", detail, text))
            else:
                texts[name] = text
        _raise(wrong)
        return cls(texts=tuple(texts.items()))

    def read(self, topic: Topic) -> dict[str, Any]:
        """Return the values in the normal form of a topic; collect all errors below `values`."""
        given = self.json if self.texts is None else dict(self.texts)
        if not isinstance(given, Mapping):
            return topic.check_json(given, ("values",))
        values: dict[str, Any] = {}
        wrong: list[Refused] = []
        for name in (*topic.positions, *(name for name in given if name not in topic.positions)):
            try:
                values[name] = self._value(topic, name, given)
            except Refused as refused:
                wrong.append(refused)
        _raise(wrong)
        return values

    def _value(self, topic: Topic, name: str, given: Mapping[str, Any]) -> Any:
        """The value of one attribute; Refused for an unknown name."""
        path = ("values", name)
        value = given.get(name)
        if name not in topic.positions:
            names = first_of(topic.positions, 12)
            detail = f"{shown(name)} is not an attribute of topic {shown(topic.name)}; use one of {names}"
            raise Refused(path, "unknown_attribute", detail, value)
        attribute = topic.attribute(name)
        if name not in given:
            of = shown(topic.name)
            detail = (
                f"{shown(name)} has no value; an event of topic {of} needs a value of type {attribute.kind}"
            )
            raise Refused(path, "missing_attribute", detail)
        if self.texts is not None:
            try:
                value = parse_value(attribute, str(value))
            except Refused as refused:
                raise refused.under("values") from None
        elif isinstance(value, str) and isinstance(attribute, Int):
            value = parse_integer(value, path)
        return attribute.check(value, path)


def _raise(wrong: Sequence[Refused]) -> None:
    if wrong:
        raise RefusedMany(wrong) if len(wrong) > 1 else wrong[0]
