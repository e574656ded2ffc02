"""A topology file's network as rows of the control plane's API, and when the network has what it should."""

from typing import Any

from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.rest import Rest
from tercast.topology_rows import api_row


def register(rest: Rest, topology: dict[str, Any]) -> None:
    """Register switches, links and hosts with all their fields; existing ones stay as they are."""
    for part, key in (("switches", ("name",)), ("links", ("a", "a_port")), ("hosts", ("name",))):
        rows = [api_row(part, row) for row in topology.get(part, ())]
        rest.add_missing(f"/api/v1/{part}/", rows, key)


def settled(rest: Rest, platform: Platform) -> bool:
    """Whether no request is under way, and each switch has what it should over its present connection."""
    epochs = platform.epochs()
    switches = rest.all("/api/v1/switches/")
    in_step = all(row["in_step"] and row["epoch"] == epochs.get(row["dpid"]) for row in switches)
    under_way = rest.get("/api/v1/requests/", state__in="queued,planning,deploying", limit=1)
    return in_step and not under_way["results"]
