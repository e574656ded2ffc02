"""Ethernet frames over a Unix stream socket, as the dummy ports of Open vSwitch speak it.

Each frame stands behind its length, 2 bytes, big-endian. `FrameStream` is one end of such a connection.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Self

from tercast.wire.errors import TransportClosed, TransportError

MAX_FRAME = 0xFFFF
_CHUNK = 1 << 16
_PREFIX = 2
_PIECE = 1 << 15  # a Unix stream socket takes so much as a whole or not at all
_LONGEST_WAIT_MS = 1e9  # the system takes no more at once


def pack(frame: bytes) -> bytes:
    """The frame as it goes over the socket; TransportError when its length does not fit."""
    if len(frame) > MAX_FRAME:
        raise TransportError(f"a frame of {len(frame)} bytes; the framing carries {MAX_FRAME}")
    return len(frame).to_bytes(_PREFIX, "big") + frame


class FrameSplitter:
    """Cuts a byte stream into frames, however the stream was cut into reads."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Frames that `data` completes, in order; an incomplete one waits for the next call."""
        buffer = self._rest + data
        frames: list[bytes] = []
        at, end = 0, len(buffer)
        while end - at >= _PREFIX:
            stop = at + _PREFIX + (buffer[at] << 8 | buffer[at + 1])
            if stop > end:
                break
            frames.append(buffer[at + _PREFIX : stop])
            at = stop
        self._rest = buffer[at:]
        return frames


class FrameStream:
    """Frames in and out over one connected stream socket, which it owns and closes.

    Frames come out whole however the bytes were cut on the way. One thread may send while another receives;
    several threads may send. Once the connection is broken it stays so: TransportClosed.
    """

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(True)
        self._socket = connected
        self._splitter = FrameSplitter()
        self._ready: deque[bytes] = deque()
        self._sending = threading.Lock()
        self._readable, self._writable = select.poll(), select.poll()
        self._readable.register(connected, select.POLLIN)
        self._writable.register(connected, select.POLLOUT)

    @classmethod
    def connect(cls, path: str | Path) -> Self:
        """A stream to the socket that listens at `path`; TransportError when there is none.

        The error's cause is what the system said.
        """
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(str(path))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            connected.close()
            raise TransportError(f"cannot connect to {str(path)!r}: {_reason(error)}") from error
        return cls(connected)

    def send(self, frame: bytes, timeout: float | None = None) -> bool:
        """Write one frame, waiting up to `timeout` seconds (None: for ever) while the other end is slow.

        False when it could not be sent in time; then nothing of it was.
        """
        data = pack(frame)
        deadline = None if timeout is None else time.monotonic() + timeout
        if not self._sending.acquire(timeout=-1 if timeout is None else max(0.0, timeout)):
            return False
        try:
            return self._send(data, deadline)
        except OSError as error:
            raise TransportClosed(f"the frame stream is closed: {_reason(error)}") from None
        finally:
            self._sending.release()

    def receive(self, timeout: float | None = None) -> bytes | None:
        """The next frame, or None when none is complete after `timeout` seconds (None: wait for ever).

        With a timeout of 0 it takes what is there. TransportClosed at the end of the stream; half a frame
        before the end is lost with it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._ready:
            if not wait_ready(self._readable, deadline):
                return None
            self._fill()
        return self._ready.popleft()

    def receive_ready(self) -> list[bytes]:
        """All frames that are there now, without waiting; TransportClosed when the stream has ended."""
        try:
            while self._fill() == _CHUNK:
                pass
        except TransportClosed:
            if not self._ready:
                raise
        frames = list(self._ready)
        self._ready.clear()
        return frames

    def fileno(self) -> int:
        """The descriptor to wait on; note that whole frames may already stand in the buffer."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection; a thread that waits in `receive` gets TransportClosed."""
        with contextlib.suppress(OSError):  # the other end was faster
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, data: bytes, deadline: float | None) -> bool:
        if deadline is None:
            self._socket.sendall(data)
            return True
        if len(data) > _PIECE:  # a part might be taken; a socket that counts as writable has room for all
            if not wait_ready(self._writable, deadline):
                return False
            self._socket.sendall(data)
            return True
        while True:
            try:
                self._socket.sendall(data, socket.MSG_DONTWAIT)
                return True
            except (BlockingIOError, InterruptedError):
                if not wait_ready(self._writable, deadline):
                    return False

    def _fill(self) -> int:
        """Take in what is there, up to a chunk; the number of bytes."""
        try:
            chunk = self._socket.recv(_CHUNK, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError as error:
            raise TransportClosed(f"the frame stream is closed: {_reason(error)}") from None
        if not chunk:
            raise TransportClosed("the other end has closed the frame stream")
        self._ready += self._splitter.feed(chunk)
        return len(chunk)


def wait_ready(poll: select.poll, deadline: float | None) -> bool:
    """Wait for `poll` until a time of the monotonic clock; False when it has passed (None: never)."""
    if deadline is None:
        return bool(poll.poll())
    left = max(0.0, deadline - time.monotonic()) * 1000
    return bool(poll.poll(min(left, _LONGEST_WAIT_MS))) or left > _LONGEST_WAIT_MS


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
