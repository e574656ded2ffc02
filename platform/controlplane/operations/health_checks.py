"""What is looked at to say whether the platform is well, each part by itself."""

import enum
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from kombu.exceptions import KombuError

from controlplane.aggregation.policy import standing_alarms
from controlplane.analytics.models import AnalyticsRunState, Run
from controlplane.common.database_patience import waiting_at_most
from controlplane.common.queues import DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.common.wakeups import check_broker, waiting
from controlplane.deployment.audits import audits
from controlplane.network import found_links
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.controller_names import names_of, place
from controlplane.network.models import Switch
from controlplane.operations import disk_space, heartbeats, missing_paths
from controlplane.periodic import task_failures
from controlplane.requestlog import checkpoints
from controlplane.requestlog.models import Request, State, SwitchSync
from controlplane.rest.outages import LOCKED, outage_of
from controlplane.signalling import liveness

DEAD = timedelta(seconds=45)
"""Without a sign of life for so long a process counts as gone."""

LATE = timedelta(seconds=60)
"""A request that has waited for so long is worth a word."""

STILL = timedelta(seconds=30)
"""Control messages that got no further for so long stand still; a turn takes about 20 s at most."""

STATUSES = ("ok", "degraded", "failed")
MOST_NAMES = 20
ASK_SECONDS = 2.0
WRITE_WAIT_MS = 2000
"""Longest wait of the check for a lock: health answers within a few seconds while the database is locked."""

PROBE = "probe of health"
"""The row that the check writes."""

logger = logging.getLogger(__name__)


class CheckStatus(enum.StrEnum):
    """How well something is, in order."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found; `told`, detail and values together, is for those who are logged in."""

    status: CheckStatus
    detail: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The detail with the values behind it."""
        values = "; ".join(f"{name}: {_text(value)}" for name, value in self.values.items())
        return f"{self.detail} ({values})" if values else self.detail


def database() -> Finding:
    """Whether the database answers and takes a write; a lock that another process holds only degrades it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    try:
        with waiting_at_most(WRITE_WAIT_MS), transaction.atomic():
            checkpoints.keep(PROBE, timezone.now().isoformat())
    except DatabaseError as error:
        return _not_written(error)
    return Finding(CheckStatus.OK, f"{connection.vendor}; it answers and takes a write")


def _not_written(error: DatabaseError) -> Finding:
    outage = outage_of(error)
    if outage is LOCKED:
        detail = (
            "another process keeps the database locked: reads go on, writes wait and are answered with 503"
        )
        return Finding(CheckStatus.DEGRADED, f"{detail}; {outage.remedy}")
    remedy = "" if outage is None else f"; {outage.detail}"
    return Finding(CheckStatus.FAILED, f"it answers, but takes no write: {error}{remedy}")


def disk() -> Finding:
    """Whether the disks of all directories in use have more free space than the alarm's threshold."""
    found = disk_space.disks()
    values = {f"{'+'.join(each.directories)} free MiB": each.free // disk_space.MEGABYTE for each in found}
    low = disk_space.standing()
    if not low:
        return Finding(CheckStatus.OK, "free space", values)
    told = "; ".join(f"{each.subject}: {each.detail}" for each in low)
    return Finding(CheckStatus.DEGRADED, told, values)


def broker() -> Finding:
    """Whether wake-ups can be written, and how many no worker has taken."""
    try:
        check_broker()
        values = {queue: waiting(queue) for queue in (PLANNER_QUEUE, DEFAULT_QUEUE)}
    except (KombuError, OSError) as error:
        return Finding(CheckStatus.FAILED, f"no message can be sent: {error}")
    return Finding(CheckStatus.OK, "messages that wait, by queue", values)


def worker() -> Finding:
    """Whether a worker serves the planner's queue; without one requests stay queued."""
    return _life(heartbeats.WORKER, CheckStatus.FAILED, "requests stay queued until one runs")


def watcher() -> Finding:
    """Whether a worker serves the queue of watching and periodic work."""
    return _life(
        heartbeats.WATCHER, CheckStatus.DEGRADED, "switches and links are not watched until one runs"
    )


def analytics() -> Finding:
    """Whether a worker of analytics lives; where none ever did, only a run that waits misses it."""
    waits = Run.objects.filter(state=AnalyticsRunState.QUEUED)
    if heartbeats.age(heartbeats.ANALYTICS) is None and not waits.exists():
        return Finding(CheckStatus.OK, "none was ever seen, and no run waits for one")
    return _life(heartbeats.ANALYTICS, CheckStatus.DEGRADED, "runs of analytics stay queued until one runs")


def beat() -> Finding:
    """Whether beat lives; without it nobody watches the controller."""
    return _life(heartbeats.BEAT, CheckStatus.DEGRADED, "switches, links and lost wake-ups are not seen")


def planner() -> Finding:
    """How long the oldest request that is not decided has waited."""
    rows = Request.objects.filter(state__in=(State.QUEUED, State.PLANNING))
    oldest = rows.order_by("id").values_list("received_at", flat=True).first()
    late = timedelta() if oldest is None else timezone.now() - oldest
    values = {"waiting": rows.count(), "oldest_seconds": round(late.total_seconds(), 1)}
    if late < LATE:
        return Finding(CheckStatus.OK, "requests that are not decided", values)
    return Finding(CheckStatus.DEGRADED, f"a request has waited for {late.total_seconds():.0f} s", values)


def controller() -> Finding:
    """Whether the controller answers; without it tables stay as they are."""
    try:
        with ControllerClient(seconds=ASK_SECONDS) as northbound:
            rows = northbound.switches()
    except NorthboundError as error:
        return Finding(CheckStatus.FAILED, f"it does not answer, so that no table can be changed: {error}")
    return Finding(CheckStatus.OK, "it answers", {"switches": len(rows)})


def switches() -> Finding:
    """Switches that are away, or owe entries to the plan."""
    away = list(
        Switch.objects.filter(up=True, connected=False).order_by("name").values_list("name", flat=True)
    )
    dirty = SwitchSync.objects.filter(dirty=True, attempts__gt=0).order_by("switch")
    owing = list(dirty.values_list("switch", flat=True))
    values = {"away": away[:MOST_NAMES], "owing": owing[:MOST_NAMES], "known": Switch.objects.count()}
    if not away and not owing:
        return Finding(CheckStatus.OK, "all are connected and have what is planned", values)
    return Finding(
        CheckStatus.DEGRADED, f"{len(away)} not connected, {len(owing)} without all that is planned", values
    )


def tables() -> Finding:
    """Switches whose tables differ from the plan since an audit could not repair them."""
    found = audits.unrepaired()
    if not found:
        return Finding(CheckStatus.OK, "no audit has left one unlike the plan", {"unrepaired": []})
    told = [f"{name}: {reason}" for name, reason in found.items()]
    return Finding(
        CheckStatus.DEGRADED,
        f"{len(found)} not repaired by the last audit",
        {"unrepaired": told[:MOST_NAMES]},
    )


def alarms() -> Finding:
    """Alarms that stand: the controller's, and those of aggregation, periodic tasks and missing paths."""
    found = [
        f"aggregation at switch {name}: measured {one['measured']:.2f}, expected {one['expected']:.2f}"
        for name, one in sorted(standing_alarms().items())
    ]
    found += map(str, task_failures.standing())
    found += [f"{subject}: {detail}" for subject, detail, _ in missing_paths.standing()]
    if waiting_links := found_links.waiting():
        found.append(found_links.describe(waiting_links))
    try:
        with ControllerClient(seconds=ASK_SECONDS) as northbound:
            rows = northbound.alarms()
    except NorthboundError as error:
        return Finding(CheckStatus.DEGRADED, f"the controller's are not known: {error}", {"alarms": found})
    names = names_of(rows)
    found += [f"controller: {row.get('alarm')}{place(row, names)}: {row.get('detail')}" for row in rows]
    values = {"alarms": found[:MOST_NAMES], "number": len(found)}
    status = CheckStatus.DEGRADED if found else CheckStatus.OK
    return Finding(status, _number(found), values)


def signalling() -> Finding:
    """Whether control messages of hosts get ahead."""
    since, trouble = liveness.last()
    behind = f": {trouble}" if trouble else ""
    if since is None:
        return Finding(CheckStatus.DEGRADED, f"no control message was ever asked for{behind}")
    values = {"seconds": round(since.total_seconds(), 1)}
    if since < STILL:
        return Finding(CheckStatus.OK, "seconds since control messages were last dealt with", values)
    told = f"control messages of hosts have not been dealt with for {since.total_seconds():.0f} s{behind}"
    return Finding(CheckStatus.DEGRADED, told, values)


CHECKS: Mapping[str, Callable[[], Finding]] = {
    "database": database,
    "broker": broker,
    "worker": worker,
    "watcher": watcher,
    "analytics": analytics,
    "beat": beat,
    "planner": planner,
    "controller": controller,
    "switches": switches,
    "tables": tables,
    "alarms": alarms,
    "signalling": signalling,
    "disk": disk,
}
"""All of them; the others need the first."""


def look(names: Mapping[str, Callable[[], Finding]] = CHECKS) -> dict[str, Finding]:
    """What the checks of these names find; where the database is away nothing else is asked.

    A check that fails for another reason (a malformed row, say) is a finding, and stops no other check.
    """
    with suppress(DatabaseError), waiting_at_most(WRITE_WAIT_MS):  # also for reads, which PostgreSQL may lock
        return _look(names)
    return _look(names)


def _look(names: Mapping[str, Callable[[], Finding]]) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    for name, check in {"database": database, **names}.items():
        try:
            found[name] = check()
        except DatabaseError as error:
            found[name] = Finding(CheckStatus.FAILED, f"the database does not answer: {error}")
            break
        except Exception as error:
            logger.exception("the check of %s failed", name)
            found[name] = Finding(CheckStatus.DEGRADED, f"this cannot be checked: {error}")
    return {
        name: finding for name, finding in found.items() if name in names or finding.status != CheckStatus.OK
    }


def overall(found: Mapping[str, Finding]) -> CheckStatus:
    """The worst of them."""
    told = {finding.status for finding in found.values()}
    return next(
        (status for status in (CheckStatus.FAILED, CheckStatus.DEGRADED) if status in told), CheckStatus.OK
    )


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def _number(alarms: Collection[str]) -> str:
    if not alarms:
        return "none stands"
    return "1 stands" if len(alarms) == 1 else f"{len(alarms)} stand"


def _life(name: str, without: CheckStatus, consequence: str) -> Finding:
    since = heartbeats.age(name)
    if since is None:
        return Finding(without, f"none was ever seen; {consequence}")
    values = {"seconds": round(since.total_seconds(), 1)}
    if since < DEAD:
        return Finding(CheckStatus.OK, "seconds since its last sign of life", values)
    return Finding(without, f"no sign of life for {since.total_seconds():.0f} s; {consequence}", values)
