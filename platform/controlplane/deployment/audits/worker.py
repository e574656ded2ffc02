"""The work of an audit: read back one switch at a time, compare, report, and then repair.

Each switch is read under the planner's lock, so that no change to it is in transit. Between two switches the
request log continues. The result is committed with its alarm before anything is sent to the switch. A worker
that dies in between leaves a check that is `drifted`, which the next worker repairs.
"""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from controlplane.common import fault_injection
from controlplane.common.process_locks import planner_lock
from controlplane.deployment import reconcile, session_cache, switch_sync
from controlplane.deployment.audits import audits
from controlplane.deployment.audits.compare import TableDifference, differences, sentence
from controlplane.deployment.audits.models import Audit, Check, CheckState, Drift, DriftKind
from controlplane.deployment.entry_codec import HostBook, repair
from controlplane.deployment.session_cache import SessionCache
from controlplane.network.controller_client import ControllerClient, ControllerReading, NorthboundError
from controlplane.network.models import Switch
from controlplane.requestlog import correlation, outbox
from controlplane.requestlog.models import SwitchSync

logger = logging.getLogger(__name__)

RUN_SECONDS = 1.0
"""Time after which the worker processes the request log."""

MAX_STORED = 2000
"""Largest number of stored differences of one switch; the counts include all."""


def run(stopping: Callable[[], bool] = lambda: False, seconds: float | None = None) -> bool:
    """Process the audits in progress.

    While a planner session holds the lock, nothing is done; a sweep continues later.

    Args:
        stopping: Whether the process is to stop.
        seconds: The available time, `RUN_SECONDS` by default.

    Returns:
        True if the time was over before all audits were complete.
    """
    end = time.monotonic() + (RUN_SECONDS if seconds is None else seconds)
    while (audit := audits.under_way()) is not None:
        check = audits.next_check(audit)
        if check is None:
            audits.end(audit)
            continue
        with planner_lock() as held:
            if held is None:
                return False
            audits.begin(audit)
            with correlation.named(f"audit-{audit.pk}"):
                _attempt(audit, check)
        if stopping() or time.monotonic() > end:
            return audits.under_way() is not None
    return False


def _attempt(audit: Audit, check: Check) -> None:
    """Process one switch; if it cannot be audited, store the reason and continue."""
    try:
        _step(audit, check)
    except (OperationalError, InterfaceError, NorthboundError):
        raise
    except Exception as error:
        logger.exception("audit %d: switch %s cannot be audited", audit.pk, check.switch)
        text = f"switch {check.switch} could not be audited: {type(error).__name__}: {error}"
        _end(check, CheckState.UNREACHABLE, text)


def _step(audit: Audit, check: Check) -> None:
    cache = session_cache.claim_cache()
    with ControllerClient() as northbound:
        if check.state == CheckState.WAITING:
            _check_switch(cache, northbound, audit, check)
        if check.state == CheckState.DRIFTED and audit.repair:
            fault_injection.point("audit:reported")
            _repair(cache, northbound, check)
    session_cache.keep_for_next_session(cache)


def _check_switch(cache: SessionCache, northbound: ControllerClient, audit: Audit, check: Check) -> None:
    """Read one switch, and store the result."""
    switch = Switch.objects.filter(name=check.switch).first()
    if switch is None:
        _end(check, CheckState.UNREACHABLE, f"switch {check.switch} no longer exists")
        return
    if audit.repair and not _is_settled(switch):
        reconcile.run(cache, northbound)
    try:
        reading = northbound.read_back(switch.dpid)
    except NorthboundError as error:
        _end(check, CheckState.UNREACHABLE, f"switch {check.switch} could not be read: {error}")
        return
    switch.refresh_from_db()
    if not _is_settled(switch) or reading.epoch not in (None, switch.reconciled_epoch):
        _end(check, CheckState.UNSETTLED, _unsettled(check.switch))
        return
    held = tuple(map(HostBook.read().entry, reading.entries))
    found = differences(repair(check.switch, held, cache.table(check.switch)), held, reading)
    _report(audit, check, found, reading)


def _is_settled(switch: Switch) -> bool:
    return switch.name in switch_sync.clean({switch.name: switch})


def _unsettled(name: str) -> str:
    row = SwitchSync.objects.filter(switch=name, dirty=True).first()
    said = ((row.problem if row else None) or {}).get("detail")
    return said or (
        f"switch {name} has just reconnected, or has unconfirmed changes; its table is compared as soon as "
        "it has confirmed all changes"
    )


def _report(audit: Audit, check: Check, found: list[TableDifference], reading: ControllerReading) -> None:
    """Store and report the result; a switch to repair is marked in the same transaction."""
    check.entries, check.foreign = len(reading.entries), reading.foreign
    kinds = [one.kind for one in found]
    check.missing, check.strange, check.different = map(
        kinds.count, (DriftKind.MISSING, DriftKind.STRANGE, DriftKind.DIFFERENT)
    )
    with transaction.atomic():
        _end(check, CheckState.DRIFTED if found else CheckState.EQUAL)
        if not found:
            return
        Drift.objects.bulk_create((_row(check, one) for one in found[:MAX_STORED]), batch_size=500)
        if audit.repair:
            switch_sync.ask_for([check.switch])
        then = "it is repaired now" if audit.repair else "this audit only reports"
        outbox.alarm(
            f"audit {audit.pk}: switch {check.switch} differs from the plan: {sentence(found)}; {then}"
        )


def _row(check: Check, one: TableDifference) -> Drift:
    return Drift(
        check_of=check,
        kind=one.kind,
        dst=one.dst,
        in_port=one.in_port,
        priority=one.priority,
        what=one.what,
        expected=one.expected,
        found=one.found,
    )


def _repair(cache: SessionCache, northbound: ControllerClient, check: Check) -> None:
    """Make the switch equal to the plan by the smallest change, and report the result."""
    refused: list[str] = []
    try:
        if check.drifts.filter(dst="").exists():
            refused = northbound.repair(Switch.objects.get(name=check.switch).dpid)
    except (NorthboundError, Switch.DoesNotExist) as error:
        refused = [str(error)]
    reconcile.run(cache, northbound)
    fault_injection.point("audit:repaired")
    row = SwitchSync.objects.filter(switch=check.switch, dirty=True).first()
    if row is not None:
        refused.append((row.problem or {}).get("detail") or f"switch {check.switch} has not confirmed yet")
    with transaction.atomic():
        _end(check, CheckState.UNREPAIRED if refused else CheckState.REPAIRED, "; ".join(refused))
        result = f"is not repaired: {check.detail}" if refused else "equals the plan again"
        outbox.alarm(f"audit {check.audit_id}: switch {check.switch} {result}")


def _end(check: Check, state: CheckState, detail: str = "") -> None:
    """Store the result of a switch; notify live pages unless the table equals the plan."""
    with transaction.atomic():
        check.state, check.detail, check.checked_at = state, detail, timezone.now()
        check.save()
        if state != CheckState.EQUAL:
            outbox.emit(
                "audit",
                {
                    "audit": check.audit_id,
                    "switch": check.switch,
                    "state": state.value,
                    "missing": check.missing,
                    "strange": check.strange,
                    "different": check.different,
                    "detail": detail,
                },
            )
