"""Used ports and their users: a port has one link, or hosts, but never both."""

from collections.abc import Collection, Iterable

from django.db.models import Q

from controlplane.network.availability import unusable
from controlplane.network.models import Host, Link, Switch
from controlplane.rest.request_body import Errors
from tercast.errors import Path, shown

End = tuple[str, int]
"""Name of a switch and number of one of its ports."""


def find_switches(names: Collection[str]) -> dict[str, Switch]:
    """Return the switches with these names."""
    rows = Switch.objects.select_related("request", "removal").filter(name__in=list(names))
    return {row.name: row for row in rows}


def lock_switches(names: Collection[str]) -> None:
    """Lock these switches until the transaction ends: no other call can attach anything to them.

    The locks are taken by id, in the common order (`deployment.lock_order`). Rows that only refer to the
    switches need not wait.
    """
    rows = (
        Switch.objects.select_for_update(of=("self",), no_key=True)
        .filter(name__in=list(names))
        .order_by("id")
    )
    list(rows.values_list("id", flat=True))


def check_switch(
    errors: Errors, index: int, path: Path, name: str, known: dict[str, Switch]
) -> Switch | None:
    """Return the named switch, or None with an added error if it is unavailable."""
    row = known.get(name)
    if row is None:
        errors.add(index, path, "unknown_switch", f"There is no switch {shown(name)}. Add it first.", name)
        return None
    refusal = unusable(row, "switch")
    if refusal is not None:
        errors.add(index, path, *refusal, name)
        return None
    return row


def link_ends(names: Collection[str]) -> dict[End, str]:
    """Return the ports of these switches that links use, with a text for users."""
    rows = Link.objects.filter(Q(a__name__in=list(names)) | Q(b__name__in=list(names)))
    out: dict[End, str] = {}
    for pk, a, a_port, b, b_port in rows.values_list("pk", "a__name", "a_port", "b__name", "b_port"):
        out[a, a_port] = out[b, b_port] = f"link {pk} ({a}:{a_port} - {b}:{b_port})"
    return out


def host_ends(names: Collection[str]) -> dict[End, str]:
    """Return the ports of these switches that hosts use, including standby attachments."""
    out: dict[End, str] = {}
    rows = Host.objects.filter(switch__name__in=list(names))
    for name, switch, port in rows.values_list("name", "switch__name", "port"):
        out[switch, port] = f"host {name}"
    for name, standby in Host.objects.exclude(standby=[]).values_list("name", "standby"):
        for end in standby:
            if end["switch"] in names:
                out[end["switch"], end["port"]] = f"host {name}, as standby"
    return out


def standby_hosts(switch: str) -> int:
    """Return the number of hosts with a standby attachment at the switch."""
    lists: Iterable[list[dict[str, object]]] = Host.objects.exclude(standby=[]).values_list(
        "standby", flat=True
    )
    return sum(any(end["switch"] == switch for end in ends) for ends in lists)
