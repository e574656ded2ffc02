"""The source check: rules of switches, so that ports pass only events of the hosts there.

The rules result from the planner's topology alone, and the controller reports by a version which rules are in
force at each switch. So nothing is stored: every session compares the versions, and completes what a killed
one left. Rules that the hosts and links of a batch need are added before its entries are sent. Rules that are
no longer needed are removed after the entries, and only when requests that remove links have ended.
"""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings

from controlplane.deployment import switch_sync
from controlplane.deployment.request_states import problem
from controlplane.network.controller_client import UNREACHABLE, ControllerClient, NorthboundError
from controlplane.network.models import Switch
from controlplane.planning.unconfirmed import Unconfirmed
from controlplane.requestlog.kinds import NARROWS_SOURCES
from controlplane.requestlog.models import FINAL_STATES, Request
from tercast.topology.topology import Topology

OFF = "off"
"""Version of a switch without a check; the controller reports it too."""

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class SourceChecks:
    """Known state of the checks in force.

    Attributes:
        in_force: Epoch and version by switch, as reported by the controller.
        is_stale: Whether switches may have connected since the controller was asked.
        followed: Version of the topology that all connected switches have; None if one may differ.
        widened: Version by switch whose additional sources the switch already allows.
    """

    in_force: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    is_stale: bool = True
    followed: int | None = None
    widened: dict[str, str] = field(default_factory=dict)


def push_source_checks(
    checks: SourceChecks,
    topology: Topology,
    unconfirmed: Unconfirmed,
    northbound: ControllerClient,
    *,
    widen: bool = False,
) -> None:
    """Send each connected switch its check, if a different one is in force.

    A switch that does not confirm is marked for repair, and requests that need it wait.

    Args:
        widen: Send only what allows more. This is used before the tables change.
    """
    if not checks.is_stale and (checks.followed == topology.version or not settings.SOURCE_CHECK):
        return
    known = {name: one for name, one in switch_sync.switches().items() if name in topology.switches}
    try:
        if checks.is_stale:
            _learn(checks, known, northbound)
        differing = _differing(checks, topology, known)
        widen = widen or bool(differing and _is_narrowing())
        silent = _send(checks, differing, known, northbound, widen=widen)
    except NorthboundError as error:
        logger.info(
            "the source checks were not sent; the next planner session will send them: %s",
            error,
        )
        checks.is_stale = True
        return
    for name, reason in silent.items():
        unconfirmed.lose(name, reason)
        switch_sync.failed(name, problem("unreachable", "A switch is not reachable", reason, [name]))
    if not widen:
        checks.followed = None if silent else topology.version


def version(check: Mapping[str, Any]) -> str:
    """Return the version of a check, a digest: equal checks have equal versions."""
    if not check["check"]:
        return OFF
    return hashlib.sha256(json.dumps(check, sort_keys=True).encode()).hexdigest()[:16]


def checks_of(topology: Topology) -> dict[str, dict[str, Any]]:
    """Return each switch's check for the controller, without datapath id and version.

    Standby attachments count as attachments. Links and ports that are down count as up.
    """
    if not settings.SOURCE_CHECK:
        return {name: {"check": False} for name in topology.switches}
    links: dict[str, list[int]] = {name: [] for name in topology.switches}
    sources: dict[str, list[dict[str, Any]]] = {name: [] for name in topology.switches}
    for name, port in sorted(topology.links):
        links[name].append(port)
    for (name, port), hosts in sorted(topology.attached.items()):
        for host in (topology.hosts[each] for each in sorted(set(hosts))):
            sources[name].append({"port": port, "ip": host.ip, "mac": host.mac})
    return {name: {"check": True, "links": links[name], "sources": sources[name]} for name in links}


def _learn(checks: SourceChecks, known: Mapping[str, Switch], northbound: ControllerClient) -> None:
    """Ask the controller which checks are in force; an older controller reports none."""
    rows = {row["dpid"]: row for row in northbound.switches()}
    checks.in_force = {
        name: (int(rows[one.dpid]["epoch"]), rows[one.dpid].get("sources", OFF))
        for name, one in known.items()
        if one.dpid in rows
    }
    checks.is_stale = False
    checks.followed = None
    checks.widened.clear()


def _differing(
    checks: SourceChecks, topology: Topology, known: Mapping[str, Switch]
) -> dict[str, dict[str, Any]]:
    """Return the checks that differ from those in force at connected switches, by switch."""
    return {
        name: check
        for name, check in checks_of(topology).items()
        if name in known and name in checks.in_force and checks.in_force[name][1] != version(check)
    }


def _is_narrowing() -> bool:
    return Request.objects.filter(kind__in=NARROWS_SOURCES).exclude(state__in=FINAL_STATES).exists()


def _send(
    checks: SourceChecks,
    differing: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Switch],
    northbound: ControllerClient,
    *,
    widen: bool,
) -> dict[str, str]:
    """Send checks, and return the switches that did not confirm, with the reasons.

    Raises:
        NorthboundError: The controller does not answer.
    """
    if widen:
        differing = {
            name: check for name, check in differing.items() if checks.widened.get(name) != version(check)
        }
    if not differing:
        return {}
    rows = [
        {"dpid": known[name].dpid, "version": version(check), **check} for name, check in differing.items()
    ]
    silent: dict[str, str] = {}
    for (name, check), answer in zip(differing.items(), northbound.sources(rows, widen), strict=True):
        if answer["state"] == UNREACHABLE:
            silent[name] = f"switch {name} has not confirmed its source check: {answer.get('detail')}"
            checks.in_force.pop(name)
        elif not widen:
            checks.widened.pop(name, None)
            checks.in_force[name] = (int(answer["epoch"]), version(check))
        else:
            checks.in_force[name] = (int(answer["epoch"]), None)
            checks.widened[name] = version(check)
    return silent
