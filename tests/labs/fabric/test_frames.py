"""Frames over a port's socket: division of the stream, sizes, waiting, and the end of a connection."""

import itertools
import os
import socket
import struct
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mininet_labs.fabric import FabricError, FrameSocket, FrameSplitter, PortClosedError
from mininet_labs.fabric.frames import LONGEST, SHORTEST, pack

FRAMES = st.lists(st.binary(min_size=SHORTEST, max_size=80), max_size=12)


@given(frames=FRAMES, cuts=st.lists(st.integers(0, 1100)))
def test_frames_come_out_as_they_went_in_however_the_stream_is_cut(frames, cuts):
    stream = b"".join(pack(frame) for frame in frames)
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    splitter = FrameSplitter()
    found = [f for start, end in itertools.pairwise(edges) for f in splitter.feed(stream[start:end])]
    assert found == frames


def test_an_incomplete_frame_waits_for_its_rest():
    splitter = FrameSplitter()
    wire = pack(bytes(20))
    assert splitter.feed(wire[:1]) == []
    assert splitter.feed(wire[1:21]) == []
    assert splitter.feed(wire[21:] + wire[:2]) == [bytes(20)]


@pytest.mark.parametrize("size", [0, SHORTEST - 1, LONGEST + 1, 70_000])
def test_a_size_that_the_switch_would_not_take_is_refused(size):
    with pytest.raises(FabricError, match=f"frame of {size} bytes: a frame has 14 to 1514 bytes"):
        pack(bytes(size))


@pytest.mark.parametrize("size", [SHORTEST, LONGEST])
def test_the_length_stands_in_front_big_endian(size):
    assert pack(bytes(size)) == struct.pack(">H", size) + bytes(size)


@pytest.fixture
def listener():
    """Yield a listening socket and its path, in place of a switch."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = Path(folder) / "port"
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
            listening.listen()
            listening.settimeout(60)
            yield listening, path


def test_what_is_not_there_yet_is_waited_for():
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as listening:
        path = Path(folder) / "port"

        def appear() -> None:
            listening.bind(str(path))
            listening.listen()

        timer = threading.Timer(0.1, appear)
        timer.start()
        with FrameSocket(path, timeout=10):
            timer.join()


def test_a_port_that_never_appears_is_named_with_the_time():
    with pytest.raises(FabricError, match=r"/tmp/no-such-port: no port listens there after 0\.05 s; start"):
        FrameSocket("/tmp/no-such-port", timeout=0.05)


def test_a_path_too_long_for_a_socket_is_one_error():
    with pytest.raises(FabricError, match="cannot connect"):
        FrameSocket("/tmp/" + "x" * 200, timeout=0.05)


def test_receiving_waits_for_its_time_limit_and_batches_take_what_has_arrived(listener):
    listening, path = listener
    with FrameSocket(path) as host:
        switch, _ = listening.accept()
        with switch:
            assert host.recv(0) is None
            assert host.recv_batch() == []
            switch.sendall(pack(b"a" * 14) + pack(b"b" * 14) + pack(b"c" * 14)[:5])
            assert host.recv(10) == b"a" * 14
            assert host.recv_batch() == [b"b" * 14]
            switch.sendall(pack(b"c" * 14)[5:])
            assert host.recv(10) == b"c" * 14


def test_a_slow_switch_holds_the_writer_and_gets_whole_frames(listener):
    listening, path = listener
    with FrameSocket(path) as host:
        switch, _ = listening.accept()
        with switch:
            sent = 0
            with pytest.raises(TimeoutError):
                while True:
                    host.send(sent.to_bytes(4, "big") * 300, timeout=0.01)
                    sent += 1
            splitter, found = FrameSplitter(), []
            reader = threading.Thread(target=lambda: found.extend(_read(switch, splitter, sent + 1)))
            reader.start()
            host.send(sent.to_bytes(4, "big") * 300)
            reader.join(60)
            assert [frame[:4] for frame in found] == [n.to_bytes(4, "big") for n in range(sent + 1)]


def test_the_end_of_a_port_is_an_error_of_its_own(listener):
    listening, path = listener
    with FrameSocket(path) as host:
        listening.accept()[0].close()
        with pytest.raises(PortClosedError, match="the switch closed the port; connect again"):
            host.recv(10)
        with pytest.raises(PortClosedError):
            host.recv_batch()
        with pytest.raises(PortClosedError):
            host.send(bytes(14))


def test_frames_before_the_end_of_a_port_are_not_lost(listener):
    listening, path = listener
    with FrameSocket(path) as host:
        switch, _ = listening.accept()
        switch.sendall(pack(b"a" * 14) + pack(b"b" * 14))
        switch.close()
        assert host.recv_batch() == [b"a" * 14, b"b" * 14]
        with pytest.raises(PortClosedError):
            host.recv_batch()


def test_descriptors_above_1023_work(listener):
    """`select` stops there, but a lab with hundreds of hosts needs more."""
    listening, path = listener
    spare = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        with FrameSocket(path) as host:
            assert host.fileno() > 1023
            switch, _ = listening.accept()
            with switch:
                switch.sendall(pack(bytes(14)))
                assert host.recv(10) == bytes(14)
    finally:
        for descriptor in spare:
            os.close(descriptor)


def _read(switch: socket.socket, splitter: FrameSplitter, count: int) -> list[bytes]:
    found: list[bytes] = []
    while len(found) < count:
        found += splitter.feed(switch.recv(65536))
    return found
