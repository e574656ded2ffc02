"""The live stream over a real server and real sockets: no event is missing, in spite of faults."""

import json
import random
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from e2e_platform import Driver
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from tests.waiting import LIMIT_SECONDS


@pytest.fixture
def token(control_plane):
    return control_plane.do("issue_token", user="vera")


@pytest.fixture
def stream(plane, token):
    """Open a socket to the live stream, with the viewer's token by default."""

    def opened(headers=None, path="/ws/v1/live/", **options):
        if headers is None:
            headers = {"Authorization": f"Bearer {token}"}
        url = plane.base.replace("http", "ws") + path
        options = {"max_queue": None, **options}  # otherwise close() waits until the queue is read
        return connect(url, additional_headers=headers, proxy=None, **options)

    return opened


def hear(client):
    return json.loads(client.recv(LIMIT_SECONDS))


def begin(client, after=None):
    hello = hear(client)
    client.send(json.dumps({"type": "from", "id": after}))
    return hello, hear(client)


def event_ids(client, until):
    """Return the ids of events until the one with id `until`."""
    ids = []
    while not ids or ids[-1] < until:
        message = hear(client)
        if message["type"] == "event":
            ids.append(message["id"])
    return ids


def test_hello_answer_and_events(plane, stream):
    with stream() as client:
        hello, answer = begin(client)
        assert hello["type"] == "hello" and answer == {"type": "up-to-date", "newest": hello["newest"]}
        pk = plane.emit("alarm", {"text": "ü"})
        event = hear(client)
        assert (event["id"], event["kind"], event["payload"]) == (pk, "alarm", {"text": "ü"})


def test_whoever_is_not_logged_in_hears_why(stream):
    with stream(headers={}) as client, pytest.raises(ConnectionClosed) as closed:
        client.recv(LIMIT_SECONDS)
    assert closed.value.rcvd.code == 4401
    assert "Authorization: Bearer TOKEN" in closed.value.rcvd.reason


def test_other_paths_are_refused_at_the_handshake(stream):
    with pytest.raises(InvalidStatus):
        stream(path="/ws/v1/other/")


def test_clients_that_come_and_go_miss_nothing_of_many_writers(plane, stream):
    start = plane.emit("load", {"links": {}})
    writers = [Driver(plane.environment) for _ in range(3)]
    newest = start + 300

    def write(driver):
        for _ in range(20):
            driver.do("emit", kind="load", payload={"links": {}}, times=5)

    def follow(seed):
        chance, seen = random.Random(seed), [start]
        while seen[-1] < newest:
            with stream() as client:
                assert begin(client, seen[-1])[1]["type"] in ("replayed", "up-to-date")
                seen += event_ids(client, min(newest, seen[-1] + chance.randrange(1, 60)))
        return seen

    try:
        with ThreadPoolExecutor() as pool:
            followers = [pool.submit(follow, seed) for seed in range(3)]
            for writing in [pool.submit(write, driver) for driver in writers]:
                writing.result(LIMIT_SECONDS)
            for follower in followers:
                assert follower.result(LIMIT_SECONDS) == list(range(start, newest + 1))
    finally:
        for driver in writers:
            driver.close()


def test_a_client_that_does_not_read_is_cut_off_and_the_others_are_not(plane, stream):
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", plane.port))
    plain = {"compression": None, "max_size": None, "ping_interval": None}
    with stream(sock=raw, **{**plain, "max_queue": 1}) as slow, stream(**plain) as quick:
        start = begin(slow)[0]["newest"]
        begin(quick)
        newest = plane.emit("load", {"links": {}, "padding": "x" * 200_000}, times=70)
        assert event_ids(quick, newest)[-1] == newest
        seen, closed = read_to_the_end(slow)
        assert closed.rcvd.code == 4408
        assert "slow" in closed.rcvd.reason
        assert seen == list(range(start + 1, start + 1 + len(seen))), "up to the end, without a gap"
        assert 0 < len(seen) < newest - start
    with stream(**plain) as again:
        begin(again, seen[-1])
        assert event_ids(again, newest) == list(range(seen[-1] + 1, newest + 1))


@pytest.mark.full
def test_a_client_that_reads_nothing_for_long_hears_that_it_is_too_slow(plane, stream):
    """The pings of uvicorn would end such a stream with 1011 after 20 to 40 s, so they are off."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    raw.connect(("127.0.0.1", plane.port))
    plain = {"compression": None, "max_size": None, "ping_interval": None}
    with stream(sock=raw, **{**plain, "max_queue": 1}) as slow, stream(**plain) as quick:
        begin(slow)
        begin(quick)
        event_ids(quick, plane.emit("load", {"links": {}, "padding": "x" * 200_000}, times=10))
        end = time.monotonic() + 45  # longer than two of uvicorn's intervals of 20 s
        while time.monotonic() < end:
            hear(quick)
        event_ids(quick, plane.emit("load", {"links": {}, "padding": "x" * 200_000}, times=70))
        assert read_to_the_end(slow)[1].rcvd.code == 4408


def test_a_frame_that_is_too_long_is_refused_by_the_server(stream):
    with stream() as client:
        begin(client)
        client.send("x" * 20_000)
        assert read_to_the_end(client)[1].rcvd.code == 1009


def read_to_the_end(client):
    """Return the ids of the remaining events, and how the socket was closed."""
    ids = []
    while True:
        try:
            message = hear(client)
        except ConnectionClosed as closed:
            return ids, closed
        if message["type"] == "event":
            ids.append(message["id"])


@pytest.mark.parametrize("how", [pytest.param(signal.SIGTERM, marks=pytest.mark.full), signal.SIGKILL])
def test_a_server_that_ends_is_noticed_and_nothing_is_missed_after_it(plane, stream, how):
    with stream() as client:
        last = begin(client)[0]["newest"]
        began = time.monotonic()
        plane.stop(how)
        assert time.monotonic() - began < 20, "open streams do not hold the server up"
        with pytest.raises(ConnectionClosed) as closed:
            while True:
                hear(client)
        if how is signal.SIGTERM:
            assert closed.value.rcvd.code == 1012
    missed = plane.emit("load", {"links": {}}, times=5)
    plane.start()
    with stream() as client:
        assert begin(client, last)[1] == {"type": "replayed", "from": last, "to": missed}
        assert event_ids(client, missed) == list(range(last + 1, missed + 1))
