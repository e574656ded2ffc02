"""Requests that wait for switches: found by indexes as by brute force, and whatever happens in between."""

import random

import pytest

from controlplane.common import fault_injection
from controlplane.deployment import confirmations, replay_check, session
from controlplane.deployment import session_cache as hot_state
from controlplane.deployment.watcher import watch
from controlplane.requestlog.models import OutboxEvent, Request, State, SwitchSync
from tests.support.controlplane import former_waits
from tests.support.controlplane import network_world as world
from tests.support.controlplane.disorder import Disorder, Killed
from tests.support.controlplane.former_waits import BothLag

SWITCHES = 5
ROUNDS = 14


class Judge:
    """Compares every decision of the session with brute force."""

    def __init__(self, monkeypatch) -> None:
        self.looks = self.waited = self.ended = 0
        self._find, self._finish = session._find_waits, confirmations.finish
        monkeypatch.setattr(hot_state, "Unconfirmed", BothLag)
        monkeypatch.setattr(session, "_find_waits", self.find_waits)
        monkeypatch.setattr(confirmations, "finish", self.finish)

    def find_waits(self, hot, planned) -> None:
        touched = [diff.switch for diff in planned.diffs]
        expected = former_waits.decided(planned.rows, touched, hot.lag, hot.state.planner)
        self._find(hot, planned)
        assert {row.pk: row.waits_for for row in planned.rows} == expected

    def finish(self, hot) -> None:
        expected = former_waits.finished(hot.lag, hot.state.planner)
        self._finish(hot)
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


@pytest.mark.parametrize("seed", range(3))
def test_requests_wait_for_what_brute_force_finds(db, controller, monkeypatch, settings, seed):
    judge = history(seed, controller, monkeypatch, settings)
    assert judge.looks > 10 and judge.waited and judge.ended


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 200))
def test_requests_wait_for_what_brute_force_finds_in_many_histories(
    db, controller, monkeypatch, settings, seed
):
    history(seed, controller, monkeypatch, settings)


@pytest.mark.parametrize("step", ["settling:entries", "settling", "settling:requests"])
@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_worker_killed_between_two_transactions_leaves_the_rest_to_the_next(
    network, monkeypatch, step, times
):
    """Three switches confirm five requests, or one that was away comes back: all of it ends, once."""
    monkeypatch.setattr(confirmations, "REQUESTS", 2)
    monkeypatch.setattr(confirmations, "ENTRIES", 2)
    world.advertise("h1", [""])
    network.disconnect(world.dpid(3))
    for n in range(5):
        world.subscribe(f"h{2 + n % 2}", [f"{n:03b}"])
    passed = []

    def point(name: str) -> None:
        passed.append(name)
        if name == step and passed.count(step) == times:
            raise Killed(step)

    monkeypatch.setattr(fault_injection, "point", point)
    run()
    run()
    network.connect(world.dpid(3), keep=False)
    SwitchSync.objects.update(retry_at=None)
    watch.run()
    run()
    run()
    assert step in passed
    assert {state for _, _, state in world.states()} == {"active"}
    assert list(replay_check.differences()) == []
    ends = [row["id"] for row in told("request") if row["state"] == "active"]
    assert len(ends) == len(set(ends))
    held = {dpid: len(table) for dpid, table in network.tables().items()}
    assert {name: len(rows) for name, rows in world.installed().items()} == {
        f"s{n}": held[world.dpid(n)] for n in (1, 2, 3)
    }


def run() -> None:
    """A session; one that is killed leaves the next one to another process."""
    try:
        session.run()
    except Killed:
        hot_state._kept = None


def told(kind: str) -> list:
    return list(OutboxEvent.objects.filter(kind=kind).values_list("payload", flat=True))
