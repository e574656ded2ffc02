"""What offers the demo to the control plane: a heartbeat a second, and the orders that are its answer."""

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
    """Tells how the demo is, in a thread of its own; `wanted` is whether it is asked for.

    `orders` are test events to publish; `report` says what became of them. A control plane that does not
    answer is asked again in a second, and told then what it has to be told.
    """

    def __init__(self, rest: RestClient, topology: dict[str, Any], *, fixed: bool) -> None:
        self._rest = rest
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beats, name="launcher", daemon=True)
        self._tested: list[dict[str, Any]] = []
        self._told: dict[str, Any] = {
            "name": re.sub(r"[^A-Za-z0-9._-]", "-", platform.node()).strip("-._")[:100] or "launcher",
            "state": "offered",
            "fixed": fixed,
            "switches": [row["id"] for row in topology["switches"]],
            "hosts": [row["id"] for row in topology["hosts"]],
        }
        self.wanted = False
        self.orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()

    def start(self) -> None:
        """Begin; `wanted` is known when this returns."""
        self.beat()
        self._thread.start()

    def stop(self) -> None:
        """End; soon the demo is absent for the control plane."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(EVERY_S)

    def tell(self, state: str, step: str = "", progress: float = 0.0, reason: str = "") -> None:
        """How the demo is, from the next heartbeat on."""
        with self._lock:
            self._told |= {"state": state, "step": step, "progress": progress, "reason": reason[:10_000]}

    def report(self, results: list[dict[str, Any]]) -> None:
        """What became of test events."""
        with self._lock:
            self._tested += results

    def beat(self) -> None:
        """One heartbeat; raises `DemoError` where it is not answered, and keeps what was to be told."""
        with self._lock:
            tested = self._tested[:100]
            answer = self._rest.post("/api/v1/demo/launcher/", {**self._told, "tested": tested})
            self._tested = self._tested[len(tested) :]
            self.wanted = answer["wanted"]
        for order in answer["tests"]:
            self.orders.put(order)

    def _beats(self) -> None:
        while not self._over.wait(EVERY_S):
            with suppress(DemoError):
                self.beat()
