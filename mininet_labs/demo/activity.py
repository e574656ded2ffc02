"""Events of each announcement and host, for reports of traffic."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tercast.client.subscriber import Delivery


@dataclass(slots=True)
class ActivityCounts:
    """A number of events, and the time of the last one in seconds since 1970."""

    events: int = 0
    unwanted: int = 0
    last: float = 0.0

    def add(self, at: float, unwanted: bool = False) -> None:
        """Count an event."""
        self.events += 1
        self.unwanted += unwanted
        self.last = max(self.last, at)

    @property
    def last_at(self) -> str:
        """Return the time of the last event in ISO 8601."""
        return datetime.fromtimestamp(self.last, UTC).isoformat()


@dataclass(slots=True)
class ReportedActivity:
    """Events by advertisement, subscription (ids as in plans) and host."""

    advertisements: dict[str, ActivityCounts] = field(default_factory=dict)
    subscriptions: dict[str, ActivityCounts] = field(default_factory=dict)
    hosts: dict[str, ActivityCounts] = field(default_factory=dict)

    def sent(self, advertisement: str, at: float) -> None:
        """Count a published event."""
        self.advertisements.setdefault(advertisement, ActivityCounts()).add(at)

    def arrived(self, host: str, delivery: Delivery) -> None:
        """Count an event that reached a host; duplicates do not count."""
        if delivery.doubled:
            return
        at = delivery.received_at / 1e6
        self.hosts.setdefault(host, ActivityCounts()).add(at, not delivery.wanted)
        for name in delivery.subscriptions:
            self.subscriptions.setdefault(name, ActivityCounts()).add(at)

    def to_json(self) -> dict[str, list[dict[str, Any]]]:
        """Return the parts of a report of traffic."""
        return {
            "advertisements": [
                {"advertisement": name, "published": one.events, "last_at": one.last_at}
                for name, one in self.advertisements.items()
            ],
            "subscriptions": [
                {"subscription": name, "delivered": one.events, "last_at": one.last_at}
                for name, one in self.subscriptions.items()
            ],
            "hosts": [
                {"host": name, "delivered": one.events, "unwanted": one.unwanted, "last_at": one.last_at}
                for name, one in self.hosts.items()
            ],
        }
