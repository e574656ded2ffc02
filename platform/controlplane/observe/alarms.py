"""Alarms that stand, whoever raised them, in one form."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from controlplane.aggregation.policy import ALARMS
from controlplane.audit import audits
from controlplane.control import watermarks
from controlplane.control.northbound import Northbound, NorthboundError
from controlplane.network.models import Switch
from controlplane.observe import reach
from controlplane.periodic import troubles

ASK_SECONDS = 2.0
SOURCES = ("controller", "aggregation", "audit", "periodic", "planner")
_OWN = frozenset({"alarm", "detail", "since", "last", "count"})


@dataclass(frozen=True, slots=True)
class Standing:
    """One thing that is wrong now: who says so, its name, what it is about, and since when."""

    source: str
    alarm: str
    subject: str
    detail: str
    since: datetime | None = None
    last: datetime | None = None
    count: int | None = None


def standing() -> tuple[list[Standing], str | None]:
    """All that stand, and why the controller's are not known (None: they are)."""
    found, trouble = [*_aggregation(), *_audits(), *_periodic(), *_reach()], None
    try:
        with Northbound(seconds=ASK_SECONDS) as northbound:
            rows = northbound.alarms()
    except NorthboundError as error:
        rows, trouble = [], str(error)
    names = dict(Switch.objects.values_list("dpid", "name")) if rows else {}
    return [*(_controller(row, names) for row in rows), *found], trouble


def _controller(row: Mapping[str, Any], names: Mapping[str, str]) -> Standing:
    subject = {name: value for name, value in row.items() if name not in _OWN}
    return Standing(
        "controller",
        str(row.get("alarm")),
        ", ".join(_told(name, value, names) for name, value in subject.items()),
        str(row.get("detail") or ""),
        _time(row.get("since")),
        _time(row.get("last")),
        row.get("count"),
    )


def _told(name: str, value: object, names: Mapping[str, str]) -> str:
    """A part of the subject; switches by their names."""
    text = str(value)
    return f"switch {names[text]}" if text in names else f"{name} {text}"


def _aggregation() -> list[Standing]:
    return [
        Standing(
            "aggregation",
            "aggregation_cost",
            f"switch {name}",
            f"{one['measured']:.3f} needless copies an event measured, {one['expected']:.3f} expected",
            _time(one.get("since")),
        )
        for name, one in sorted(watermarks.recall(ALARMS, {}).items())
    ]


def _audits() -> list[Standing]:
    return [
        Standing("audit", "unrepaired", f"switch {name}", reason)
        for name, reason in audits.unrepaired().items()
    ]


def _periodic() -> list[Standing]:
    """Schedules that cannot run, rows that loops skip, and tasks that keep failing."""
    return [
        Standing("periodic", one.alarm, one.subject, one.detail, _time(one.since), _time(one.last), one.count)
        for one in troubles.standing()
    ]


def _reach() -> list[Standing]:
    return [Standing("planner", "out_of_reach", *one) for one in reach.standing()]


def _time(text: object) -> datetime | None:
    return parse_datetime(text) if isinstance(text, str) else None
