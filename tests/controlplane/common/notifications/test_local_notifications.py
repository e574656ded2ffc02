"""Notifications between processes: none is missed, dead listeners go, and nothing ever waits for a reader."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings
from kombu import Connection, Queue

from controlplane.common import folder_broker
from controlplane.common.notifications import end_notifications, local_notifications
from controlplane.common.notifications.local_notifications import Listener, Subscribers
from tests.support.controlplane.broker_folders import folders
from tests.waiting import LIMIT_SECONDS, wait_until


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The pipes are in a folder of the test's own."""
    monkeypatch.setattr(settings, "ENV", replace(settings.ENV, state_dir=tmp_path))
    return tmp_path / "notifications"


@pytest.fixture
def listener():
    found = Listener("c")
    yield found
    found.close()


def test_a_notification_before_the_wait_is_not_missed(listener):
    local_notifications.notify("c", ["r1"])
    local_notifications.notify("c", ["r2", "o3"])
    assert listener.wait(0) == {"r1", "r2", "o3"}
    assert listener.wait(0) is None


def test_a_notification_without_words_ends_the_wait_too(listener):
    local_notifications.notify("c")
    assert listener.wait(0) == frozenset()


def test_channels_are_separate(listener):
    local_notifications.notify("another", ["r1"])
    assert listener.wait(0) is None


def test_many_words_arrive_whole(listener):
    words = {f"r{n}" for n in range(3_000)}
    local_notifications.notify("c", words)
    assert listener.wait(0) == words


def test_a_sender_does_not_wait_for_a_full_pipe(listener):
    for _ in range(3):
        local_notifications.notify("c", (f"r{n}" for n in range(20_000)))
    assert listener.wait(0)


def test_another_process_is_notified_and_its_pipe_goes_with_it(own_folder):
    script = (
        "from controlplane.common.notifications.local_notifications import Listener\n"
        "listener = Listener('c')\n"
        "print('ready', flush=True)\n"
        f"print(sorted(listener.wait({LIMIT_SECONDS})), flush=True)\n"
    )
    env = {
        **os.environ,
        "TERCAST_STATE_DIR": str(own_folder.parent),
        "DJANGO_SETTINGS_MODULE": "controlplane.config.settings",
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "ready\n"
        local_notifications.notify("c", ["r7"])
        assert other.stdout.readline() == "['r7']\n"
    (left,) = (own_folder / "c").iterdir()  # it was not closed, as after a kill
    local_notifications.notify("c", ["r8"])
    assert not left.exists()


def test_subscribers_are_called_and_their_thread_ends(own_folder):
    found: list[frozenset[str]] = []
    subscribers = Subscribers("c")
    subscribers.add(found.append)
    local_notifications.notify("c", ["r1"])
    wait_until("the call", lambda: found == [{"r1"}])
    subscribers.remove(found.append)
    local_notifications.notify("c", ["r2"])
    wait_until("the end of the thread", lambda: not list((own_folder / "c").iterdir()))
    assert found == [{"r1"}]
    subscribers.add(found.append)
    local_notifications.notify("c", ["r3"])
    wait_until("the next call", lambda: found == [{"r1"}, {"r3"}])
    subscribers.remove(found.append)
    local_notifications.notify("c")


def test_a_folder_without_space_for_a_pipe_only_costs_time(own_folder, caplog):
    own_folder.write_text("a file in place of the folder")
    subscribers = Subscribers("c")
    subscribers.add(print)
    assert "changes arrive later" in caplog.text
    local_notifications.notify("c")
    subscribers.remove(print)


def test_a_waiting_call_continues_at_the_end_of_its_request_and_of_no_other():
    waits = end_notifications._Waits()
    events: list[str] = []
    with waits.watching("r1") as pause, waits.watching("r2") as other:

        def call():
            pause(LIMIT_SECONDS)
            events.append("r1")

        thread = threading.Thread(target=call)
        thread.start()
        end_notifications.notify_ended(["r3", "o1"])
        end_notifications.notify_ended(["r1"])
        thread.join(LIMIT_SECONDS)
        assert events == ["r1"]
        other(0)
    assert not waits._events
    waits._subscribers.remove(waits._notice)
    local_notifications.notify(local_notifications.ENDED)


def test_a_worker_receives_a_message_without_polling(tmp_path, monkeypatch):
    """Without a notification, the wait would end with an error."""
    monkeypatch.setattr(folder_broker, "LONGEST_WAIT", LIMIT_SECONDS / 10)
    folder_broker.register()
    options = folders(tmp_path / "broker")
    taken: list[str] = []
    queue = Queue("q")
    with (
        Connection("folder://localhost/", transport_options=options) as connection,
        connection.Consumer(queue, callbacks=[lambda body, _: taken.append(body)], no_ack=True),
        ThreadPoolExecutor(1) as pool,
    ):
        waiting = pool.submit(connection.drain_events)
        wait_until("the listener", lambda: list((tmp_path / "notifications" / "wakeups").glob("*.pipe")))
        with Connection("folder://localhost/", transport_options=options) as sender:
            sender.Producer().publish("hello", routing_key="q", declare=[queue])
        waiting.result()
    assert taken == ["hello"]
    assert not list((tmp_path / "notifications" / "wakeups").iterdir())
