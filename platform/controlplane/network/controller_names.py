"""Where something is that the controller reports: its datapath ids and ports in the names of the network."""

from collections.abc import Iterable, Mapping
from typing import Any

from controlplane.network.models import Switch

Row = Mapping[str, Any]


def names_of(rows: Iterable[Row]) -> dict[str, str]:
    """Return the names of the switches that `rows` (alarms, events of links) are about, by datapath id."""
    dpids = {row[key] for row in rows for key in ("dpid", "a", "b") if isinstance(row.get(key), str)}
    return dict(Switch.objects.filter(dpid__in=dpids).values_list("dpid", "name"))


def place(row: Row, names: Mapping[str, str]) -> str:
    """Return where an alarm is, to go before its detail: ` at port 2 of sea`; empty where it has no place.

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
