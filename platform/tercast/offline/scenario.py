"""Scenarios: a network, topics and requests in one file; strict reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from tercast.encoding.limits import Limits
from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter
from tercast.offline.partitions import read_partitions
from tercast.requests.model import (
    Advertise,
    Aggregate,
    External,
    FinishMove,
    Request,
    SetAggregation,
    Subscribe,
    Unadvertise,
    Unsubscribe,
)
from tercast.requests.reader import read_method, read_request
from tercast.requests.registry import Registry
from tercast.runtime.strict_json import expect_keys, expect_list, expect_text, wrong_type
from tercast.topology.reader import read_topology

FORMAT = "scenario/1"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Aggregation:
    """Aggregation of tables to fit their budgets; `sampling` is in (0, 1]."""

    method: str = "none"
    traffic: str | None = None
    sampling: float = 1.0


@dataclass(frozen=True, slots=True)
class Scenario:
    """A valid scenario: every request can be applied, apart from budgets.

    `final` is the registry after all requests, `filters` are those of the live registrations. `beginning`
    creates a registry in the initial state, to which the requests can be applied again. `partitions` names
    the switches of each partition; it is empty if one planner plans the whole network.
    """

    address: AddressPlan
    limits: Limits
    aggregation: Aggregation
    requests: tuple[Request, ...]
    final: Registry
    filters: dict[str, Filter]
    beginning: Callable[[], Registry] = field(repr=False)
    partitions: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """The length of a full-depth dz, in bits."""
        return self.limits.depth(self.address)


def read_scenario(obj: object) -> Scenario:
    """Read a scenario from its JSON object; RefusedMany with all errors."""
    fields = expect_keys(
        obj,
        (),
        ("format", "address", "topology", "topics", "requests"),
        ("limits", "aggregation", "partitions"),
    )
    if fields["format"] != FORMAT:
        raise Refused(("format",), "unknown_format", f'{shown(fields["format"])} is not "{FORMAT}"')
    errors = _ScenarioErrors()
    address = errors.catch(lambda: AddressPlan.from_json(fields["address"], ("address",)))
    limits = errors.catch(lambda: Limits.from_json(fields.get("limits", {}), ("limits",)))
    aggregation = errors.catch(lambda: _read_aggregation(fields.get("aggregation", {}), ("aggregation",)))
    requests = _read_requests(fields["requests"], errors)
    if address is None:
        raise RefusedMany(errors.found)
    _check_topics(fields["topics"], address, errors)
    errors.catch(lambda: read_topology(fields["topology"], address.family, ("topology",)))
    if errors.found or limits is None or aggregation is None:
        raise RefusedMany(errors.found)

    def beginning() -> Registry:
        topology = read_topology(fields["topology"], address.family, ("topology",))
        topics = [Topic.from_json(item) for item in fields["topics"]]  # type: ignore[attr-defined]
        return Registry(address, topology, topics)

    final = beginning()
    partitions = errors.catch(lambda: read_partitions(fields.get("partitions"), final.topology, requests))
    filters = _follow(final, requests, errors)
    if errors.found:
        raise RefusedMany(errors.found)
    return Scenario(
        address, limits, aggregation, tuple(requests), final, filters, beginning, partitions or {}
    )


class _ScenarioErrors:
    """Collector of errors, so that reading continues after an error."""

    def __init__(self) -> None:
        self.found: list[Refused] = []

    def catch(self, read: Callable[[], Result]) -> Result | None:
        """Return the result of `read`; None if it is refused."""
        try:
            return read()
        except Refused as refused:
            self.found.append(refused)
        except RefusedMany as many:
            self.found += many.errors
        return None


def _read_aggregation(obj: object, path: Path) -> Aggregation:
    fields = expect_keys(obj, path, (), ("method", "traffic", "sampling"))
    method = read_method(fields.get("method", "none"), (*path, "method"))
    traffic = expect_text(fields["traffic"], (*path, "traffic")) if "traffic" in fields else None
    if traffic is not None and (not traffic or "\0" in traffic or not traffic.isprintable()):
        detail = f"{shown(traffic)} is not a path; name a file relative to the scenario"
        raise Refused((*path, "traffic"), "no_path", detail, traffic)
    sampling = fields.get("sampling", 1.0)
    if isinstance(sampling, bool) or not isinstance(sampling, int | float):
        raise wrong_type(sampling, (*path, "sampling"), "a number")
    if not 0 < sampling <= 1:
        detail = f"{shown(sampling)} is not a sampling factor; use a number above 0 and at most 1"
        raise Refused((*path, "sampling"), "out_of_range", detail, sampling)
    return Aggregation(method, traffic, float(sampling))


def _read_requests(obj: object, errors: _ScenarioErrors) -> list[Request]:
    items: Sequence[Any] = errors.catch(lambda: expect_list(obj, ("requests",))) or ()
    found = [
        errors.catch(partial(read_request, item, ("requests", i), platform=False))
        for i, item in enumerate(items)
    ]
    return [request for request in found if request is not None]


def _check_topics(obj: object, address: AddressPlan, errors: _ScenarioErrors) -> None:
    items: Sequence[Any] = errors.catch(lambda: expect_list(obj, ("topics",))) or ()
    registry = Registry(address, read_topology(_NO_NETWORK, address.family))
    for i, item in enumerate(items):
        topic = errors.catch(partial(Topic.from_json, item, ("topics", i)))
        if topic is not None:
            errors.catch(partial(registry.add_topic, topic, ("topics", i)))


_NO_NETWORK: dict[str, object] = {"switches": [], "links": [], "hosts": []}


def _follow(registry: Registry, requests: Sequence[Request], errors: _ScenarioErrors) -> dict[str, Filter]:
    """Apply the requests without planning; return the filters of the registrations at the end."""
    filters: dict[str, Filter] = {}
    for i, request in enumerate(requests):
        try:
            _carry_out(registry, request, filters)
        except Refused as refused:
            errors.found.append(refused.under("requests", i))
        except RefusedMany as many:
            errors.found += many.under("requests", i).errors
    return {
        name: Filter.parse(registration.filter, registry.topics[registration.topic])
        if filters[name].topic is not registry.topics[registration.topic]
        else filters[name]
        for name, registration in registry.live.items()
    }


def _carry_out(registry: Registry, request: Request, filters: dict[str, Filter]) -> None:
    match request:
        case Subscribe() | Advertise():
            registration, topic = registry.prepare(request)
            filters[request.id] = Filter.parse(request.filter, topic, ("filter",))
            registry.register(registration)
        case Unsubscribe() | Unadvertise():
            registry.withdraw(registry.find(request))
        case SetAggregation() | Aggregate() | FinishMove() | External():
            pass  # these change tables, not registrations; a file has no External
        case _:
            registry.change(request)
