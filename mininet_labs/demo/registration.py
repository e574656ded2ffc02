"""A topology file's network as rows of the control plane's API, and when the network has what it should."""

from typing import Any

from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.rest import Rest


def register(rest: Rest, topology: dict[str, Any]) -> None:
    """Register switches, links and hosts; what is there already stays."""
    rest.add_missing("/api/v1/switches/", [switch_body(row) for row in topology["switches"]], ("name",))
    rest.add_missing("/api/v1/links/", [link_body(row) for row in topology["links"]], ("a", "a_port"))
    rest.add_missing("/api/v1/hosts/", [host_body(row) for row in topology["hosts"]], ("name",))


def settled(rest: Rest, platform: Platform) -> bool:
    """Whether no request is under way, and each switch has what it should over its present connection."""
    epochs = platform.epochs()
    switches = rest.all("/api/v1/switches/")
    in_step = all(row["in_step"] and row["epoch"] == epochs.get(row["dpid"]) for row in switches)
    under_way = rest.get("/api/v1/requests/", state__in="queued,planning,deploying", limit=1)
    return in_step and not under_way["results"]


def switch_body(switch: dict[str, Any]) -> dict[str, Any]:
    """A switch of the topology file as the API takes it."""
    return {
        "name": switch["id"],
        "dpid": switch["dpid"],
        "label": switch.get("name", ""),
        "latitude": switch.get("lat"),
        "longitude": switch.get("lon"),
        "tcam_budget": switch.get("tcam_budget"),
    }


def link_body(link: dict[str, Any]) -> dict[str, Any]:
    """A link of the topology file as the API takes it."""
    return {
        "a": link["a"],
        "a_port": link["a_port"],
        "b": link["b"],
        "b_port": link["b_port"],
        "cost": link.get("cost", 1),
    }


def host_body(host: dict[str, Any]) -> dict[str, Any]:
    """A host of the topology file as the API takes it."""
    return {"name": host["id"], **{key: host[key] for key in ("switch", "port", "ip", "mac")}}
