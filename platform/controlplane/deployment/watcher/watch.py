"""Monitoring of the controller: connections, ports, links and alarms, with their requests.

A run compares the controller's state with the database, and writes only differences. Each result is written
in the transaction of the action it belongs to, so the next run completes one that was killed.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction

from controlplane.common.wakeups import wake_planner
from controlplane.deployment import confirmed_topology, lock_order, switch_sync
from controlplane.deployment.audits import loss_signs
from controlplane.deployment.watcher import link_load, link_losses, newcomers, port_status, spoofing
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.controller_names import names_of, place
from controlplane.network.models import Switch
from controlplane.periodic import task_failures
from controlplane.registry.transitions import stages
from controlplane.requestlog import checkpoints, outbox
from controlplane.telemetry import table_snapshots

WATCH_SECONDS = 3.0
"""Time limit of the controller's answer; a hanging run would delay the planner's worker."""

_CONTROLLER = "controller"
_EVENTS = "events"

logger = logging.getLogger(__name__)


def run() -> None:
    """Run once; if the controller does not answer, mark switches unreachable, raise an alarm."""
    try:
        with ControllerClient(seconds=WATCH_SECONDS) as northbound:
            switches, links = northbound.switches(), northbound.links()
            events = _new_events(northbound)
            counters = northbound.counters() if link_load.due() else None
    except NorthboundError as error:
        _controller_lost(str(error))
        return
    _controller_found()
    steps: dict[str, Callable[[], object]] = {
        "switches": lambda: _wake_if(see_switches(switches)),
        "moves": lambda: _wake_if(stages.awaits()),
        "ports": lambda: port_status.record_port_status(switches),
        "links": lambda: newcomers.add_newcomers(switches, links),
        "topology": confirmed_topology.confirm,
        "events": lambda: _see_events(events, counters),
    }
    if counters is not None:
        steps["load"] = partial(link_load.emit_load, counters)
        steps["losses"] = partial(link_losses.check_losses, counters)
        steps["spoofing"] = partial(spoofing.report_spoofing, counters)
        steps["snapshots"] = partial(table_snapshots.record_tables, counters)
    task_failures.attempt_all("tercast.watch", steps)


def _see_events(events: list[dict[str, Any]], counters: dict[str, Any] | None) -> None:
    """Process alarms and losses; `_tell_alarms` is last, because it marks the events as seen."""
    loss_signs.process_reports(events, counters)
    _report_alarms(events)


def _wake_if(something: bool) -> None:
    if something:
        wake_planner()


def see_switches(rows: list[dict[str, Any]]) -> bool:
    """Update connection, epoch, address and problems; return whether a switch has reconnected."""
    seen = {row["dpid"]: row for row in rows}
    if not any(_differs(switch, seen.get(switch.dpid)) for switch in Switch.objects.all()):
        return False
    reconnected = False
    with transaction.atomic():
        names = {each.name for each in Switch.objects.all() if _differs(each, seen.get(each.dpid))}
        lock_order.lock_rows((), names)
        for switch in Switch.objects.all():
            row = seen.get(switch.dpid)
            if switch.name not in names or not _differs(switch, row):
                continue
            if row is not None and switch.epoch != row["epoch"]:
                reconnected = True
                switch_sync.hasten([switch.name])
            _update(switch, row)
    return reconnected


def _differs(switch: Switch, row: dict[str, Any] | None) -> bool:
    if row is None:
        return switch.connected
    now = (True, row["epoch"], row["address"], *_reported_state(row))
    known = (switch.connected, switch.epoch, switch.address, switch.problems, switch.lacks, switch.features)
    return now != known


def _reported_state(row: dict[str, Any]) -> tuple[list[str], list[str], dict[str, Any]]:
    """Return the switch's problems, its missing features and its features."""
    return row.get("problems", []), row.get("lacks", []), row.get("features", {})


def _update(switch: Switch, row: dict[str, Any] | None) -> None:
    problems = switch.problems
    before = (switch.connected, switch.problems)
    switch.connected = row is not None
    if row is not None:
        switch.epoch, switch.address = row["epoch"], row["address"]
        switch.problems, switch.lacks, switch.features = _reported_state(row)
    switch.save(update_fields=("connected", "epoch", "address", "problems", "lacks", "features"))
    if (switch.connected, switch.problems) != before:
        fields = {"connected": switch.connected, "up": switch.up, "problems": switch.problems}
        outbox.emit("switch", {"name": switch.name, **fields})
    for problem in switch.problems:
        if problem not in problems:
            outbox.alarm(f"switch {switch.name}: {problem}")


def _new_events(northbound: ControllerClient) -> list[dict[str, Any]]:
    """Return the controller's events since the last run, all of them after its restart."""
    after = int(checkpoints.recall(_EVENTS, 0))
    answer = northbound.events(after)
    if int(answer.get("newest", 0)) < after:
        answer = northbound.events(0)
    newest = int(answer.get("newest", 0))
    events = [{**event, "newest": newest} for event in answer.get("events", [])]
    return events if newest != after else []


def _report_alarms(events: list[dict[str, Any]]) -> None:
    if not events:
        return
    with transaction.atomic():
        checkpoints.store(_EVENTS, events[-1]["newest"])
        alarms = [event for event in events if event.get("kind") == "alarm"]
        names = names_of(alarms)
        for event in alarms:
            state, name, detail = (event.get(key, "") for key in ("state", "alarm", "detail"))
            outbox.alarm(f"controller: {name} {state}{place(event, names)}: {detail}")


def _controller_lost(reason: str) -> None:
    logger.warning("the controller does not answer: %s", reason)
    if checkpoints.recall(_CONTROLLER, "unknown") == "lost":
        return
    with transaction.atomic():
        see_switches([])
        checkpoints.store(_CONTROLLER, "lost")
        outbox.alarm(f"the controller does not answer, so no table can be changed: {reason}")


def _controller_found() -> None:
    if checkpoints.recall(_CONTROLLER, "unknown") != "found":
        checkpoints.store(_CONTROLLER, "found")
