"""Where the host tools learn topics, hosts and filters: a scenario file, or `api`, the running platform."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tercast.client.event_origins import EventOrigins, FixedOrigins
from tercast.client.lease import PublisherLease
from tercast.errors import Path as Place
from tercast.errors import Refused, TercastError, shown
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.requests import kinds
from tercast.runtime.strict_json import expect_integer, expect_list, expect_object, expect_text


@dataclass(frozen=True, slots=True)
class HostRecord:
    """A host's name and addresses."""

    name: str
    ip: str
    mac: str


@dataclass(frozen=True, slots=True)
class AnnouncedFilter:
    """An advertisement or a subscription: its id, its topic's name, its filter's text."""

    name: str
    topic: str
    filter: str


class MetadataSource(Protocol):
    """What the tools ask; everything unknown is Refused by name."""

    def topic(self, name: str) -> Topic:
        """The topic of that name, in its encoding of now."""

    def host(self, name: str) -> HostRecord:
        """The host of that name."""

    def subscriptions(self, host: str) -> list[AnnouncedFilter]:
        """The live subscriptions of a host."""

    def advertisement(self, name: str) -> AnnouncedFilter:
        """The live advertisement of that id."""

    def address(self, family: str) -> AddressPlan:
        """The plan that events of a family (ipv4, ipv6) are addressed by."""

    def depth(self) -> int | None:
        """The length of an event's dz; None for all the room there is."""

    def lease(self, advertisement: str) -> PublisherLease | None:
        """What tells a publisher of other encodings; None where there will be none."""

    def origins(self, topics: Iterable[str], own: str) -> EventOrigins | None:
        """Return where the events of topics come from; None where the host at address `own` cannot know."""


class ScenarioSource:
    """Reads a scenario of the offline tools; of it, only what hosts need is looked at."""

    def __init__(self, document: object) -> None:
        scenario = expect_object(document, ())
        if scenario.get("format") != "scenario/1":
            detail = f"{shown(scenario.get('format'))} is not scenario/1"
            raise Refused(("format",), "unknown_format", detail, scenario.get("format"))
        self._scenario = scenario
        self._topics = {topic.name: topic for topic in self._read_topics()}
        self._live: dict[str, Mapping[str, object]] = {}
        for i, item in enumerate(self._list("requests")):
            self._apply(expect_object(item, ("requests", i)), ("requests", i))

    @classmethod
    def load(cls, path: str | Path) -> ScenarioSource:
        """The scenario in a file; Refused with the place in the file."""
        return cls(load_json(path))

    def topic(self, name: str) -> Topic:
        """The topic of that name, with its last choice of indexed attributes."""
        if name not in self._topics:
            raise _unknown("topic", name, self._topics)
        return self._topics[name]

    def host(self, name: str) -> HostRecord:
        """The host of that name in the topology."""
        records = self._hosts()
        if name not in records:
            raise _unknown("host", name, records)
        return records[name]

    def _hosts(self) -> dict[str, HostRecord]:
        topology = expect_object(self._scenario.get("topology"), ("topology",))
        records: dict[str, HostRecord] = {}
        for i, item in enumerate(expect_list(topology.get("hosts", []), ("topology", "hosts"))):
            place: Place = ("topology", "hosts", i)
            fields = [_text(expect_object(item, place), key, place) for key in ("id", "ip", "mac")]
            records[fields[0]] = HostRecord(*fields)
        return records

    def subscriptions(self, host: str) -> list[AnnouncedFilter]:
        """The host's subscriptions that no later request withdraws."""
        return [
            _announced(request)
            for request in self._live.values()
            if request.get("op") == kinds.SUBSCRIBE and request.get("host") == host
        ]

    def advertisement(self, name: str) -> AnnouncedFilter:
        """The advertisement of that id that no later request withdraws."""
        live = {key: request for key, request in self._live.items() if request.get("op") == kinds.ADVERTISE}
        if name not in live:
            raise _unknown("advertisement", name, live)
        return _announced(live[name])

    def address(self, family: str) -> AddressPlan:
        """The scenario's own plan, else the default of the family."""
        if "address" in self._scenario:
            return AddressPlan.from_json(self._scenario["address"], ("address",))
        return AddressPlan.default(family)

    def depth(self) -> int | None:
        """The scenario's `max_dz_length`."""
        limits = expect_object(self._scenario.get("limits", {}), ("limits",))
        depth = limits.get("max_dz_length")
        return None if depth is None else expect_integer(depth, ("limits", "max_dz_length"), 1)

    def lease(self, advertisement: str) -> PublisherLease | None:
        """None: a scenario stays as it is."""
        return None

    def origins(self, topics: Iterable[str], own: str) -> EventOrigins | None:
        """Return the addresses of the advertisements' hosts; None at an address that no host here has."""
        records = self._hosts()
        if own not in {record.ip for record in records.values()}:
            return None
        placed = {
            name: records.get(str(request.get("host")))
            for name, request in self._live.items()
            if request.get("op") == kinds.ADVERTISE
        }
        return FixedOrigins({name: record.ip for name, record in placed.items() if record is not None})

    def _read_topics(self) -> list[Topic]:
        return [Topic.from_json(item, ("topics", i)) for i, item in enumerate(self._list("topics"))]

    def _list(self, key: str) -> list[object] | tuple[object, ...]:
        return expect_list(self._scenario.get(key, []), (key,))

    def _apply(self, request: Mapping[str, object], place: Place) -> None:
        match request.get("op"):
            case kinds.ADVERTISE | kinds.SUBSCRIBE:
                for key in ("host", "topic", "filter"):
                    _text(request, key, place)
                self._live[_text(request, "id", place)] = request
            case kinds.UNADVERTISE | kinds.UNSUBSCRIBE:
                self._live.pop(_text(request, "id", place), None)
            case kinds.SET_INDEXED:
                topic = self.topic(_text(request, "topic", place))
                changed = topic.with_indexed(request.get("indexed"), (*place, "indexed"))
                self._topics[topic.name] = changed


def load_json(path: str | Path) -> object:
    """The JSON document in a file; TercastError for what cannot be read, is no JSON, or is too deep."""
    try:
        return parse_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TercastError(f"cannot read {str(path)!r}: {reason}") from None


def parse_json(text: str) -> object:
    """The JSON value in `text`; ValueError in one line for anything else, NaN and infinities among it."""
    try:
        return json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


def _announced(request: Mapping[str, object]) -> AnnouncedFilter:
    return AnnouncedFilter(*(str(request[key]) for key in ("id", "topic", "filter")))


def _text(fields: Mapping[str, object], key: str, place: Place) -> str:
    if key not in fields:
        raise Refused((*place, key), "missing_key", "this key is missing")
    return expect_text(fields[key], (*place, key))


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> Refused:
    some = ", ".join(list(known)[:8]) or "none"
    return Refused((kind,), f"unknown_{kind}", f"{shown(name)} is no {kind} here; there are {some}", name)
