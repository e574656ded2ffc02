"""Faults, one at a time: a switch without controller, a killed controller, a killed worker."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from mininet_labs.demo.platform_up import Platform
from mininet_labs.fabric import Fabric

NOBODY = "tcp:127.0.0.1:1"
"""A port without a controller; a switch whose list of controllers is empty would remove its entries."""
AWAY_S = 2.0


class Faults:
    """Causes faults in a running platform; `counts` has their numbers by kind."""

    def __init__(self, platform: Platform, fabric: Fabric, topology: dict[str, Any], seed: int) -> None:
        self.counts: Counter[str] = Counter()
        self._platform, self._fabric = platform, fabric
        self._switches = [switch["id"] for switch in topology["switches"]]
        self._random = random.Random(seed)
        self._queue: list[Callable[[], None]] = []

    def one(self) -> None:
        """Cause the next fault; all kinds occur in random order, then all again."""
        if not self._queue:
            self._queue = [self.switch_disconnect, self.controller_kill, self.worker_kill]
            self._random.shuffle(self._queue)
        fault = self._queue.pop()
        fault()
        self.counts[fault.__name__] += 1

    def switch_disconnect(self) -> None:
        """Disconnect a switch from its controller for a while."""
        switch = self._random.choice(self._switches)
        self._fabric.set_controller(NOBODY, switch=switch)
        time.sleep(AWAY_S)
        self._fabric.set_controller(f"tcp:127.0.0.1:{self._platform.openflow_port}", switch=switch)

    def controller_kill(self) -> None:
        """Kill the controller and start it again."""
        self._platform.restart("controller")

    def worker_kill(self) -> None:
        """Kill the worker of the planner during its work, and start it again."""
        self._platform.restart("worker")
