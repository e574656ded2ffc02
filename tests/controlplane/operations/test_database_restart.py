"""Work continues to the same result after the database fails, is locked, or restarts in the middle."""

import os
import shlex
import sqlite3
import subprocess
import time

import pytest
from django.db import OperationalError, connection

from controlplane.common import fault_injection
from controlplane.deployment import replay_check, session
from controlplane.network.models import Switch
from controlplane.operations import bootstrap
from controlplane.requestlog.models import Request, SwitchSync
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import CELERY, Process, environment, wait_until, worker

STEPS = ("take", "plan", "deciding", "decide", "push", "settling", "settle", "snapshot", "reconcile:push")
RESTART = os.environ.get("TERCAST_TEST_POSTGRES_RESTART", "")
ALONE = "PYTEST_XDIST_WORKER" not in os.environ
"""Whether no other process uses the server."""

FINAL = ("active", "failed")


def is_up() -> bool:
    """Whether the database takes connections; it may still be recovering when its restart has returned."""
    try:
        connection.ensure_connection()
    except OperationalError:
        connection.close()
        return False
    return True


@pytest.fixture
def ready(transactional_db, controller):
    world.line(3)
    session.run()
    return controller


def work() -> None:
    world.advertise("h1", ["0"])
    first = world.subscribe("h3", ["01"])
    world.subscribe("h2", ["000"])
    world.withdraw(first)
    world.advertise("h3", ["11"])


def all_is_one(controller) -> None:
    assert list(replay_check.differences()) == []
    assert not Request.objects.exclude(state__in=FINAL).exists()
    assert not SwitchSync.objects.filter(dirty=True).exists()
    for switch in Switch.objects.all():
        kept = {row[:3] for row in world.installed().get(switch.name, [])}
        assert kept == set(controller.switches[switch.dpid].table), switch.name


@pytest.mark.parametrize("step", STEPS)
def test_a_database_that_fails_once_at_a_step(ready, monkeypatch, step):
    work()
    if step == "reconcile:push":
        SwitchSync.objects.update_or_create(switch="s1", defaults={"dirty": True})
    left = [step]

    def point(name: str) -> None:
        if name in left:
            left.remove(name)
            raise OperationalError("the database went away")

    monkeypatch.setattr(fault_injection, "point", point)
    with pytest.raises(OperationalError):
        session.run()
    assert not left
    session.run()
    assert {state for _, _, state in world.states()} == {"active"}
    all_is_one(ready)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a file that another process has locked")
def test_a_file_that_somebody_has_locked_is_waited_for(ready, tmp_path):
    work()
    path = connection.settings_dict["NAME"]
    with worker(environment(tmp_path / "state", ready.url), tmp_path / "log") as process:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        time.sleep(2)  # the worker has met the lock, or meets it now
        assert process.popen.poll() is None
        holder.execute("ROLLBACK")
        holder.close()
        wait_until(lambda: not Request.objects.exclude(state__in=FINAL).exists(), "the work", process)
        assert process.stop() == 0
    all_is_one(ready)


@pytest.mark.servers
@pytest.mark.skipif(not RESTART, reason="TERCAST_TEST_POSTGRES_RESTART names no command")
@pytest.mark.skipif(not ALONE, reason="other xdist workers use the server: `make test-servers` runs it alone")
def test_postgresql_is_restarted_while_it_is_used(ready, tmp_path):
    env = environment(tmp_path / "state", ready.url)
    beat = [*CELERY, "beat", "--pidfile", "", "--loglevel", "warning"]
    bootstrap.make_schedules()
    with worker(env, tmp_path / "log") as process, Process(beat, env, tmp_path / "beat.log") as sweeper:
        work()  # beat is still starting when the database goes for the first time
        for round_ in range(3):
            connection.close()
            subprocess.run(shlex.split(RESTART), check=True, stdout=subprocess.DEVNULL)
            wait_until(is_up, f"the database after restart {round_}", process)
            subscription = world.subscribe("h2", [f"0{round_ + 1:02b}"])

            def done() -> bool:
                return not Request.objects.exclude(state__in=FINAL).exists()

            wait_until(done, f"the work after restart {round_}", process)
            subscription.refresh_from_db()
            assert subscription.state == "active"
        assert sweeper.popen.poll() is None
        assert process.stop() == 0
    all_is_one(ready)
