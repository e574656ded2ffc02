"""Random requests and random faults of switches, of the controller and of the worker."""

import random

from controlplane.common import fault_injection
from controlplane.deployment import session, session_cache
from controlplane.deployment.watcher import watch
from controlplane.registry.models import Advertisement, Subscription
from controlplane.requestlog.models import SwitchSync
from tests.support.controlplane import network_world as world


class Killed(BaseException):
    """Represents `kill -9`: no other code catches it, and transactions are rolled back."""


class Disorder:
    """Faults from a random number generator."""

    def __init__(self, rng: random.Random, controller, monkeypatch, switches: int) -> None:
        self.rng, self.controller, self.switches = rng, controller, switches
        monkeypatch.setattr(fault_injection, "point", self.point)
        self.deadly = 0.0

    def point(self, step: str) -> None:
        if self.rng.random() < self.deadly:
            raise Killed(step)

    def request(self) -> None:
        rng = self.rng
        dz = sorted({format(rng.getrandbits(4), "04b")[: rng.randint(0, 4)] for _ in range(2)})
        host = f"h{rng.randint(1, self.switches)}"
        match rng.randrange(9):
            case 0 | 1:
                world.advertise(host, dz)
            case 2 | 3 | 4 | 5:
                world.subscribe(host, dz)
            case 6 | 7:
                self.withdraw()
            case 8:
                budget = rng.choice([None, 4, 8, 30])
                world.log(
                    {"op": "set_budget", "switch": f"s{rng.randint(1, self.switches)}", "tcam_budget": budget}
                )

    def withdraw(self) -> None:
        model = self.rng.choice([Advertisement, Subscription, Subscription])
        rows = list(model.objects.filter(withdrawal=None))
        if rows:
            world.withdraw(self.rng.choice(rows))

    def fault(self) -> None:
        rng, controller = self.rng, self.controller
        dpid = world.dpid(rng.randint(1, self.switches))
        switch = controller.switches[dpid]
        match rng.randrange(8):
            case 0:
                controller.disconnect(dpid)
            case 1 | 2:
                controller.connect(dpid, keep=rng.random() < 0.7)
            case 3:
                switch.refuses = {dst for dst, _, _ in rng.sample(list(switch.table), len(switch.table) // 2)}
            case 4:
                switch.refuses = set()
            case 5 if switch.table:
                del switch.table[
                    rng.choice(list(switch.table))
                ]  # another program changes the table; reading it back shows this
                controller.connect(dpid)
            case 6:
                controller.answer = rng.choice([None, None, (500, b"{}"), (200, b"[")])
            case 7:
                port = rng.choice(list(switch.ports))
                switch.ports[port] = not switch.ports[port]

    def run(self) -> None:
        """Run a session, possibly in a new process, possibly killed."""
        if self.rng.random() < 0.3:
            session_cache._kept = None
        self.deadly = self.rng.choice([0, 0, 0.1, 0.4])
        try:
            if self.rng.random() < 0.5:
                watch.run()
            session.run()
        except Killed:
            session_cache._kept = None
        self.deadly = 0.0

    def end(self) -> None:
        """End all faults, and let all switches reconnect."""
        self.controller.answer = None
        for n in range(1, self.switches + 1):
            switch = self.controller.connect(world.dpid(n), keep=self.rng.random() < 0.5)
            switch.refuses, switch.ports = set(), dict.fromkeys(switch.ports, True)
        watch.run()
        for _ in range(3):
            SwitchSync.objects.update(retry_at=None)
            session.run()
