"""Signs that a switch has lost entries; each causes an audit of the affected switches.

| sign | observation | delay |
| --- | --- | --- |
| `entries` | the switch counts more or fewer content entries than it has confirmed | the controller's poll |
| `uncounted` | the same, but the switch changes so fast that no reading is newer than it | 10 s |
| `reserved` | the switch counts fewer reserved entries than it should have | the controller's poll |
| `link_silent` | probes no longer cross a link whose ports are up | 3.5 probe intervals |
| `late_error` | the switch refused a change that it had confirmed | immediately |
| `lost_events` | a host reports that events were lost | the host's report |

A switch that reconnects is read back in any case, and one that refuses an entry is asked again. After a
repair, the pause between two audits for one sign at one switch is `SHORTEST`. It doubles with every audit
that repairs nothing, up to `LONGEST`, or up to `SAME` if the sign is exactly the same as before.
"""

import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count
from django.dispatch import receiver
from django.utils import timezone

from controlplane.deployment import switch_sync
from controlplane.deployment.audits import audits
from controlplane.deployment.audits.models import Check, CheckState
from controlplane.network.models import InstalledEntry, Switch, Tree
from controlplane.requestlog import checkpoints
from controlplane.telemetry.signals import losses_reported

SHORTEST = timedelta(seconds=5)
LONGEST = timedelta(seconds=60)
SAME = timedelta(seconds=300)
FORGOTTEN = timedelta(hours=1)
"""Time without a sign after which the next one counts as the first."""

_STATE = "signs of loss"
_ALARMS = {
    "link_silent": ("a", "b"),
    "late_error": ("dpid",),
}

Signs = dict[tuple[str, str], str]
"""Reason by kind of sign and name of the switch."""

UNCOUNTED = timedelta(seconds=10)
"""Time without a comparison after which an unusual number of a changing switch is a sign."""

RECENT = 16
"""Number of recent polls, 2 s apart; a count within their range is not unusual."""


@dataclass(slots=True)
class _ObservedState:
    """A state of a switch, the reading with which it was first seen, and the next reading."""

    confirmed: int
    marked_at: datetime | None
    first: str
    next: str | None
    recent: deque[int]
    """Numbers of confirmed entries at the last polls."""
    compared: float
    """Time of the last comparison, on the clock of `time.monotonic`."""

    def same(self, confirmed: int, marked_at: datetime | None) -> bool:
        return (self.confirmed, self.marked_at) == (confirmed, marked_at)

    def later(self, at: str) -> bool:
        """Whether a reading began after the state was first seen; the next one may be older."""
        if self.next is None and at != self.first:
            self.next = at
        return at not in (self.first, self.next)

    def is_unusual(self, entries: int) -> bool:
        """Whether a number of entries is outside the range of the last confirmed numbers."""
        return not min(self.recent) <= entries <= max(self.recent)


_seen: dict[str, _ObservedState] = {}
"""Seen state by switch."""


def process_reports(events: Iterable[Mapping[str, Any]], counters: Mapping[str, Any] | None) -> None:
    """Look for signs in the controller's events and counters, and request the audits they need."""
    signs = of_alarms(events)
    if counters is not None:
        signs |= of_counters(counters)
    request_due_audits(signs)
    audits.wake_for_signs()


def of_alarms(events: Iterable[Mapping[str, Any]]) -> Signs:
    """Return the signs in raised alarms."""
    raised = [one for one in events if one.get("kind") == "alarm" and one.get("state") == "raised"]
    found = [(one, [one.get(field) for field in _ALARMS.get(str(one.get("alarm")), ())]) for one in raised]
    if not any(dpids for _, dpids in found):
        return {}
    names = dict(Switch.objects.values_list("dpid", "name"))
    return {
        (str(one["alarm"]), names[dpid]): f"alarm {one['alarm']}: {one.get('detail', '')}"
        for one, dpids in found
        for dpid in dpids
        if dpid in names
    }


def of_counters(counters: Mapping[str, Any]) -> Signs:
    """Return the signs in the numbers of entries that switches count.

    Only a switch that has confirmed the plan is compared, and only with a reading that began after its last
    change. The two readings around the time when that change was first seen are skipped. If a switch changes
    so often that there was no comparison for `UNCOUNTED`, it is compared with all numbers of the last
    `RECENT` polls.
    """
    known, marks = switch_sync.switches(), switch_sync.marks()
    settled = switch_sync.clean(known)
    by_dpid = {one.dpid: one for one in known.values() if one.connected and one.name in settled}
    held = dict(InstalledEntry.objects.order_by().values_list("switch").annotate(Count("id")))
    signs: Signs = {}
    for row in counters.get("tables", ()):
        switch = by_dpid.get(row["dpid"])
        if switch is None:
            continue
        signs |= _compared(switch.name, held.get(switch.pk, 0), marks.get(switch.name), row)
    for name in _seen.keys() - {one.name for one in known.values() if one.connected}:
        del _seen[name]
    return signs


def _compared(name: str, confirmed: int, marked_at: datetime | None, row: Mapping[str, Any]) -> Signs:
    now = time.monotonic()
    seen = _seen.setdefault(
        name, _ObservedState(confirmed, marked_at, row["at"], None, deque(maxlen=RECENT), now)
    )
    seen.recent.append(confirmed)
    differs = row["entries"] != confirmed
    reason = f"its table has {row['entries']} entries for events, but the switch has confirmed {confirmed}"
    if not seen.same(confirmed, marked_at):
        _seen[name] = _ObservedState(confirmed, marked_at, row["at"], None, seen.recent, seen.compared)
        late = now - seen.compared >= UNCOUNTED.total_seconds()
        return (
            {("uncounted", name): f"{reason}; its table changes too often for an exact comparison"}
            if seen.is_unusual(row["entries"]) and late
            else {}
        )
    if not seen.later(row["at"]):
        return {}
    seen.compared = now
    found: Signs = {("entries", name): reason} if differs else {}
    wanted = row.get("reserved_wanted")
    if wanted is not None and row["reserved"] < wanted:
        found["reserved", name] = f"its table has {row['reserved']} system entries, but should have {wanted}"
    return found


def of_lost_events(reporter: str, more: int, topics: Sequence[str]) -> Signs:
    """Return the signs in a host's report: the switches on the trees of `topics` (empty: all)."""
    trees = Tree.objects.filter(topic__name__in=topics) if topics else Tree.objects.all()
    names = {
        str(name)
        for root, edges in trees.values_list("root__name", "edges")
        for name in (root, *(end for edge in edges for end in edge if isinstance(end, str)))
    }
    reason = f"{reporter} reports {more} more lost events"
    return {("lost_events", name): reason for name in sorted(names)}


@receiver(losses_reported)
def follow_reported_losses(reporter: str, more: int, topics: Sequence[str], **_: Any) -> None:
    """Request an audit of the switches that a host's lost events may have crossed."""
    request_due_audits(of_lost_events(reporter, more, topics))


def request_due_audits(signs: Signs) -> None:
    """Request one audit of the switches whose signs are due."""
    if not signs:
        return
    connected = set(
        Switch.objects.filter(connected=True, name__in={name for _, name in signs}).values_list(
            "name", flat=True
        )
    )
    with transaction.atomic():
        now = timezone.now()
        state: dict[str, Any] = checkpoints.hold(_STATE, {})
        asked: dict[str, str] = {}
        for (kind, name), reason in signs.items():
            key = f"{kind} {name}"
            pause = _pause(state.get(key), name, reason, now) if name in connected else None
            if pause is not None:
                asked[name] = f"{asked[name]}, {reason}" if name in asked else reason
                state[key] = {"at": now.isoformat(), "pause": pause.total_seconds(), "reason": reason}
        if asked:
            audit = audits.request_audit_of_signs(asked)
            for one in state.values():
                one.setdefault("audit", audit.pk)
            fresh = {key: one for key, one in state.items() if now - _time(one) < FORGOTTEN}
            checkpoints.store(_STATE, fresh)


def _pause(before: dict[str, Any] | None, name: str, reason: str, now: datetime) -> timedelta | None:
    """Return the pause until the next audit for a sign; None if the last one is too recent."""
    if before is None or now - _time(before) > FORGOTTEN:
        return SHORTEST
    check = Check.objects.filter(audit=before["audit"], switch=name).first()
    if check is not None and check.state in (CheckState.WAITING, CheckState.DRIFTED):
        return None
    if check is not None and check.state == CheckState.REPAIRED:
        return SHORTEST if now - _time(before) >= SHORTEST else None
    longest = SAME if reason == before["reason"] else LONGEST
    pause = timedelta(seconds=before["pause"])
    if now - _time(before) < min(pause, longest):
        return None
    return min(2 * pause, longest)


def _time(state: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(state["at"])
