"""Wake-ups: they coalesce, they do not pile up, and a lost one costs nothing but a sweep's period."""

import errno
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

import pytest
from kombu import Connection, pools
from kombu.exceptions import OperationalError

from controlplane.analytics.jobs import JOBS
from controlplane.common import folder_broker, wakeups
from controlplane.common.celery import app
from controlplane.common.queues import ANALYTICS_QUEUE, DEFAULT_QUEUE, PLANNER_QUEUE
from controlplane.operations import bootstrap, health_checks
from controlplane.requestlog.models import Request
from controlplane.worker import beat_scheduler, planner_tasks
from tests.support.controlplane import network_world as world
from tests.support.controlplane.broker_folders import folders
from tests.support.controlplane.worker_processes import environment, wait_until, worker
from tests.waiting import eventually


@pytest.fixture
def own_broker(tmp_path):
    """The application's broker is a folder of the test's own."""
    before = dict(app.conf.broker_transport_options), app.conf.broker_url
    use_broker({**before[0], **folders(tmp_path / "broker")}, "folder://localhost/")
    yield tmp_path / "broker" / "data"
    use_broker(*before)


def use_broker(options: dict, url: str) -> None:
    app.conf.broker_transport_options, app.conf.broker_url = options, url
    app.conf.broker_write_url = app.conf.broker_read_url = url
    pools.reset()
    app.amqp._producer_pool = None
    app._pool = None


def test_wake_ups_coalesce_while_no_worker_takes_them(own_broker):
    for _ in range(30):
        wakeups.wake_planner()
    assert wakeups.waiting(PLANNER_QUEUE) == 1


def test_a_broker_that_is_gone_is_no_error(own_broker, monkeypatch, caplog):
    def fail(queue):
        raise OperationalError("no broker")

    monkeypatch.setattr(wakeups, "waiting", fail)
    wakeups.wake_planner()
    assert "it finds the work at its next periodic check" in caplog.text


def test_a_request_wakes_the_planner_when_it_is_committed(own_broker, transactional_db):
    world.log({"op": "set_budget", "switch": "s1", "tcam_budget": 1})
    assert wakeups.waiting(PLANNER_QUEUE) == 1


def test_periods_that_nobody_takes_are_not_added_up(own_broker, transactional_db):
    bootstrap.make_schedules()
    scheduler = beat_scheduler.Scheduler(app=app)
    ours = [entry for entry in scheduler.schedule.values() if entry.task.startswith("tercast.")]
    for _ in range(30):
        for entry in ours:
            scheduler.apply_async(entry, advance=False)
    assert wakeups.waiting(PLANNER_QUEUE) <= beat_scheduler.MOST_WAITING
    assert wakeups.waiting(DEFAULT_QUEUE) <= beat_scheduler.MOST_WAITING


def test_every_periodic_message_ends_with_its_period(own_broker, transactional_db):
    bootstrap.make_schedules()
    scheduler = beat_scheduler.Scheduler(app=app)
    ours = [entry for entry in scheduler.schedule.values() if entry.task.startswith("tercast.")]
    messages = []
    for entry in ours:
        scheduler.apply_async(entry, advance=False)
        (path,) = own_broker.iterdir()
        messages.append(json.loads(path.read_text()))
        path.unlink()
    assert len(messages) == len(bootstrap.SCHEDULES) + 3 + len(JOBS)  # and those with settings of their own
    assert all(message["headers"]["expires"] for message in messages)


def test_after_thirty_missed_periods_a_worker_looks_once(transactional_db, controller, tmp_path):
    """And it finds what was logged meanwhile, though no wake-up is left that says so."""
    env = environment(tmp_path / "state", controller.url)
    looks = []
    real = controller.get
    controller.get = lambda path, query: looks.append(path) or real(path, query)
    options = folders(tmp_path / "state" / "broker")
    with (
        Connection("folder://localhost/", transport_options=options) as connection,
        app.producer_or_acquire(connection.Producer()) as producer,
    ):
        for _ in range(30):
            planner_tasks.plan.apply_async(queue=PLANNER_QUEUE, producer=producer)
            planner_tasks.watch.apply_async(queue=DEFAULT_QUEUE, producer=producer)
    world.line(2)
    with worker({**env, "TERCAST_REDIS_URL": ""}, tmp_path / "log") as process:
        wait_until(lambda: not Request.objects.exclude(state="active").exists(), "planning", process)
        assert not list((tmp_path / "state/broker/data").iterdir())
        assert process.stop() == 0
    assert looks.count("/v1/links") == 0  # no watch at all: its next period will look
    # one session, which read the new switches back, and looked for what it checks at host ports
    assert looks.count("/v1/switches") == 2


def channel(tmp_path):
    folder_broker.register()
    connection = Connection("folder://localhost/", transport_options=folders(tmp_path / "broker"))
    return connection.default_channel


def test_a_message_is_taken_once_by_whoever_comes_first(tmp_path):
    one, other = channel(tmp_path), channel(tmp_path)
    for n in range(200):
        one._put("q", {"n": n})
    taken = []

    def drain(channel):
        while True:
            try:
                taken.append(channel._get("q")["n"])
            except folder_broker.Empty:
                return

    threads = [threading.Thread(target=drain, args=(side,)) for side in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(200))


def test_messages_come_in_order_and_queues_do_not_mix(tmp_path):
    one = channel(tmp_path)
    for n in range(5):
        one._put("q", {"n": n})
        one._put("other", {"n": -n})
    assert [one._get("q")["n"] for _ in range(5)] == list(range(5))
    assert (one._size("q"), one._size("other")) == (0, 5)
    assert one._purge("other") == 5
    with pytest.raises(folder_broker.Empty):
        one._get("other")


def test_a_message_that_is_still_being_written_is_not_seen(tmp_path):
    one = channel(tmp_path)
    (tmp_path / "broker" / "data" / ".00000000000000000001-aa.q.msg").write_text("{")
    assert one._size("q") == 0
    with pytest.raises(folder_broker.Empty):
        one._get("q")


@pytest.fixture
def own_redis(tmp_path):
    """The application's broker is a Redis of the test's own, on a socket."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server")
    before, socket = (dict(app.conf.broker_transport_options), app.conf.broker_url), tmp_path / "redis"
    command = [
        "redis-server",
        "--port",
        "0",
        "--unixsocket",
        str(socket),
        "--save",
        "",
        "--dir",
        str(tmp_path),
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    use_broker({"socket_connect_timeout": 2, "global_keyprefix": "tercast:"}, f"redis+socket://{socket}")
    assert eventually(socket.exists)
    yield process
    process.kill()
    process.wait()
    use_broker(*before)


@pytest.mark.parametrize("waiting", ["counted", "none"])
@pytest.mark.parametrize(
    "call",
    [
        wakeups.wake_planner,
        wakeups.wake_analytics,
        health_checks.broker,
        lambda: wakeups.send("tercast.prune"),
    ],
    ids=["planner", "analytics", "health", "another"],
)
def test_a_redis_that_goes_away_is_no_error_of_who_calls(own_redis, monkeypatch, call, waiting):
    """On a connection that was open: where messages are counted, and where one is sent."""
    wakeups.wake_planner()
    with app.producer_or_acquire() as producer:
        for queue in (PLANNER_QUEUE, ANALYTICS_QUEUE):
            producer.channel.queue_purge(queue)
    own_redis.kill()
    own_redis.wait()
    if waiting == "none":
        monkeypatch.setattr(wakeups, "waiting", lambda queue: 0)
    finding = call()
    assert finding is None or finding.status == "failed"


@pytest.mark.servers
@pytest.mark.skipif(not os.environ.get("TERCAST_REDIS_URL"), reason="TERCAST_REDIS_URL names no Redis")
def test_the_same_over_redis(transactional_db, controller, tmp_path):
    with app.connection_for_write() as kept:  # what tests before this one left to be done
        kept.default_channel.queue_purge(PLANNER_QUEUE)
    for _ in range(30):
        wakeups.wake_planner()
    assert wakeups.waiting(PLANNER_QUEUE) == 1
    env = environment(tmp_path / "state", controller.url, TERCAST_REDIS_URL=os.environ["TERCAST_REDIS_URL"])
    with worker(env, tmp_path / "log") as process:
        wait_until(lambda: wakeups.waiting(PLANNER_QUEUE) == 0, "the first wake-up", process)
        world.line(2)  # its wake-up comes when the worker has long been there
        wait_until(lambda: not Request.objects.exclude(state="active").exists(), "planning", process)
        assert process.stop() == 0


@pytest.fixture
def full_disk(monkeypatch):
    """Writes of messages leave an empty file and fail, as on a disk without a free block."""

    def write(path, text, encoding):
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", write)


def test_a_message_that_cannot_be_written_leaves_nothing_behind(own_broker, full_disk, caplog):
    wakeups.wake_planner()
    wakeups.send("tercast.watch")
    assert caplog.text.count("No space left on device") == 2
    assert not list(own_broker.iterdir())
    finding = health_checks.broker()
    assert finding.status == health_checks.CheckStatus.FAILED and "No space left on device" in finding.detail


def test_beat_says_in_a_line_what_it_cannot_send(own_broker, transactional_db, full_disk, caplog):
    bootstrap.make_schedules()
    scheduler = beat_scheduler.Scheduler(app=app)
    entry = next(each for each in scheduler.schedule.values() if each.task == "tercast.watch")
    scheduler.apply_entry(entry)
    (line,) = (record for record in caplog.records if "was not sent" in record.message)
    assert "No space left on device" in line.message and line.exc_info is None


@pytest.mark.parametrize("code", [errno.EMFILE, errno.EIO, errno.EROFS])
def test_a_folder_that_cannot_be_read_ends_no_worker(tmp_path, monkeypatch, caplog, code):
    """Its log says so once, whatever the files and queues are."""
    side = channel(tmp_path)
    for queue in ("q", "other"):
        side._put(queue, {"n": 1})
    monkeypatch.setattr(folder_broker, "_last_problem", {"trouble": ""})

    def fail(path, missing_ok=False):
        raise OSError(code, os.strerror(code), str(path))

    with monkeypatch.context() as broken:
        broken.setattr(Path, "unlink", fail)
        for queue in ("q", "other", "q"):
            with pytest.raises(folder_broker.Empty):
                side._get(queue)
    assert caplog.text.count(os.strerror(code)) == 1
    assert side._get("q") == {"n": 1}
    assert "messages can be read again" in caplog.text


def test_what_is_no_message_is_removed(tmp_path):
    side = channel(tmp_path)
    side._put("q", {"n": 1})
    folder = tmp_path / "broker" / "data"
    (folder / "0-empty.q.msg").touch()
    (folder / ".0-killed.q.msg").touch()
    os.utime(folder / ".0-killed.q.msg", (0, 0))
    assert side._get("q") == {"n": 1}
    side._purge("q")
    assert not list(folder.iterdir())
