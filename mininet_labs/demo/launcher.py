"""Offer of the demo to the control plane: a heartbeat per second, whose answer has orders."""

import platform
import queue
import re
import threading
from contextlib import suppress
from typing import Any

from mininet_labs.demo.errors import DemoError
from mininet_labs.demo.rest import RestClient

EVERY_S = 1.0


class DemoLauncher:
    """Reports the state of the demo in its own thread; `wanted` is whether users want it to run.

    `orders` are test events to publish, and `report` adds their results. If the control plane does not
    answer, the next heartbeat, one second later, contains what it has missed.
    """

    def __init__(self, rest: RestClient, topology: dict[str, Any], *, fixed: bool) -> None:
        self._rest = rest
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beats, name="launcher", daemon=True)
        self._tested: list[dict[str, Any]] = []
        self._state: dict[str, Any] = {
            "name": re.sub(r"[^A-Za-z0-9._-]", "-", platform.node()).strip("-._")[:100] or "launcher",
            "state": "offered",
            "fixed": fixed,
            "switches": [row["id"] for row in topology["switches"]],
            "hosts": [row["id"] for row in topology["hosts"]],
        }
        self.wanted = False
        self.orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def start(self) -> None:
        """Start; `wanted` is known when this returns."""
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        """Stop; shortly afterwards the demo is absent for the control plane."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(EVERY_S)

    def set_state(self, state: str, step: str = "", progress: float = 0.0, reason: str = "") -> None:
        """Set the state that the next heartbeats report."""
        with self._lock:
            self._state |= {"state": state, "step": step, "progress": progress, "reason": reason[:10_000]}

    def report(self, results: list[dict[str, Any]]) -> None:
        """Add results of test events."""
        with self._lock:
            self._tested += results

    def beat(self) -> None:
        """Send a heartbeat; raises `DemoError` if it is not answered, and keeps its content."""
        with self._lock:
            tested = self._tested[:100]
            answer = self._rest.post("/api/v1/demo/launcher/", {**self._state, "tested": tested})
            self._tested = self._tested[len(tested) :]
            self.wanted = answer["wanted"]
        for order in answer["tests"]:
            self.orders.put(order)

    def _beats(self) -> None:
        while not self._over.wait(EVERY_S):
            with suppress(DemoError):
                self.beat()
