"""Active alarms of all sources in one form."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import DatabaseError
from django.utils.dateparse import parse_datetime

from controlplane.aggregation.policy import standing_alarms
from controlplane.deployment.audits import audits
from controlplane.network import found_links
from controlplane.network.controller_client import ControllerClient, NorthboundError
from controlplane.network.models import Switch
from controlplane.operations import disk_space, missing_paths
from controlplane.periodic import task_failures

ASK_SECONDS = 2.0
SOURCES = ("controller", "aggregation", "audit", "periodic", "planner", "disk", "discovery")
_OWN = frozenset({"alarm", "detail", "since", "last", "count"})

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StandingAlarm:
    """A problem that exists now: its source, name, subject, details and start time."""

    source: str
    alarm: str
    subject: str
    detail: str
    since: datetime | None = None
    last: datetime | None = None
    count: int | None = None


def standing() -> tuple[list[StandingAlarm], str | None]:
    """Return all active alarms, and the reason why the controller's are unknown (None if known)."""
    found, trouble = [row for source, read in _READERS.items() for row in _read(source, read)], None
    try:
        with ControllerClient(seconds=ASK_SECONDS) as northbound:
            rows = northbound.alarms()
    except NorthboundError as error:
        rows, trouble = [], str(error)
    names = dict(Switch.objects.values_list("dpid", "name")) if rows else {}
    return [*(_controller(row, names) for row in rows), *found], trouble


def _controller(row: Mapping[str, Any], names: Mapping[str, str]) -> StandingAlarm:
    subject = {name: value for name, value in row.items() if name not in _OWN}
    return StandingAlarm(
        "controller",
        str(row.get("alarm")),
        ", ".join(_subject_part(name, value, names) for name, value in subject.items()),
        str(row.get("detail") or ""),
        _time(row.get("since")),
        _time(row.get("last")),
        row.get("count"),
    )


def _subject_part(name: str, value: object, names: Mapping[str, str]) -> str:
    """Describe a part of the subject; replace a datapath id by the name of the switch."""
    text = str(value)
    return f"switch {names[text]}" if text in names else f"{name} {text}"


def _aggregation() -> list[StandingAlarm]:
    return [
        StandingAlarm(
            "aggregation",
            "aggregation_cost",
            f"switch {name}",
            f"measured {one['measured']:.3f} redundant copies per event, predicted {one['expected']:.3f}",
            _time(one.get("since")),
        )
        for name, one in sorted(standing_alarms().items())
    ]


def _audits() -> list[StandingAlarm]:
    return [
        StandingAlarm("audit", "unrepaired", f"switch {name}", reason)
        for name, reason in audits.unrepaired().items()
    ]


def _periodic() -> list[StandingAlarm]:
    """Return schedules that cannot run, rows that loops skip, and tasks that fail repeatedly."""
    return [
        StandingAlarm(
            "periodic", one.alarm, one.subject, one.detail, _time(one.since), _time(one.last), one.count
        )
        for one in task_failures.standing()
    ]


def _reach() -> list[StandingAlarm]:
    return [StandingAlarm("planner", "out_of_reach", *one) for one in missing_paths.standing()]


def _disks() -> list[StandingAlarm]:
    return [
        StandingAlarm("disk", "disk_low", one.subject, one.detail, _time(one.since))
        for one in disk_space.standing()
    ]


def _found_links() -> list[StandingAlarm]:
    found = found_links.waiting()
    if not found:
        return []
    return [StandingAlarm("discovery", "links_waiting", "", found_links.describe(found), found[0].found_at)]


def _read(source: str, read: Callable[[], list[StandingAlarm]]) -> list[StandingAlarm]:
    """Return the alarms of a source.

    If they cannot be read, the result is one alarm that says so. The alarms of other sources stay visible.

    Raises:
        DatabaseError: The database is unavailable, so no source can be read.
    """
    try:
        return read()
    except DatabaseError:
        raise
    except Exception as error:
        logger.exception("cannot read the alarms of %s", source)
        return [StandingAlarm(source, "unreadable", "its alarms", f"the alarms cannot be read: {error}")]


_READERS: Mapping[str, Callable[[], list[StandingAlarm]]] = {
    "aggregation": _aggregation,
    "audit": _audits,
    "periodic": _periodic,
    "planner": _reach,
    "disk": _disks,
    "discovery": _found_links,
}


def _time(text: object) -> datetime | None:
    try:
        return parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
