"""Reader of the `partitions` of a scenario: which controller has which switches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tercast.errors import Path, Refused, RefusedMany, shown
from tercast.requests.model import Advertise, HostMove, Request, SetIndexed, Subscribe
from tercast.runtime.strict_json import expect_list, expect_object, expect_text
from tercast.runtime.wording import unknown_name
from tercast.topology.borders import CELL_PREFIX, border_name
from tercast.topology.elements import read_name
from tercast.topology.topology import Topology

MAX_PARTITIONS = 32
"""Largest number of partitions of a scenario."""


def read_partitions(
    obj: object, topology: Topology, requests: Sequence[Request], path: Path = ("partitions",)
) -> dict[str, tuple[str, ...]]:
    """Read the switches of each partition, or nothing; RefusedMany with all errors."""
    if obj is None:
        return {}
    items = expect_object(obj, path)
    if not 1 <= len(items) <= MAX_PARTITIONS:
        detail = f"there are {len(items)} partitions; a scenario has 1 to {MAX_PARTITIONS}"
        raise Refused(path, "bad_count", detail)
    owner: dict[str, str] = {}
    partitions: dict[str, tuple[str, ...]] = {}
    errors: list[Refused] = []
    for name, value in items.items():
        read_name(name, path)
        switches = [
            expect_text(item, (*path, name, i)) for i, item in enumerate(expect_list(value, (*path, name)))
        ]
        for i, switch in enumerate(switches):
            errors += _check_switch(topology, owner, switch, (*path, name, i))
            owner.setdefault(switch, name)
        partitions[name] = tuple(switches)
    errors += _unnamed(topology, owner, path)
    errors += _check_hosts(topology, owner)
    errors += _check_border_names(topology, owner)
    errors += _check_requests(requests, topology, owner)
    if errors:
        raise RefusedMany(errors)
    return partitions


def _check_switch(topology: Topology, owner: dict[str, str], switch: str, path: Path) -> Iterable[Refused]:
    if switch not in topology.switches:
        detail = unknown_name("switch", switch, topology.switches)
        yield Refused(path, "unknown_switch", detail, switch)
    elif switch in owner:
        detail = f"switch {shown(switch)} is already in partition {shown(owner[switch])}; name it once"
        yield Refused(path, "duplicate", detail, switch)


def _unnamed(topology: Topology, owner: dict[str, str], path: Path) -> Iterable[Refused]:
    for switch in topology.switches:
        if switch not in owner:
            detail = f"switch {shown(switch)} is in no partition; add it to one"
            yield Refused(path, "missing_key", detail, switch)


def _check_hosts(topology: Topology, owner: dict[str, str]) -> Iterable[Refused]:
    for i, host in enumerate(topology.hosts.values()):
        for j, place in enumerate(host.standby):
            if owner.get(place.switch) != owner.get(host.primary.switch):
                detail = (
                    f"the standby attachment at {shown(place.switch)} is not in the partition of host "
                    f"{shown(host.id)}; remove it, or move the switch to that partition"
                )
                yield Refused(("topology", "hosts", i, "standby", j), "other_partition", detail, place.switch)


def _check_border_names(topology: Topology, owner: dict[str, str]) -> Iterable[Refused]:
    """Find ids that plans use for the neighbour behind a border."""
    ends = [
        end
        for link in topology.all_links()
        if owner.get(link.a) != owner.get(link.b)
        for end in ((link.a, link.a_port), (link.b, link.b_port))
    ]
    for end in ends:
        name = border_name(*end)
        if name in topology.switches or name in topology.hosts:
            place = "switches" if name in topology.switches else "hosts"
            border = f"the border at {shown(end[0])} port {end[1]}"
            rule = f"the id {shown(name)} is the name of {border}; use another id"
            yield Refused(("topology", place), "duplicate", rule, name)


def _check_requests(
    requests: Sequence[Request], topology: Topology, owner: dict[str, str]
) -> Iterable[Refused]:
    for i, request in enumerate(requests):
        if isinstance(request, HostMove) and request.host in topology.hosts:
            host = topology.hosts[request.host]
            if host.standby and owner.get(request.place.switch) != owner.get(host.primary.switch):
                detail = (
                    f"host {shown(request.host)} has standby attachments and cannot move to another "
                    "partition; remove the standby attachments"
                )
                yield Refused(("requests", i), "other_partition", detail, request.host)
        if isinstance(request, Advertise | Subscribe) and request.id.startswith(CELL_PREFIX):
            detail = f"ids that begin with {CELL_PREFIX} are reserved for cells of neighbours; use another id"
            yield Refused(("requests", i, "id"), "bad_name", detail, request.id)
        if isinstance(request, SetIndexed):
            detail = (
                f"several partitions use topic {shown(request.topic)}, so no request can change its indexed "
                'attributes; write them in the topic, under "indexed"'
            )
            yield Refused(("requests", i), "shared_topic", detail, request.topic)
