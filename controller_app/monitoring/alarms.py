"""Active alarms: problems that last until they are cleared or no longer renewed."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from controller_app.clock import utc_now
from controller_app.monitoring.event_ring import EventRing

LASTING = 60.0
"""Seconds after its last occurrence until an alarm about a repeated event ends."""

MOST = 1000
"""Temporary alarms with one name and different subjects. Further subjects share one alarm: this limits
memory."""

OTHERS = "others"

AlarmSubject = tuple[tuple[str, object], ...]

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Alarm:
    """An active problem: its kind, its subject, its start, and how often it occurred."""

    name: str
    subject: AlarmSubject
    detail: str
    since: str
    last: str
    count: int
    ends: float | None

    def to_json(self) -> dict[str, object]:
        """Return the northbound's form."""
        return {
            "alarm": self.name,
            **dict(self.subject),
            "detail": self.detail,
            "since": self.since,
            "last": self.last,
            "count": self.count,
        }


class Alarms:
    """The active alarms. Each alarm emits an event when it is raised and another when it ends."""

    def __init__(self, events: EventRing, clock: Callable[[], float] = monotonic) -> None:
        self._events = events
        self._clock = clock
        self._standing: dict[tuple[str, AlarmSubject], Alarm] = {}
        self._number: Counter[str] = Counter()

    def sound(self, name: str, detail: str, lasts: float | None = None, /, **subject: object) -> None:
        """Raise or renew an alarm.

        Args:
            lasts: Seconds after which the alarm ends unless it is renewed; None until it is cleared.
        """
        if lasts is not None and not self.has_room(name, MOST, **subject):
            subject = dict.fromkeys(subject, OTHERS)
        key = (name, tuple(sorted(subject.items())))
        ends = None if lasts is None else self._clock() + lasts
        alarm = self._standing.get(key)
        if alarm is not None:
            alarm.count += 1
            alarm.last, alarm.ends, alarm.detail = utc_now(), ends, detail
            return
        now = utc_now()
        self._number[name] += 1
        self._standing[key] = Alarm(name, key[1], detail, now, now, 1, ends)
        self._events.emit("alarm", alarm=name, state="raised", detail=detail, **subject)
        log.warning("alarm", extra={"fields": {"alarm": name, **subject, "detail": detail}})

    def has_room(self, name: str, most: int, /, **subject: object) -> bool:
        """Whether this alarm is active, or fewer than `most` alarms with this name are."""
        key = (name, tuple(sorted(subject.items())))
        return key in self._standing or self._number[name] < most

    def clear(self, name: str, **subject: object) -> None:
        """End an alarm if it is active."""
        self._end((name, tuple(sorted(subject.items()))))

    def sweep(self) -> None:
        """End the alarms whose time is over."""
        now = self._clock()
        for key, alarm in list(self._standing.items()):
            if alarm.ends is not None and alarm.ends <= now:
                self._end(key)

    def standing(self) -> list[Alarm]:
        """Return the active alarms, oldest first."""
        return list(self._standing.values())

    def _end(self, key: tuple[str, AlarmSubject]) -> None:
        alarm = self._standing.pop(key, None)
        if alarm is None:
            return
        self._number[alarm.name] -= 1
        subject = dict(alarm.subject)
        self._events.emit("alarm", alarm=alarm.name, state="cleared", detail=alarm.detail, **subject)
        log.info("alarm cleared", extra={"fields": {"alarm": alarm.name, **subject}})
