"""The values of an event as people write them: a JSON object, or name=value pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tercast.client.publishing import parse_value
from tercast.errors import Refused, RefusedMany, shown
from tercast.eventspace import Topic
from tercast.files import parse_json


@dataclass(frozen=True, slots=True)
class Given:
    """Values that are yet to be read by a topic: of JSON, or texts by name."""

    json: object = None
    texts: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def parse(cls, text: str) -> Given:
        """`{"low": 92}`, or `low=92,symbol=IBM`; Refused where it is neither."""
        if text.lstrip().startswith("{"):
            try:
                return cls(parse_json(text.encode("utf-8", "surrogatepass")))
            except (Refused, RefusedMany) as refused:
                raise refused.under("values") from None
        return cls.pairs(text.split(",") if text else ())

    @classmethod
    def pairs(cls, items: Iterable[str]) -> Given:
        """`low=92` each."""
        texts: dict[str, str] = {}
        for item in items:
            name, separator, text = item.partition("=")
            if not separator or not name:
                detail = f"{shown(item)} is not NAME=VALUE; a JSON object is taken as well"
                raise Refused(("values",), "bad_value", detail, item)
            if name in texts:
                raise Refused(("values", name), "duplicate", "this attribute has two values", text)
            texts[name] = text
        return cls(texts=tuple(texts.items()))

    def read(self, topic: Topic) -> dict[str, Any]:
        """The values in the normal form of a topic; Refused below `values`."""
        if self.texts is None:
            return topic.check_json(self.json, ("values",))
        values: dict[str, object] = {}
        for name, text in self.texts:
            position = topic.positions.get(name)
            try:
                values[name] = text if position is None else parse_value(topic.attributes[position], text)
            except Refused as refused:
                raise refused.under("values") from None
        return topic.check(values, ("values",))
