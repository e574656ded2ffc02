"""Names of the network for the datapath ids and ports in the controller's reports."""

from collections.abc import Iterable, Mapping
from typing import Any

from controlplane.network.models import Switch

NameRow = Mapping[str, Any]


def names_of(rows: Iterable[NameRow]) -> dict[str, str]:
    """Return the names of the switches in `rows` (alarms, events of links), by datapath id."""
    dpids = {row[key] for row in rows for key in ("dpid", "a", "b") if isinstance(row.get(key), str)}
    return dict(Switch.objects.filter(dpid__in=dpids).values_list("dpid", "name"))


def place(row: NameRow, names: Mapping[str, str]) -> str:
    """Return the place of an alarm, such as ` at port 2 of sea`; empty if it has no place.

    Args:
        row: An alarm or event with a `dpid`, a `dpid` and `port`, the two ends of a link, or a `host`.
        names: Names of switches by datapath id; a switch without a name has its id.
    """
    if "a" in row and "b" in row:
        ends = [f"{names.get(row[end], row[end])}:{row.get(f'{end}_port')}" for end in ("a", "b")]
        return f" at link {ends[0]} to {ends[1]}"
    if row.get("dpid"):
        switch = names.get(row["dpid"], row["dpid"])
        return f" at port {row['port']} of {switch}" if row.get("port") else f" at switch {switch}"
    return f" at {row['host']}" if row.get("host") else ""
