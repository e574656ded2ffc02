"""Random requests under random faults: once all is well again, everything agrees."""

import random

import control_world as world
import pytest

from controlplane.control import faults, hot, replay, session, watch
from controlplane.control.models import OutboxEvent, Request, SwitchSync
from controlplane.network.models import Switch
from controlplane.registry.models import Advertisement, Subscription

SWITCHES = 5
ROUNDS = 14


class Killed(BaseException):
    """Stands for `kill -9`: nothing below catches it, and transactions are rolled back."""


class Disorder:
    """What goes wrong, as a random number generator has it."""

    def __init__(self, rng: random.Random, controller, monkeypatch) -> None:
        self.rng, self.controller = rng, controller
        monkeypatch.setattr(faults, "point", self.point)
        self.deadly = 0.0

    def point(self, step: str) -> None:
        if self.rng.random() < self.deadly:
            raise Killed(step)

    def request(self) -> None:
        rng = self.rng
        dz = sorted({format(rng.getrandbits(4), "04b")[: rng.randint(0, 4)] for _ in range(2)})
        host = f"h{rng.randint(1, SWITCHES)}"
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
                    {"op": "set_budget", "switch": f"s{rng.randint(1, SWITCHES)}", "tcam_budget": budget}
                )

    def withdraw(self) -> None:
        model = self.rng.choice([Advertisement, Subscription, Subscription])
        rows = list(model.objects.filter(withdrawal=None))
        if rows:
            world.withdraw(self.rng.choice(rows))

    def fault(self) -> None:
        rng, controller = self.rng, self.controller
        dpid = world.dpid(rng.randint(1, SWITCHES))
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
                ]  # somebody meddles; found when it is read back
                controller.connect(dpid)
            case 6:
                controller.answer = rng.choice([None, None, (500, b"{}"), (200, b"[")])
            case 7:
                port = rng.choice(list(switch.ports))
                switch.ports[port] = not switch.ports[port]

    def run(self) -> None:
        """A session, perhaps in a new process, perhaps killed."""
        if self.rng.random() < 0.3:
            hot._kept = None
        self.deadly = self.rng.choice([0, 0, 0.1, 0.4])
        try:
            if self.rng.random() < 0.5:
                watch.run()
            session.run()
        except Killed:
            hot._kept = None
        self.deadly = 0.0

    def end(self) -> None:
        """All is well again, and everybody gets another chance."""
        self.controller.answer = None
        for n in range(1, SWITCHES + 1):
            switch = self.controller.connect(world.dpid(n), keep=self.rng.random() < 0.5)
            switch.refuses, switch.ports = set(), dict.fromkeys(switch.ports, True)
        watch.run()
        for _ in range(3):
            SwitchSync.objects.update(retry_at=None)
            session.run()


@pytest.mark.parametrize("seed", range(8))
def test_once_all_is_well_everything_agrees(db, controller, monkeypatch, seed):
    rng = random.Random(seed)
    for n in range(SWITCHES + 1, 10):
        controller.disconnect(world.dpid(n))
    world.line(SWITCHES)
    world.add_link(f"s{SWITCHES}", 1, "s1", 2)
    disorder = Disorder(rng, controller, monkeypatch)
    disorder.run()
    for _ in range(ROUNDS):
        for _ in range(rng.randint(0, 4)):
            disorder.request()
        if rng.random() < 0.6:
            disorder.fault()
        if rng.random() < 0.3:
            SwitchSync.objects.update(retry_at=None)
        disorder.run()
        nothing_is_active_too_early(controller)
    disorder.end()
    assert not Request.objects.exclude(state__in=("active", "failed")).exists()
    assert list(replay.differences()) == []
    assert not SwitchSync.objects.filter(dirty=True).exists()
    for switch in Switch.objects.all():
        kept = {
            (dst, in_port, priority) for dst, in_port, priority, _ in world.installed().get(switch.name, [])
        }
        assert kept == set(controller.switches[switch.dpid].table), switch.name
    for model in (Advertisement, Subscription):
        for row in model.objects.select_related("request", "withdrawal"):
            gone = row.withdrawal is not None and row.withdrawal.state == "active"
            assert row.state == ("withdrawn" if gone else row.request.state)
    counted = {name: count for payload in events("tables") for name, count in payload.items()}
    assert counted == {name: len(world.installed().get(name, [])) for name in counted}
    ends = [payload["id"] for payload in events("request") if payload["state"] in ("active", "failed")]
    assert len(ends) == len(set(ends))


def events(kind: str) -> list:
    return list(OutboxEvent.objects.filter(kind=kind).order_by("id").values_list("payload", flat=True))


def nothing_is_active_too_early(controller) -> None:
    """A clean switch, as far as the database knows, has just what is kept of it."""
    dirty = set(SwitchSync.objects.filter(dirty=True).values_list("switch", flat=True))
    installed = world.installed()
    for switch in Switch.objects.all():
        fake = controller.switches[switch.dpid]
        if switch.name in dirty or fake.epoch != switch.reconciled_epoch:
            continue
        assert {row[:3] for row in installed.get(switch.name, [])} == set(fake.table), switch.name
