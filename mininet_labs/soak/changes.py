"""Random changes over REST: requests, withdrawals, budgets, runs, indexed attributes."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from typing import Any

from mininet_labs.demo.content import SYMBOLS, TOPIC
from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.rest import RestClient, RestRefusal

ACTORS = 6
"""Number of publishers, and of subscribers, of the soak test; their requests change all the time."""
MOST_LIVE = 30
"""Highest number of their advertisements, and of their subscriptions, at one time."""
WEIGHTS = {
    "subscribe": 8,
    "unsubscribe": 7,
    "advertise": 3,
    "unadvertise": 2,
    "budget": 4,
    "aggregate": 1,
    "reindex": 2,
}
INDEXED = (["symbol", "close"], ["symbol", "volume"], ["symbol", "open", "close"])
"""Indexed attributes of the topic, in turn."""
METHODS = ("fa-lb", "fa-pb", "optimal")
_PAUSE_S = 0.05
_END_STATES = ("active", "failed", "withdrawn")


class SoakChanges:
    """Makes changes one at a time in its own thread until `stop`; `counts` has those that ended."""

    def __init__(self, rest: RestClient, topology: dict[str, Any], seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.reasons: dict[str, str] = {}
        self._rest, self._topology = rest, topology
        self._random = random.Random(seed)
        self._live: dict[str, list[int]] = {"advertisements": [], "subscriptions": []}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="soak-changes", daemon=True)
        self._broken: BaseException | None = None

    def prepare(self) -> None:
        """Register the publishers and subscribers, and set the policy to LA."""
        hosts = [host["id"] for host in self._topology["hosts"]]
        for kind in ("publishers", "subscribers"):
            rows = [
                {"name": f"soak-{kind[:3]}-{number}", "host": self._random.choice(hosts)}
                for number in range(ACTORS)
            ]
            self._rest.add_missing(f"/api/v1/{kind}/", rows, ("name",))
        self._rest.patch("/api/v1/aggregation/", {"method": "la"})

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Wait for the running change, then remove all budgets; raises the error of the thread."""
        self._stopping.set()
        self._thread.join()
        if self._broken is not None:
            raise self._broken
        for switch in self._rest.all("/api/v1/switches/"):
            if switch["tcam_budget"] is not None:
                self._patiently("budget", f"/api/v1/switches/{switch['id']}/", {"tcam_budget": None})

    def check(self) -> None:
        """Raise the error of the thread, if there is one."""
        if self._broken is not None:
            raise self._broken

    def _run(self) -> None:
        try:
            while not self._stopping.wait(_PAUSE_S):
                self._one()
        except BaseException as error:
            self._broken = error

    def _one(self) -> None:
        (kind,) = self._random.choices(list(WEIGHTS), weights=list(WEIGHTS.values()))
        getattr(self, f"_{kind}")()

    def _subscribe(self) -> None:
        self._add("subscriptions", "subscribe", {"subscriber": f"soak-sub-{self._actor()}"})

    def _advertise(self) -> None:
        self._add("advertisements", "advertise", {"publisher": f"soak-pub-{self._actor()}"})

    def _unsubscribe(self) -> None:
        self._withdraw("subscriptions", "unsubscribe")

    def _unadvertise(self) -> None:
        self._withdraw("advertisements", "unadvertise")

    def _budget(self) -> None:
        switch = self._random.choice(self._rest.all("/api/v1/switches/"))
        entries = switch["exact_entries"] or 0
        budget = self._random.choice([None, entries + 5, max(4, entries * 3 // 4), max(4, entries // 2)])
        self._patiently("budget", f"/api/v1/switches/{switch['id']}/", {"tcam_budget": budget})

    def _aggregate(self) -> None:
        try:
            run = self._rest.post("/api/v1/aggregation/runs/", {"method": self._random.choice(METHODS)})
        except DemoError:
            self.refused["aggregate"] += 1
            return
        while (run := self._rest.get(run["url"]))["state"] in ("queued", "running"):
            time.sleep(0.1)
        self.counts["aggregate"] += 1

    def _reindex(self) -> None:
        """Change the indexed attributes of the topic of the events."""
        topic = self._rest.all("/api/v1/topics/", name=TOPIC["name"])[0]
        indexed = self._random.choice([c for c in INDEXED if c != topic["indexed"]])
        self._patiently("reindex", f"/api/v1/topics/{topic['id']}/", {"indexed": indexed})

    def _add(self, path: str, kind: str, owner: dict[str, str]) -> None:
        if len(self._live[path]) >= MOST_LIVE:
            self._withdraw(path, f"un{kind}")
            return
        body = {**owner, "topic": TOPIC["name"], "filter": self._filter()}
        try:
            request = self._rest.post(f"/api/v1/{path}/", body)
        except RestRefusal:
            self.refused[kind] += 1
            return
        if self._ended(kind, request)["state"] == "active":
            self._live[path].append(request["object"]["id"])

    def _withdraw(self, path: str, kind: str) -> None:
        if not self._live[path]:
            return
        number = self._live[path].pop(self._random.randrange(len(self._live[path])))
        self._ended(kind, self._rest.delete(f"/api/v1/{path}/{number}/"))

    def _patiently(self, kind: str, path: str, body: dict[str, Any]) -> None:
        self._ended(kind, self._rest.patch(path, body))

    def _ended(self, kind: str, request: dict[str, Any]) -> dict[str, Any]:
        """Wait until a request has ended, and return it.

        A switch or a worker that is absent delays it, but it is not lost.
        """
        while request["state"] not in _END_STATES:
            request = self._rest.get(request["url"], wait=5.0)
        self.counts[kind] += 1
        if request["state"] == "failed":
            self.failed[kind] += 1
            self.reasons[kind] = (request["problem"] or {}).get("detail", "no reason reported")
        return request

    def _actor(self) -> int:
        return self._random.randrange(ACTORS)

    def _filter(self) -> str:
        low = self._random.choice((0, 50, 100, 200, 400))
        high = low + self._random.choice((25, 100, 300))
        symbol = self._random.choice(SYMBOLS)
        return self._random.choice(
            (
                f"close in [{low}, {high})",
                f'symbol = "{symbol}" and close >= {low}',
                f'symbol = "{symbol}"',
                f'symbol prefix "{symbol[0]}" and close < {high}',
            )
        )
