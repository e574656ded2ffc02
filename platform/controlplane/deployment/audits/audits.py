"""Audits as rows: requested, processed one at a time, completed, and deleted later."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, Count, Exists, OuterRef, When
from django.utils import timezone

from controlplane.common import clock, runs
from controlplane.common.problems import conflict
from controlplane.common.runs import RunLifeCycle
from controlplane.common.wakeups import wake_audits
from controlplane.deployment.audits.models import Audit, AuditState, AuditTrigger, Check, CheckState, Drift
from controlplane.network.models import Switch
from controlplane.requestlog import outbox

MOST_WAITING = 20
"""Largest number of waiting audits."""

WAKE_AFTER = timedelta(seconds=0.5)
MOST_REASONS = 20
"""Largest number of switches whose signs of loss are in the reason of an audit."""

KEPT = 500
"""Number of kept audits; of those without differences, only the newest `KEPT_QUIET` are kept."""

KEPT_QUIET = 50
KEPT_DRIFT = 50_000
"""Number of kept differences over all audits; the oldest audits are deleted first."""


_AUDITS = RunLifeCycle(Audit, "audit")

find, is_over = _AUDITS.find, _AUDITS.is_over


def ask(names: Sequence[str] | None, repair: bool, actor: Any) -> Audit:
    """Request an audit of some switches, or of all.

    Raises:
        Problem: Too many audits wait (409).
    """
    if _AUDITS.under_way().count() >= MOST_WAITING:
        raise conflict("busy", f"{MOST_WAITING} audits are already waiting. Try again when one is complete.")
    return _add(AuditTrigger.OPERATOR, names, repair, actor)


def ask_periodically() -> Audit | None:
    """Request an audit of all switches, unless one is in progress."""
    if _AUDITS.under_way().exclude(trigger=AuditTrigger.SIGN).exists():
        return None
    return _add(AuditTrigger.PERIODIC, None, True, None)


def ask_for_signs(reasons: Mapping[str, str]) -> Audit:
    """Request an audit of the switches with a sign of loss, by name; it precedes all others."""
    text = "; ".join(f"switch {name}: {reason}" for name, reason in list(reasons.items())[:MOST_REASONS])
    more = len(reasons) - MOST_REASONS
    text += f"; and {more} more" if more > 0 else ""
    return _add(AuditTrigger.SIGN, list(reasons), True, None, text)


def wake_for_signs() -> None:
    """Wake a worker again if an audit for a sign waits: the worker may have missed its message."""
    late = clock.over("created_at", WAKE_AFTER, timezone.now())
    if _AUDITS.under_way().filter(late, trigger=AuditTrigger.SIGN).exists():
        wake_audits()


def under_way() -> Audit | None:
    """Return the oldest audit in progress; audits that follow a sign of loss come first."""
    first = Case(When(trigger=AuditTrigger.SIGN, then=0), default=1)
    return _AUDITS.under_way().order_by(first, "id").first()


def next_check(audit: Audit) -> Check | None:
    """Return the next switch to read, or to repair if the repair was reported but not done."""
    todo = [CheckState.WAITING, *([CheckState.DRIFTED] if audit.repair else [])]
    return audit.checks.filter(state__in=todo).order_by("id").first()


def begin(audit: Audit) -> None:
    """Mark the audit as running."""
    if audit.state == AuditState.QUEUED:
        _AUDITS.begin(audit)


def end(audit: Audit) -> None:
    """Complete an audit whose switches are all checked: notify live pages and delete old audits."""
    with transaction.atomic():
        if _AUDITS.end(audit, AuditState.DONE):
            fields = {"audit": audit.pk, "state": AuditState.DONE}
            outbox.emit("audit", {**fields, "switches": counts([audit]).get(audit.pk, {})})
    prune()


def counts(audits: Iterable[Audit]) -> dict[int, dict[str, int]]:
    """Return, by audit, the number of its switches in each state. This is one query."""
    rows = Check.objects.filter(audit__in=[audit.pk for audit in audits]).order_by()
    found: dict[int, dict[str, int]] = {}
    for audit, state, number in rows.values_list("audit", "state").annotate(Count("id")):
        found.setdefault(audit, {})[state] = number
    return found


def unrepaired() -> dict[str, str]:
    """Return the switches that the last audit with a reading could not repair, with the reasons.

    Only switches that still exist are included. This is one query.
    """
    seen = (CheckState.EQUAL, CheckState.DRIFTED, CheckState.REPAIRED, CheckState.UNREPAIRED)
    later = Check.objects.filter(switch=OuterRef("switch"), id__gt=OuterRef("id"), state__in=seen).order_by()
    rows = Check.objects.filter(
        ~Exists(later), state=CheckState.UNREPAIRED, switch__in=Switch.objects.order_by().values("name")
    )
    return dict(rows.order_by("switch").values_list("switch", "detail"))


def prune() -> None:
    """Delete the oldest audits beyond the limits: all, without differences, and differences."""
    done = Audit.objects.filter(state=AuditState.DONE)
    quiet = done.exclude(checks__state__in=set(CheckState) - {CheckState.EQUAL})
    for rows, kept in ((done, KEPT), (quiet, KEPT_QUIET)):
        runs.prune(rows, kept)
    newest = Drift.objects.order_by("-id").values_list("check_of__audit", flat=True)
    for audit in newest[KEPT_DRIFT : KEPT_DRIFT + 1]:
        Audit.objects.filter(state=AuditState.DONE, id__lte=audit).delete()


def _add(
    trigger: AuditTrigger, names: Sequence[str] | None, repair: bool, actor: Any, reason: str = ""
) -> Audit:
    known = Switch.objects.order_by("name").values_list("name", flat=True)
    wanted = list(known) if names is None else list(dict.fromkeys(names))
    with transaction.atomic():
        audit = _AUDITS.add(wake_audits, trigger=trigger, repair=repair, actor=actor, reason=reason)
        Check.objects.bulk_create(Check(audit=audit, switch=name) for name in wanted)
    return audit
