"""The topology that the control plane confirms to the controller: its links, and the ports that have hosts.

The controller uses a link that it finds only when it is confirmed, and makes no link of a port with a host.
It forgets the topology when it restarts, so each watch compares ids and sends the topology if they differ.
"""

import hashlib
import json
from typing import Any

from controlplane.network.availability import LEAVING
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Host, Link, Switch
from controlplane.requestlog.models import State

CONFIRM_SECONDS = 3.0

Row = list[str | int]


def confirm() -> bool:
    """Send the topology if the controller has another one; return whether it was sent.

    Raises:
        NorthboundError: The controller does not answer, or refuses it.
    """
    body = current()
    with ControllerClient(seconds=CONFIRM_SECONDS) as northbound:
        known = northbound.topology()
        if known is None or known == body["id"]:
            return False
        northbound.confirm_topology(body)
    return True


def current() -> dict[str, Any]:
    """Return the body for the controller; its id is a digest of the rest."""
    rows = {"links": _links(), "edges": _edges()}
    text = json.dumps(rows, separators=(",", ":"))
    return {"id": hashlib.sha256(text.encode()).hexdigest(), **rows}


def _links() -> list[Row]:
    """Return the links that are in the network or on their way in, as declared or approved."""
    rows = Link.objects.exclude(LEAVING).exclude(request__state=State.FAILED).order_by("id")
    return [list(row) for row in rows.values_list("a__dpid", "a_port", "b__dpid", "b_port")]


def _edges() -> list[Row]:
    """Return the ports with hosts, standby attachments and hosts on their way out included."""
    hosts = Host.objects.exclude(request__state=State.FAILED)
    ends = set(hosts.values_list("switch__dpid", "port"))
    standby = [end for ends in hosts.exclude(standby=[]).values_list("standby", flat=True) for end in ends]
    dpids = dict(Switch.objects.values_list("name", "dpid")) if standby else {}
    ends |= {(dpids[end["switch"]], end["port"]) for end in standby if end["switch"] in dpids}
    return [list(end) for end in sorted(ends)]
