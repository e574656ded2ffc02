"""Aggregation that finishes after a kill of the session or of the process that computes the merges."""

import random

import pytest
from kombu import Connection

from controlplane.aggregation import runs
from controlplane.aggregation import worker as work
from controlplane.aggregation.models import Policy, Run
from controlplane.common.celery import app
from controlplane.deployment import replay_check, session
from controlplane.planning import planner_state
from controlplane.requestlog.models import Request
from controlplane.telemetry.models import EventSample
from controlplane.worker import aggregation_tasks
from tests.support.controlplane import network_world as world
from tests.support.controlplane.broker_folders import folders
from tests.support.controlplane.outcomes import outcome, without_a_kill
from tests.support.controlplane.worker_processes import environment, kill_at, wait_until, worker

STEPS = ("plan", "deciding", "decide", "push", "settling", "snapshot")
CELLS = [f"0{n:04b}" for n in range(0, 16, 2)]
COVERS = {"s1": {"quotes": {"plain": [{"dz": "00", "kept": []}]}}, "s2": {}}


@pytest.fixture(autouse=True)
def unheard(monkeypatch):
    """No broker is asked."""
    monkeypatch.setattr(runs, "wake_aggregation", lambda: None)


def network() -> None:
    world.line(3)
    world.advertise("h1", ["0"])
    for cell in CELLS:
        world.subscribe("h3", [cell])


@pytest.fixture
def ready(transactional_db, controller):
    network()
    session.run()
    return controller


def requests() -> None:
    """Log the policy, a budget that causes immediate merging, accepted and refused covers, and more."""
    world.log({"op": "set_aggregation", "method": "fa-pb"})
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 5})
    world.log({"op": "aggregate", "method": "fa-pb", "covers": COVERS})
    world.log({"op": "aggregate", "method": "fa-pb", "covers": {"s9": {}}})
    world.subscribe("h2", ["0111"])
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 3})


@pytest.fixture(scope="module")
def once() -> dict[str, object]:
    """The outcome without a kill, once a test has needed it."""
    return {}


@pytest.fixture
def undisturbed(transactional_db, settings, once):
    """The result without a kill."""
    if not once:
        once.update(without_a_kill(settings.NORTHBOUND_TOKEN, network, requests))
    return once


def test_the_requests_without_a_kill(undisturbed):
    assert [state for _, _, state, _ in undisturbed["requests"]][-6:] == ["active"] * 3 + ["failed"] + [
        "active"
    ] * 2
    assert len(undisturbed["installed"]["s1"]) <= 3


@pytest.mark.parametrize("step", STEPS)
def test_a_session_killed_at_a_step(undisturbed, ready, step):
    requests()
    kill_at(step)
    session.run()
    assert outcome(ready) == undisturbed
    assert Policy.current().method == "fa-pb"
    assert list(replay_check.differences()) == []


@pytest.fixture
def waiting(ready):
    """A run waits, with events for its calculation."""
    world.log({"op": "set_aggregation", "method": "fa-pb"})
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 5})
    session.run()
    advertisement = world.Advertisement.objects.get()
    rng = random.Random(1)
    EventSample.objects.bulk_create(
        EventSample(topic=advertisement.topic, advertisement=advertisement, values={"low": value})
        for value in (rng.randrange(256, 512) for _ in range(300))
    )
    runs.request_run(None, None, None)
    return ready


@pytest.mark.parametrize("step", ["aggregate:begin", "aggregate:found"])
def test_a_computation_killed_at_a_step_starts_again(waiting, step):
    kill_at(step, work.execute_run)
    run = Run.objects.get()
    assert (run.state, run.attempts, run.request) == ("running", 1, None)
    work.execute_run()
    session.run()
    run.refresh_from_db()
    assert (run.state, run.attempts) == ("succeeded", 2), run.reason
    assert Request.objects.filter(kind="aggregate").count() == 1
    assert list(replay_check.differences()) == []


def test_covers_are_in_the_snapshot_and_in_the_log(waiting):
    work.execute_run()
    session.run()
    by_log = planner_state.load(snapshots=False).planner
    assert planner_state.keep_snapshot(planner_state.load(), every=1)
    by_snapshot = planner_state.load().planner
    assert by_snapshot.snapshot() == by_log.snapshot()
    assert by_snapshot.budget_enforcer.covers() and by_snapshot.tables() == by_log.tables()


def test_a_worker_works_it_out_beside_itself(waiting, tmp_path):
    env = environment(tmp_path / "state", waiting.url)
    first = world.log({"op": "set_budget", "switch": "s3", "tcam_budget": 100})
    with worker(env, tmp_path / "log") as process:
        started = Request.objects.filter(pk=first.pk, state="active").exists
        wait_until(started, "the start, which empties the queues", process)
        options = folders(tmp_path / "state" / "broker")
        with (
            Connection("folder://localhost/", transport_options=options) as connection,
            app.producer_or_acquire(connection.Producer()) as producer,
        ):
            aggregation_tasks.sweep.apply_async(producer=producer)
        wait_until(lambda: not Run.objects.filter(under_way=True).exists(), "the run", process)
        assert Run.objects.get().state == "succeeded"
        assert process.stop() == 0
