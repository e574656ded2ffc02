"""Ethernet frames over a Unix stream socket, in the format of Open vSwitch's dummy ports.

A length of 2 bytes (big-endian) precedes each frame. `FrameStream` is one end of a connection.
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
_PIECE = 1 << 15  # a Unix stream socket accepts this many bytes as a whole or not at all
_LONGEST_WAIT_MS = 1e9  # the system call accepts no longer wait


def pack(frame: bytes) -> bytes:
    """Return the frame with its length in front; raise TransportError if it is too long."""
    if len(frame) > MAX_FRAME:
        raise TransportError(f"the frame has {len(frame)} bytes; at most {MAX_FRAME} are allowed")
    return len(frame).to_bytes(_PREFIX, "big") + frame


class FrameSplitter:
    """Splits a byte stream into frames, whatever the sizes of the reads are."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[bytes]:
        """Return the frames that `data` completes, in order; an incomplete one waits for more data."""
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
    """Sends and receives frames over a connected stream socket, which it owns and closes.

    Received frames are complete, whatever the sizes of the reads are. Several threads may send, and another
    may receive. After the connection is broken, every call raises TransportClosed.
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
        """Connect to the socket that listens at `path`.

        Raises:
            TransportError: there is no such socket; the cause is the system's error.
        """
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(str(path))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            connected.close()
            raise TransportError(f"cannot connect to {str(path)!r}: {_reason(error)}") from error
        return cls(connected)

    def send(self, frame: bytes, timeout: float | None = None) -> bool:
        """Send one frame; wait up to `timeout` seconds (None: without limit) for the receiver.

        Returns:
            False if the time was too short; then no part of the frame was sent.
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
        """Return the next frame, or None if none is complete after `timeout` seconds.

        None as `timeout` means to wait without limit. 0 means not to wait. At the end of the stream the
        method raises TransportClosed, and an incomplete frame is lost.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._ready:
            if not wait_ready(self._readable, deadline):
                return None
            self._fill()
        return self._ready.popleft()

    def receive_ready(self) -> list[bytes]:
        """Return all frames that are available now; raise TransportClosed after the last one."""
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
        """Return the descriptor to wait on. Complete frames may already be in the buffer."""
        return self._socket.fileno()

    def close(self) -> None:
        """Close the connection; a thread that waits in `receive` gets TransportClosed."""
        with contextlib.suppress(OSError):  # the other end closed it first
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
        if len(data) > _PIECE:  # a part could be accepted; a writable socket has space for all of it
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
        """Read available bytes, up to a chunk; return their number."""
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
    """Wait for `poll` until a monotonic time (None: no limit); return False after that time."""
    if deadline is None:
        return bool(poll.poll())
    left = max(0.0, deadline - time.monotonic()) * 1000
    return bool(poll.poll(min(left, _LONGEST_WAIT_MS))) or left > _LONGEST_WAIT_MS


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
