"""Frames with lengths over a real stream socket, with any division of the bytes."""

import socket
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercast.wire.errors import TransportClosed, TransportError
from tercast.wire.framing import FrameStream


@pytest.fixture
def ends():
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with FrameStream(near) as stream, far:
        yield stream, far


def test_a_frame_goes_out_behind_its_length(ends):
    stream, far = ends
    stream.send(b"frame")
    assert far.recv(100) == b"\x00\x05frame"


@given(st.lists(st.binary(max_size=400), max_size=8), st.data())
def test_frames_come_in_whole_however_they_are_cut(frames, data):
    near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with FrameStream(near) as stream, far:
        stuff = b"".join(len(frame).to_bytes(2, "big") + frame for frame in frames)
        got = []
        while stuff:
            cut = data.draw(st.integers(1, len(stuff)))
            far.sendall(stuff[:cut])
            stuff = stuff[cut:]
            while (frame := stream.receive(0)) is not None:
                got.append(frame)
        assert got == frames


def test_the_largest_frame_passes_and_a_larger_one_is_refused(ends):
    stream, far = ends
    sender = threading.Thread(target=far.sendall, args=(b"\xff\xff" + bytes(0xFFFF),))
    sender.start()
    assert stream.receive(10) == bytes(0xFFFF)
    sender.join()
    with pytest.raises(TransportError, match="65536 bytes"):
        stream.send(bytes(0x10000))


def test_half_a_frame_is_not_one_yet(ends):
    stream, far = ends
    far.sendall(b"\x00\x05fra")
    assert stream.receive(0.01) is None
    far.sendall(b"me")
    assert stream.receive(0) == b"frame"


@pytest.mark.parametrize("timeout", [1e12, float("inf"), None])
def test_one_may_wait_for_very_long(ends, timeout):
    stream, far = ends
    far.sendall(b"\x00\x05fra")
    threading.Timer(0.05, far.sendall, (b"me",)).start()
    assert stream.receive(timeout) == b"frame"


def test_the_end_of_the_stream_is_reported_after_the_last_frame(ends):
    stream, far = ends
    far.sendall(b"\x00\x01x\x00")
    far.close()
    assert stream.receive(1) == b"x"
    for _ in range(2):
        with pytest.raises(TransportClosed):
            stream.receive(1)
    with pytest.raises(TransportClosed):
        stream.send(b"frame")


def test_all_that_is_there_comes_at_once_and_the_end_after_it(ends):
    stream, far = ends
    assert stream.receive_ready() == []
    writer = threading.Thread(target=far.sendall, args=((b"\x03\xe8" + bytes(1000)) * 100 + b"\x00\x02h",))
    writer.start()
    writer.join(60)
    assert stream.receive_ready() == [bytes(1000)] * 100
    far.sendall(b"i" + b"\x00\x01x")
    far.close()
    assert stream.receive_ready() == [b"hi", b"x"]
    for _ in range(2):
        with pytest.raises(TransportClosed):
            stream.receive_ready()


def test_sending_waits_for_its_time_limit_and_never_leaves_half_a_frame(ends):
    stream, far = ends
    sent = 0
    while stream.send(sent.to_bytes(2, "big") * 30_000, timeout=0.01):
        sent += 1
    assert sent > 0
    with FrameStream(far) as other:
        assert [other.receive(10)[:2] for _ in range(sent)] == [n.to_bytes(2, "big") for n in range(sent)]
        assert other.receive(0) is None
        assert stream.send(b"next", timeout=0)
        assert other.receive(10) == b"next"


def test_a_sender_that_waits_for_another_thread_keeps_its_time(ends):
    stream, far = ends
    while stream.send(bytes(1000), timeout=0):
        pass
    stuck = threading.Thread(target=stream.send, args=(b"stuck",))
    stuck.start()
    assert not stream.send(b"in vain", timeout=0.05)
    with FrameStream(far) as other:
        while other.receive(10) != b"stuck":
            pass
    stuck.join(60)


def test_closing_wakes_the_thread_that_waits(ends):
    stream, _ = ends
    seen = []

    def wait():
        try:
            stream.receive(None)
        except TransportClosed as error:
            seen.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    stream.close()
    thread.join(60)
    assert len(seen) == 1


def test_threads_that_send_do_not_mix_their_frames(ends):
    stream, far = ends
    other = FrameStream(far)
    senders = [
        threading.Thread(target=lambda mark=mark: [stream.send(bytes((mark,)) * 3000) for _ in range(200)])
        for mark in range(4)
    ]
    for sender in senders:
        sender.start()
    frames = [other.receive(10) for _ in range(800)]
    for sender in senders:
        sender.join()
    assert all(frame == bytes((frame[0],)) * 3000 for frame in frames)


def test_connecting_without_a_listener_is_one_line(tmp_path):
    with pytest.raises(TransportError, match=r"cannot connect to .*missing.*No such file"):
        FrameStream.connect(tmp_path / "missing")
    with pytest.raises(TransportError, match="too long"):
        FrameStream.connect("/tmp/" + "x" * 200)
    with pytest.raises(TransportError, match="cannot connect"):
        FrameStream.connect("/tmp/a\0b")
