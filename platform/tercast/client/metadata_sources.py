"""Sources of topics, hosts and filters for the host tools: a scenario file, or the platform."""

from __future__ import annotations

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
from tercast.runtime.json_parser import parse_finite
from tercast.runtime.strict_json import expect_integer, expect_list, expect_object, expect_text
from tercast.runtime.wording import unknown_name


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
    """Metadata that the host tools need; unknown names are Refused."""

    def topic(self, name: str) -> Topic:
        """The topic with this name, in its current encoding."""

    def host(self, name: str) -> HostRecord:
        """The host with this name."""

    def subscriptions(self, host: str) -> list[AnnouncedFilter]:
        """The live subscriptions of a host."""

    def advertisement(self, name: str) -> AnnouncedFilter:
        """The live advertisement with this id."""

    def address(self, family: str) -> AddressPlan:
        """The address plan for events of a family (ipv4, ipv6)."""

    def depth(self) -> int | None:
        """The length of an event's dz; None for as many bits as fit in an address."""

    def lease(self, advertisement: str) -> PublisherLease | None:
        """The lease that notifies a publisher of new encodings; None if the encoding cannot change."""

    def origins(self, topics: Iterable[str], own: str) -> EventOrigins | None:
        """Return the origins of topics' events; None if the host at address `own` cannot know them."""


class ScenarioSource:
    """Reader of a scenario of the offline tools; only the parts that hosts need are read."""

    def __init__(self, document: object) -> None:
        scenario = expect_object(document, ())
        if scenario.get("format") != "scenario/1":
            detail = f'{shown(scenario.get("format"))} is not a known format; use "scenario/1"'
            raise Refused(("format",), "unknown_format", detail, scenario.get("format"))
        self._scenario = scenario
        self._topics = {topic.name: topic for topic in self._read_topics()}
        self._live: dict[str, Mapping[str, object]] = {}
        for i, item in enumerate(self._list("requests")):
            self._apply(expect_object(item, ("requests", i)), ("requests", i))

    @classmethod
    def load(cls, path: str | Path) -> ScenarioSource:
        """Read the scenario in a file; Refused with the place of an error in the document."""
        return cls(load_json(path))

    def topic(self, name: str) -> Topic:
        """The topic with this name, in its last event space."""
        if name not in self._topics:
            raise _unknown("topic", name, self._topics)
        return self._topics[name]

    def host(self, name: str) -> HostRecord:
        """The host of the topology with this name."""
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
        """The advertisement with this id, if no later request withdraws it."""
        live = {key: request for key, request in self._live.items() if request.get("op") == kinds.ADVERTISE}
        if name not in live:
            raise _unknown("advertisement", name, live)
        return _announced(live[name])

    def address(self, family: str) -> AddressPlan:
        """The scenario's address plan, or else the default plan of the family."""
        if "address" in self._scenario:
            return AddressPlan.from_json(self._scenario["address"], ("address",))
        return AddressPlan.default(family)

    def depth(self) -> int | None:
        """The scenario's `max_dz_length`; None if it has none."""
        limits = expect_object(self._scenario.get("limits", {}), ("limits",))
        depth = limits.get("max_dz_length")
        return None if depth is None else expect_integer(depth, ("limits", "max_dz_length"), 1)

    def lease(self, advertisement: str) -> PublisherLease | None:
        """None: the encoding of a scenario does not change."""
        return None

    def origins(self, topics: Iterable[str], own: str) -> EventOrigins | None:
        """Return the host addresses of advertisements; None if no host here has the address `own`."""
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
                if "cuts" in request:
                    changed = changed.with_cuts(request["cuts"], (*place, "cuts"))
                self._topics[topic.name] = changed


def load_json(path: str | Path) -> object:
    """Read the JSON document in a file; TercastError if it is unreadable, not JSON, or too deep."""
    try:
        return parse_json(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TercastError(f"cannot read {str(path)!r}: {reason}") from None


def parse_json(text: str) -> object:
    """Parse the JSON value in `text`; ValueError with one line otherwise, also for NaN."""
    try:
        return parse_finite(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None


def _announced(request: Mapping[str, object]) -> AnnouncedFilter:
    return AnnouncedFilter(*(str(request[key]) for key in ("id", "topic", "filter")))


def _text(fields: Mapping[str, object], key: str, place: Place) -> str:
    if key not in fields:
        raise Refused((*place, key), "missing_key", "this key is missing")
    return expect_text(fields[key], (*place, key))


def _unknown(kind: str, name: str, known: Mapping[str, object]) -> Refused:
    detail = unknown_name(kind, name, known)
    return Refused((kind,), f"unknown_{kind}", detail, name)
