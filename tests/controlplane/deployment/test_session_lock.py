"""One planner session at a time, and no wake-up lost between two of them."""

import signal
import subprocess
import sys
import threading

import pytest
from django.conf import settings
from django.db import connection

from controlplane.common.process_locks import planner_lock
from controlplane.deployment import batches, session
from controlplane.requestlog.models import Request
from tests.support.controlplane import network_world as world
from tests.support.controlplane.worker_processes import ROOT, environment

HOLD = """
import django; django.setup()
from controlplane.common.process_locks import planner_lock
with planner_lock() as held:
    print("held" if held else "taken", flush=True)
    input()
"""


@pytest.fixture
def holder(transactional_db, tmp_path):
    """Another process that holds the lock."""
    env = environment(settings.ENV.state_dir, "http://127.0.0.1:9")
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD],
        env=env,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_session_that_finds_the_lock_taken_returns_at_once(holder):
    request = world.log(
        {"op": "add_switch", "switch": {"id": "s1", "dpid": world.dpid(1), "tcam_budget": None}}
    )
    assert session.run() is False
    request.refresh_from_db()
    assert request.state == "queued"


def test_a_holder_that_is_killed_holds_nothing(holder):
    with planner_lock() as held:
        assert held is None
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    with planner_lock() as held:
        held.check()


def test_the_lock_is_free_after_its_block_and_can_be_taken_again(transactional_db):
    for _ in range(2):
        with planner_lock() as held:
            assert held is not None
            with planner_lock() as second:
                assert second is None


def test_what_comes_in_while_a_session_ends_is_taken_by_it(network, monkeypatch):
    """The holder saw an empty queue and still has the lock when a request and its wake-up come."""
    late = []
    keep = session.session_cache.keep_for_next_session

    def keep_and_log(cache):
        keep(cache)
        if not late:
            late.append(world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 5}))
            assert session.run() is False  # the wake-up's own session: the lock is taken

    monkeypatch.setattr(session.session_cache, "keep_for_next_session", keep_and_log)
    session.run()
    assert Request.objects.get(pk=late[0].pk).state == "active"


def test_sessions_of_two_threads_do_not_meet(transactional_db, controller, monkeypatch):
    world.line(2)
    inside, most = [], []
    real = batches.start_batch

    def start(moves):
        inside.append(1)
        most.append(len(inside))
        try:
            return real(moves)
        finally:
            inside.pop()

    monkeypatch.setattr(batches, "start_batch", start)

    def run():
        try:
            session.run()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1
    assert {state for _, _, state in world.states()} == {"active"}


def test_when_time_is_up_a_session_ends_with_its_batch_and_says_that_more_waits(network, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST", 1)
    for budget in (5, 6, 7):
        world.log({"op": "set_budget", "switch": "s1", "tcam_budget": budget})
    assert session.run(seconds=0) is True
    assert [state for _, _, state in world.states()[-3:]] == ["active", "queued", "queued"]
    assert session.run() is False
    assert world.states()[-1][2] == "active"


def test_a_worker_that_is_to_stop_ends_after_its_batch(network, monkeypatch):
    monkeypatch.setattr(batches, "LARGEST", 1)
    for budget in (5, 6):
        world.log({"op": "set_budget", "switch": "s1", "tcam_budget": budget})
    session.run(stopping=lambda: True)
    assert [state for _, _, state in world.states()[-2:]] == ["active", "queued"]
