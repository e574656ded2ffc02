"""Reference implementation of the waiting for switches, in any order."""

import random

from controlplane.deployment import confirmations, session, session_cache
from controlplane.requestlog.models import Request, State, SwitchSync
from tests.support.controlplane import former_waits
from tests.support.controlplane import network_world as world
from tests.support.controlplane.disorder import Disorder
from tests.support.controlplane.former_waits import BothLag

SWITCHES = 5


ROUNDS = 14


class Judge:
    """Compares every decision of the session with brute force."""

    def __init__(self, monkeypatch) -> None:
        self.looks = self.waited = self.ended = 0
        self._find, self._finish = session._find_waits, confirmations.finish
        monkeypatch.setattr(session_cache, "Unconfirmed", BothLag)
        monkeypatch.setattr(session, "_find_waits", self.find_waits)
        monkeypatch.setattr(confirmations, "finish", self.finish)

    def find_waits(self, cache, planned) -> None:
        touched = [diff.switch for diff in planned.diffs]
        expected = former_waits.decided(planned.rows, touched, cache.unconfirmed, cache.state.planner)
        self._find(cache, planned)
        assert {row.pk: row.waits_for for row in planned.rows} == expected

    def finish(self, cache) -> None:
        expected = former_waits.finished(cache.unconfirmed, cache.state.planner)
        self._finish(cache)
        rows = Request.objects.filter(pk__in=expected)
        found = {row.pk: row.waits_for if row.state == State.DEPLOYING else None for row in rows}
        assert found == expected
        assert all(row.problem for row in rows if row.state == State.DEPLOYING)
        self.looks += 1
        self.waited += sum(bool(waits) for waits in expected.values())
        self.ended += sum(waits is None for waits in expected.values())


class Upheaval(Disorder):
    """Changes of the network as well."""

    def request(self) -> None:
        rng = self.rng
        if rng.random() > 0.15:
            super().request()
            return
        n = rng.randint(1, self.switches)
        match rng.randrange(4):
            case 0 | 1:
                op = rng.choice(["link_down", "link_up"])
                world.log({"op": op, "switch": f"s{n}", "port": 1})
            case 2:
                world.log(
                    {
                        "op": "host_move",
                        "host": f"h{rng.randint(1, self.switches)}",
                        "switch": f"s{n}",
                        "port": 4 + n,
                    }
                )
            case 3:
                world.log({"op": rng.choice(["switch_down", "switch_up"]), "switch": f"s{n}"})


def history(seed: int, controller, monkeypatch, settings) -> Judge:
    rng = random.Random(seed)
    monkeypatch.setattr(confirmations, "REQUESTS", rng.choice([1, 2, 250]))
    monkeypatch.setattr(confirmations, "ENTRIES", rng.choice([1, 3, 2000]))
    judge = Judge(monkeypatch)
    for n in range(SWITCHES + 1, 10):
        controller.disconnect(world.dpid(n))
    world.line(SWITCHES)
    world.add_link(f"s{SWITCHES}", 1, "s1", 2)
    disorder = Upheaval(rng, controller, monkeypatch, SWITCHES)
    disorder.run()
    for _ in range(ROUNDS):
        for _ in range(rng.randint(0, 5)):
            disorder.request()
        for _ in range(rng.randint(0, 2)):
            disorder.fault()
        if rng.random() < 0.4:
            SwitchSync.objects.update(retry_at=None)
        disorder.run()
    disorder.end()
    return judge
