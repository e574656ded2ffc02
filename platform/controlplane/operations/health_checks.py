"""Health checks, one function for each part of the platform."""

import enum
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta

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
from tercast.runtime.wording import first_of, quantity

DEAD = timedelta(seconds=45)
"""Age of the last heartbeat at which a process counts as stopped."""

LATE = timedelta(seconds=60)
"""Waiting time of a request at which the planner counts as degraded."""

STILL = timedelta(seconds=30)
"""Time without progress at which control messages count as blocked; one round takes at most about 20 s."""

STATUSES = ("ok", "degraded", "failed")
ASK_SECONDS = 2.0
WRITE_WAIT_MS = 2000
"""Longest wait of the check for a lock: health answers within a few seconds while the database is locked."""

PROBE = "probe of health"
"""Watermark that the check of the database writes."""

logger = logging.getLogger(__name__)


class CheckStatus(enum.StrEnum):
    """Status of a part, from best to worst."""

    OK = "ok"
    DEGRADED = "degraded"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check; only authenticated users see the detail."""

    status: CheckStatus
    detail: str = ""


def database() -> Finding:
    """Check that the database answers and accepts a write; a held lock degrades it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    try:
        with waiting_at_most(WRITE_WAIT_MS), transaction.atomic():
            checkpoints.store(PROBE, timezone.now().isoformat())
    except DatabaseError as error:
        return _not_written(error)
    return Finding(CheckStatus.OK, f"{connection.vendor}; the database answers and accepts writes")


def _not_written(error: DatabaseError) -> Finding:
    outage = outage_of(error)
    if outage is LOCKED:
        detail = "another process has locked the database: reads continue, writes wait and end with 503"
        return Finding(CheckStatus.DEGRADED, f"{detail}; {outage.remedy}")
    remedy = "" if outage is None else f"; {outage.detail}"
    return Finding(CheckStatus.FAILED, f"the database answers, but accepts no write: {error}{remedy}")


def disk() -> Finding:
    """Check that the disks of all directories in use are above the threshold of the alarm."""
    low = disk_space.measure_low_disks()
    if low:
        return Finding(CheckStatus.DEGRADED, "; ".join(f"{each.subject}: {each.detail}" for each in low))
    free = (
        f"{each.free // disk_space.MEGABYTE:,} MiB free for {', '.join(each.directories)}"
        for each in disk_space.disks()
    )
    return Finding(CheckStatus.OK, "; ".join(free))


def broker() -> Finding:
    """Check that wake-ups can be written, and count those that no worker has received."""
    try:
        check_broker()
        planning, monitoring = waiting(PLANNER_QUEUE), waiting(DEFAULT_QUEUE)
    except (KombuError, OSError) as error:
        return Finding(CheckStatus.FAILED, f"messages cannot be sent: {error}")
    if not planning and not monitoring:
        return Finding(CheckStatus.OK, "no queued messages")
    detail = f"queued messages: {planning} for the planner, {monitoring} for monitoring and periodic tasks"
    return Finding(CheckStatus.OK, detail)


def worker() -> Finding:
    """Check that a worker serves the planner's queue; without one, requests stay queued."""
    return _life(heartbeats.WORKER, CheckStatus.FAILED, "requests stay queued until one starts")


def watcher() -> Finding:
    """Check that a worker serves the queue of monitoring and periodic tasks."""
    without = "switches and links are not monitored until one starts"
    return _life(heartbeats.WATCHER, CheckStatus.DEGRADED, without)


def analytics() -> Finding:
    """Check that an analytics worker runs.

    If none has ever run, the status is degraded only if a run is queued.
    """
    waits = Run.objects.filter(state=AnalyticsRunState.QUEUED)
    if heartbeats.age(heartbeats.ANALYTICS) is None and not waits.exists():
        return Finding(CheckStatus.OK, "no analytics worker has ever run, and no run is queued")
    return _life(heartbeats.ANALYTICS, CheckStatus.DEGRADED, "analytics runs stay queued until one starts")


def beat() -> Finding:
    """Check that beat runs; without it, nothing polls the controller or recovers lost wake-ups."""
    without = "until it starts, the platform does not watch switches and links, and periodic tasks do not run"
    return _life(heartbeats.BEAT, CheckStatus.DEGRADED, without)


def planner() -> Finding:
    """Check how long the oldest undecided request has waited."""
    rows = Request.objects.filter(state__in=(State.QUEUED, State.PLANNING))
    oldest = rows.order_by("id").values_list("received_at", flat=True).first()
    if oldest is None:
        return Finding(CheckStatus.OK, "no requests wait for the planner")
    late = timezone.now() - oldest
    number = quantity(rows.count(), "request waits", "requests wait")
    status = CheckStatus.OK if late < LATE else CheckStatus.DEGRADED
    return Finding(status, f"{number} for the planner, the oldest for {late.total_seconds():.1f} s")


def controller() -> Finding:
    """Check that the controller answers; without it, tables do not change."""
    try:
        with ControllerClient(seconds=ASK_SECONDS) as northbound:
            rows = northbound.switches()
    except NorthboundError as error:
        return Finding(CheckStatus.FAILED, f"no answer, so no table can be changed: {error}")
    switches = quantity(len(rows), "switch is", "switches are")
    return Finding(CheckStatus.OK, f"the controller answers; {switches} connected to it")


def switches() -> Finding:
    """Check that all switches are connected and have confirmed the plan."""
    away = list(
        Switch.objects.filter(up=True, connected=False).order_by("name").values_list("name", flat=True)
    )
    dirty = SwitchSync.objects.filter(dirty=True, attempts__gt=0).order_by("switch")
    unconfirmed = list(dirty.values_list("switch", flat=True))
    known = Switch.objects.count()
    if not away and not unconfirmed:
        return Finding(CheckStatus.OK, _all_switches(known))
    problems = (
        _affected(away, known, "is not connected", "are not connected"),
        _affected(unconfirmed, known, "has not confirmed the plan", "have not confirmed the plan"),
    )
    return Finding(CheckStatus.DEGRADED, "; ".join(filter(None, problems)))


def _affected(names: Collection[str], known: int, one: str, many: str) -> str:
    verb = one if len(names) == 1 else many
    return f"{len(names)} of {known} switches {verb}: {first_of(names)}" if names else ""


def _all_switches(known: int) -> str:
    if known < 2:
        return "the only switch is connected and has confirmed the plan" if known else "there are no switches"
    return f"all {known} switches are connected and have confirmed the plan"


def tables() -> Finding:
    """Check that no switch has a table that differs from the plan and cannot be repaired."""
    found = audits.unrepaired()
    if not found:
        return Finding(CheckStatus.OK, "all audited tables match the plan")
    problems = first_of((f"{name}: {reason}" for name, reason in found.items()), separator="; ")
    differ = quantity(len(found), "table differs", "tables differ")
    return Finding(CheckStatus.DEGRADED, f"{differ} from the plan after the last audit: {problems}")


def alarms() -> Finding:
    """List active alarms of the controller, aggregation, periodic tasks, paths and links."""
    found = [
        f"aggregation at switch {name}: measured {one['measured']:.2f}, predicted {one['expected']:.2f}"
        for name, one in sorted(standing_alarms().items())
    ]
    found += map(str, task_failures.read_problems())
    found += [f"{subject}: {detail}" for subject, detail, _ in missing_paths.read_missing_paths()]
    if waiting_links := found_links.waiting():
        found.append(found_links.describe(waiting_links))
    try:
        with ControllerClient(seconds=ASK_SECONDS) as northbound:
            rows = northbound.alarms()
    except NorthboundError as error:
        unknown = f"the controller's alarms are unknown: {error}"
        detail = f"{unknown}; {_active(found)}" if found else unknown
        return Finding(CheckStatus.DEGRADED, detail)
    names = names_of(rows)
    found += [f"controller: {row.get('alarm')}{place(row, names)}: {row.get('detail')}" for row in rows]
    return Finding(CheckStatus.DEGRADED if found else CheckStatus.OK, _active(found))


def signalling() -> Finding:
    """Check that control messages of hosts are processed."""
    since, trouble = liveness.last()
    behind = f": {trouble}" if trouble else ""
    if since is None:
        return Finding(CheckStatus.DEGRADED, f"no control message was ever read from the controller{behind}")
    if since < STILL:
        detail = f"control messages were last processed {since.total_seconds():.1f} s ago"
        return Finding(CheckStatus.OK, detail)
    detail = f"control messages of hosts have not been processed for {since.total_seconds():.0f} s{behind}"
    return Finding(CheckStatus.DEGRADED, detail)


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
"""All checks; all others need the first one."""


def run_checks(names: Mapping[str, Callable[[], Finding]] = CHECKS) -> dict[str, Finding]:
    """Run the checks with these names; if the database does not answer, run no further ones.

    A check that fails for another reason (for example a malformed row) is a finding and stops no other check.
    """
    with suppress(DatabaseError), waiting_at_most(WRITE_WAIT_MS):  # PostgreSQL may also block reads
        return _run_each(names)
    return _run_each(names)


def _run_each(names: Mapping[str, Callable[[], Finding]]) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    for name, check in {"database": database, **names}.items():
        try:
            found[name] = check()
        except DatabaseError as error:
            found[name] = Finding(CheckStatus.FAILED, f"the database does not answer: {error}")
            break
        except Exception as error:
            logger.exception("the health check %s failed", name)
            found[name] = Finding(CheckStatus.DEGRADED, f"the check failed: {error}")
    return {
        name: finding for name, finding in found.items() if name in names or finding.status != CheckStatus.OK
    }


def overall(found: Mapping[str, Finding]) -> CheckStatus:
    """Return the worst status."""
    statuses = (finding.status for finding in found.values())
    return max(statuses, key=list(CheckStatus).index, default=CheckStatus.OK)


def _active(alarms: Collection[str]) -> str:
    if not alarms:
        return "no active alarms"
    return f"{quantity(len(alarms), 'active alarm')}: {first_of(alarms, separator='; ')}"


def _life(name: str, without: CheckStatus, consequence: str) -> Finding:
    since = heartbeats.age(name)
    if since is None:
        return Finding(without, f"no such process has ever run; {consequence}")
    if since < DEAD:
        return Finding(CheckStatus.OK, f"last heartbeat {since.total_seconds():.0f} s ago")
    return Finding(without, f"no heartbeat for {since.total_seconds():.0f} s; {consequence}")
