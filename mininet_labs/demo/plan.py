"""The plan for the process of the hosts: the hosts, and the announcements of the demo."""

from datetime import datetime
from typing import Any

from mininet_labs.demo import content
from mininet_labs.demo.content import TOPIC
from mininet_labs.demo.platform_up import Platform
from mininet_labs.demo.rest import RestClient

UNDER_WAY = "queued,planning,deploying"
OTHERS = 1000
"""Highest number of other users' subscriptions in a plan; the newest are included."""


class PlanReader:
    """Reads the plan from the control plane again whenever the request log has changed."""

    def __init__(self, platform: Platform, rest: RestClient, topology: dict[str, Any], rate: float) -> None:
        self._platform, self._rest, self._topology, self._rate = platform, rest, topology, rate
        self._feeds = {feed["name"]: feed for feed in content.publishers(topology)}
        self._homes = {row["name"]: row["host"] for row in content.subscribers(topology)}
        self._confirmed: dict[str, float] = {}
        self._seen: tuple[Any, ...] = ()
        self._newest: tuple[Any, ...] = ()

    def changed(self) -> bool:
        """Whether a request was logged or has ended since the plan was last read."""
        newest = self._rest.get("/api/v1/requests/", ordering="-id", limit=1)["results"]
        waiting = self._rest.get("/api/v1/requests/", state__in=UNDER_WAY, limit=1)["results"]
        self._newest = tuple((row["id"], row["state"]) for row in (*newest, *waiting))
        return self._newest != self._seen

    def read(self) -> dict[str, Any]:
        """Return the plan as JSON."""
        topic = self._rest.all("/api/v1/topics/", name=TOPIC["name"])[0]
        subscriptions = self._subscriptions()
        plan = {
            "topic": {key: topic[key] for key in ("name", "code", "attributes", "indexed")},
            "hosts": self._hosts(),
            "advertisements": self._advertisements(),
            "subscriptions": subscriptions,
            "shared": self._shared(subscriptions),
            "others": self._others(),
            "rate": self._rate,
            "api": self._platform.base_url,
            "token_file": str(self._platform.state_dir / "secrets" / "operator-token"),
            "telemetry": str(self._platform.telemetry),
        }
        self._seen = self._newest
        return plan

    def _hosts(self) -> dict[str, dict[str, str]]:
        sockets = self._platform.network.host_sockets()
        return {
            host["id"]: {"socket": str(sockets[host["id"]][0]), "ip": host["ip"], "mac": host["mac"]}
            for host in self._topology["hosts"]
        }

    def _advertisements(self) -> list[dict[str, Any]]:
        """Return the advertisements; `until` is the time of the withdrawal request, or None."""
        rows = self._rest.all(
            "/api/v1/advertisements/",
            state__in="active,withdrawn",
            topic=TOPIC["name"],
            publisher__in=",".join(self._feeds),
        )
        return [
            {
                "id": f"a{row['id']}",
                "host": self._feeds[row["publisher"]]["host"],
                "symbol": self._feeds[row["publisher"]]["symbol"],
                "filter": row["filter"],
                "until": self._until(row),
            }
            for row in rows
        ]

    def _subscriptions(self) -> dict[str, list[dict[str, Any]]]:
        """Return subscriptions by host; `until` is the time of the withdrawal request, or None."""
        found: dict[str, list[dict[str, Any]]] = {}
        rows = self._rest.all(
            "/api/v1/subscriptions/",
            state__in="active,withdrawn",
            topic=TOPIC["name"],
            subscriber__in=",".join(self._homes),
        )
        for row in rows:
            wish = {
                "id": f"q{row['id']}",
                "filter": row["filter"],
                "active_at": self._stage(row["request"], "confirmed"),
                "until": self._until(row),
            }
            found.setdefault(self._homes[row["subscriber"]], []).append(wish)
        return found

    def _others(self) -> dict[str, list[dict[str, str]]]:
        """Return other users' newest subscriptions to the topic, by host; they are counted too."""
        found: dict[str, list[dict[str, str]]] = {}
        asked = {"state": "active", "topic": TOPIC["name"], "ordering": "-id", "limit": OTHERS}
        for row in self._rest.get("/api/v1/subscriptions/", **asked)["results"]:
            if row["subscriber"] not in self._homes and row["filter"] is not None:
                wish = {"id": f"q{row['id']}", "filter": row["filter"]}
                found.setdefault(row["host"], []).append(wish)
        return found

    def _shared(self, own: dict[str, list[dict[str, Any]]]) -> list[str]:
        """Return the hosts where other users have subscribed to the topic too."""
        shared = []
        asked = {"topic": TOPIC["name"], "state__in": UNDER_WAY + ",active", "limit": 1, "count": "true"}
        for host in (row["id"] for row in self._topology["hosts"]):
            live = self._rest.get("/api/v1/subscriptions/", host=host, **asked)["count"]
            if live > sum(wish["until"] is None for wish in own.get(host, ())):
                shared.append(host)
        return shared

    def _until(self, row: dict[str, Any]) -> float | None:
        return self._stage(row["withdrawal"], "received") if row["withdrawal"] else None

    def _stage(self, request: str, stage: str) -> float:
        """Return when a request reached a stage, in seconds since 1970."""
        key = f"{request} {stage}"
        if key not in self._confirmed:
            confirmed_at = self._rest.get(request)["stage"][stage]
            self._confirmed[key] = datetime.fromisoformat(confirmed_at).timestamp()
        return self._confirmed[key]
