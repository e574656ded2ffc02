"""Requests that wait for switches: found by indexes as by brute force, and whatever happens in between."""

import pytest

from controlplane.common import fault_injection
from controlplane.deployment import confirmations, replay_check, session, session_cache
from controlplane.deployment.watcher import watch
from controlplane.requestlog.models import OutboxEvent, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.disorder import Killed
from tests.support.controlplane.waiting_judge import history


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
    ends = [row["id"] for row in messages("request") if row["state"] == "active"]
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
        session_cache._kept = None


def messages(kind: str) -> list:
    return list(OutboxEvent.objects.filter(kind=kind).values_list("payload", flat=True))
