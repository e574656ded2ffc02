"""A worker that is killed at any step: the next run finishes the work, once, with the same result."""

import signal
import threading

import pytest

from controlplane.deployment import replay_check, session
from controlplane.requestlog.models import OutboxEvent, Request, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.outcomes import outcome, without_a_kill
from tests.support.controlplane.worker_processes import environment, kill_at, wait_until, worker

STEPS = (
    "take",
    "plan",
    "deciding",
    "decide",
    "push",
    "settling:entries",
    "settling",
    "settling:requests",
    "settle",
    "snapshot",
    "reconcile:push",
)


def work() -> None:
    """Requests of many kinds, among them some that fail or change no table."""
    world.log({"op": "set_budget", "switch": "s2", "tcam_budget": 2})
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["01"])
    world.subscribe("h3", ["011"])
    world.subscribe("h2", ["000"])
    world.subscribe("h3", ["1"])  # nothing overlaps it
    world.subscribe("h3", ["0010"])  # no free entry for it
    world.withdraw(first)
    world.log({"op": "link_down", "switch": "s9", "port": 1})  # no such switch
    world.advertise("h3", ["11"])


def reported_ends() -> dict[int, int]:
    """Count the notifications of live pages that a request is active, by request."""
    ends: dict[int, int] = {}
    for payload in OutboxEvent.objects.filter(kind="request").values_list("payload", flat=True):
        if payload["state"] == "active":
            ends[payload["id"]] = ends.get(payload["id"], 0) + 1
    return ends


@pytest.fixture(scope="module")
def once() -> dict[str, object]:
    """The outcome without a kill, once a test has needed it."""
    return {}


@pytest.fixture
def undisturbed(transactional_db, settings, once):
    """The result without a kill."""
    if not once:
        once.update(without_a_kill(settings.NORTHBOUND_TOKEN, lambda: world.line(3), work))
    return once


@pytest.fixture
def ready(transactional_db, undisturbed, controller):
    world.line(3)
    session.run()
    return controller


def test_the_work_without_a_kill(undisturbed):
    states = {state for _, _, state, _ in undisturbed["requests"]}
    assert states == {"active", "failed"}


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_a_step(ready, undisturbed, step):
    work()
    if step == "reconcile:push":
        SwitchSync.objects.update_or_create(switch="s1", defaults={"dirty": True})
    kill_at(step)
    session.run()
    assert outcome(ready) == undisturbed
    assert list(replay_check.differences()) == []
    active = Request.objects.filter(state="active").values_list("pk", flat=True)
    assert reported_ends() == dict.fromkeys(active, 1)


def test_killed_while_the_controller_is_at_it_and_continued_by_another_worker(ready, undisturbed, tmp_path):
    """The controller continues the change of the dead worker while the next one reads back and repairs."""
    at_it, go = threading.Event(), threading.Event()

    def dawdle() -> None:
        at_it.set()
        go.wait()

    ready.before_change = dawdle
    work()
    with worker(environment(tmp_path / "first", ready.url), tmp_path / "log") as killed:
        wait_until(at_it.is_set, "the push", killed)
        killed.popen.kill()
        assert killed.died() == -signal.SIGKILL, killed.log.read_text()
    ready.before_change = go.set  # the next change comes before the first one is through
    env = environment(tmp_path / "second", ready.url)
    with worker(env, tmp_path / "log") as process:
        final = ("active", "failed")
        wait_until(lambda: not Request.objects.exclude(state__in=final).exists(), "the work", process)
        # the dead worker's change may be the last to be through
        wait_until(lambda: ready.tables() == undisturbed["switches"], "equal tables", process)
        assert process.stop() == 0
    assert outcome(ready) == undisturbed
    assert list(replay_check.differences()) == []
