"""The topology that the control plane confirms to the controller: links, and host ports.

The controller uses a found link only after its confirmation, and creates no link at a port with a host. It
forgets the topology when it restarts. So each run of the watcher compares ids, and sends the topology if they
differ.
"""

import hashlib
import json
from typing import Any

from controlplane.network.availability import LEAVING
from controlplane.network.controller_client import ControllerClient
from controlplane.network.models import Host, Link, Switch
from controlplane.requestlog.models import State

CONFIRM_SECONDS = 3.0

LinkRow = list[str | int]


def confirm() -> bool:
    """Send the topology if the controller has a different one; return whether it was sent.

    Raises:
        NorthboundError: The controller does not answer, or refuses the topology.
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


def _links() -> list[LinkRow]:
    """Return the links that are in the network or being added, as declared or approved."""
    rows = Link.objects.exclude(LEAVING).exclude(request__state=State.FAILED).order_by("id")
    return [list(row) for row in rows.values_list("a__dpid", "a_port", "b__dpid", "b_port")]


def _edges() -> list[LinkRow]:
    """Return the ports with hosts, including standby attachments and hosts being removed."""
    hosts = Host.objects.exclude(request__state=State.FAILED)
    ends = set(hosts.values_list("switch__dpid", "port"))
    standby = [end for ends in hosts.exclude(standby=[]).values_list("standby", flat=True) for end in ends]
    dpids = dict(Switch.objects.values_list("name", "dpid")) if standby else {}
    ends |= {(dpids[end["switch"]], end["port"]) for end in standby if end["switch"] in dpids}
    return [list(end) for end in sorted(ends)]
