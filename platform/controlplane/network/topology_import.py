"""Import of a topology file: its switches, links and hosts are added together, or none is."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction

from controlplane.common.problems import invalid, too_large
from controlplane.network import hosts, import_reader, links, switches
from controlplane.network.models import Host, Link, Switch
from controlplane.requestlog.append import LogEntry, submit
from controlplane.requestlog.logged_rows import Payload, racing
from controlplane.requestlog.models import Operation
from controlplane.rest.request_body import MAX_ITEMS, Body
from tercast.errors import Refused
from tercast.topology.importers import TOO_LARGE, TOO_MANY, Imported, TakenAddresses

MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TopologyDraft:
    """Unsaved rows of a topology, with references to each other."""

    switches: list[Switch]
    links: list[Link]
    hosts: list[Host]

    @property
    def rows(self) -> list[Any]:
        """Return all rows, each after the rows that it refers to."""
        return [*self.switches, *self.links, *self.hosts]

    def payloads(self) -> list[Payload]:
        """Return the requests that add the rows, in their order."""
        return [
            *map(switches.payload, self.switches),
            *map(links.payload, self.links),
            *map(hosts.payload, self.hosts),
        ]


def read(data: bytes, form: str | None, hosts_per_switch: int) -> Imported:
    """Read the topology of a file. Missing names and addresses get unused values.

    Raises:
        Problem: 413 for a topology beyond a limit, also of time and memory; 503 if the machine is too busy.
        Refused: if the reader refuses the file.
    """
    try:
        imported = import_reader.read(
            data, form, hosts_per_switch, settings.ADDRESS_FAMILY, _taken(), MAX_ITEMS
        )
    except Refused as refused:
        if refused.code in (TOO_LARGE, TOO_MANY):
            raise too_large(str(refused)) from refused
        raise
    total = sum(imported.counts.values())
    if total > MAX_ITEMS:
        counts = ", ".join(f"{count} {part}" for part, count in imported.counts.items())
        detail = f"The topology has {counts}; at most {MAX_ITEMS} objects in total are allowed. Split it."
        raise too_large(detail)
    return imported


def draft(bodies: dict[str, Body]) -> TopologyDraft:
    """Return the rows of validated parts; raise `Problem` with all errors and all conflicts."""
    _check_free(bodies["switches"], bodies["hosts"])
    found = [error for body in bodies.values() for error in body.errors.found]
    if found:
        raise invalid(found)
    named = {item["name"]: Switch(**item) for item in bodies["switches"].items}
    return TopologyDraft(
        list(named.values()),
        [Link(**{**item, "a": named[item["a"]], "b": named[item["b"]]}) for item in bodies["links"].items],
        [Host(**{**item, "switch": named[item["switch"]]}) for item in bodies["hosts"].items],
    )


def add(bodies: dict[str, Body], actor: Any) -> Operation:
    """Add the complete topology or nothing, and return the operation of the call.

    The caller validates the parts before, outside a transaction: SQLite has one writer, and others wait.
    """
    with racing(), transaction.atomic():
        drafted = draft(bodies)
        rows = drafted.rows
        operation = Operation.objects.create(actor=actor, items=len(rows))
        entries = [LogEntry(payload, index) for index, payload in enumerate(drafted.payloads())]
        for row, request in zip(rows, submit(entries, actor, operation), strict=True):
            row.request = request
        Switch.objects.bulk_create(drafted.switches, batch_size=2000)
        Link.objects.bulk_create(drafted.links, batch_size=2000)
        Host.objects.bulk_create(drafted.hosts, batch_size=2000)
        return operation


def _check_free(new_switches: Body, new_hosts: Body) -> None:
    """Add an error for each name or address that an existing object has."""
    present = list(Switch.objects.values_list("name", "dpid"))
    new_switches.add_if_free("name", {name: f"switch {name}" for name, _ in present}, "name")
    new_switches.add_if_free("dpid", {dpid: f"switch {name}" for name, dpid in present}, "dpid")
    rows = list(Host.objects.values_list("name", "ip", "mac"))
    new_hosts.add_if_free("name", {name: f"host {name}" for name, _, _ in rows}, "name")
    new_hosts.add_if_free("ip", {ip: f"host {name}" for name, ip, _ in rows}, "address")
    new_hosts.add_if_free("mac", {mac: f"host {name}" for name, _, mac in rows}, "MAC address")


def _taken() -> TakenAddresses:
    rows = list(Host.objects.values_list("ip", "mac"))
    return TakenAddresses(
        dpids=frozenset(Switch.objects.values_list("dpid", flat=True)),
        ips=frozenset(ip for ip, _ in rows),
        macs=frozenset(mac for _, mac in rows),
    )
