"""Ethernet frames over a Unix stream socket, as the dummy ports of Open vSwitch speak it.

Each frame stands behind its length, 2 bytes, big-endian. `FrameStream` is one end of such a connection.
"""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tercast.client.errors import TransportClosed, TransportError

MAX_FRAME = 0xFFFF
_CHUNK = 1 << 16
_PREFIX = 2
_LONGEST_WAIT_MS = 1e9  # the system takes no more at once


class FrameStream:
    """Frames in and out over one connected stream socket, which it owns and closes.

    Frames come out whole however the bytes were cut on the way. One thread may send while another receives;
    several threads may send. Once the connection is broken it stays so: TransportClosed.
    """

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(True)
        self._socket = connected
        self._buffer = bytearray()
        self._sending = threading.Lock()
        self._readable = select.poll()
        self._readable.register(connected, select.POLLIN)

    @classmethod
    def connect(cls, path: str | Path) -> Self:
        """A stream to the socket that listens at `path`; TransportError when there is none."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connected.connect(str(path))
        except (OSError, ValueError) as error:  # ValueError: a NUL in the path
            connected.close()
            raise TransportError(f"cannot connect to {str(path)!r}: {_reason(error)}") from None
        return cls(connected)

    def send(self, frame: bytes) -> None:
        """Write one frame, waiting while the other end is slow."""
        if len(frame) > MAX_FRAME:
            raise TransportError(f"a frame of {len(frame)} bytes; the framing carries {MAX_FRAME}")
        try:
            with self._sending:
                self._socket.sendall(len(frame).to_bytes(_PREFIX, "big") + frame)
        except OSError as error:
            raise TransportClosed(f"the frame stream is closed: {_reason(error)}") from None

    def receive(self, timeout: float | None = None) -> bytes | None:
        """The next frame, or None when none is complete after `timeout` seconds (None: wait for ever).

        With a timeout of 0 it takes what is there. TransportClosed at the end of the stream; half a frame
        before the end is lost with it.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while (frame := self._buffered()) is None:
            if not self._wait(deadline):
                return None
            self._fill()
        return frame

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

    def _buffered(self) -> bytes | None:
        buffer = self._buffer
        if len(buffer) < _PREFIX:
            return None
        end = _PREFIX + (buffer[0] << 8 | buffer[1])
        if len(buffer) < end:
            return None
        frame = bytes(buffer[_PREFIX:end])
        del buffer[:end]
        return frame

    def _wait(self, deadline: float | None) -> bool:
        """True when it is time to look for something to read, False when the deadline has passed."""
        return wait_readable(self._readable, deadline)

    def _fill(self) -> None:
        try:
            chunk = self._socket.recv(_CHUNK, socket.MSG_DONTWAIT)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as error:
            raise TransportClosed(f"the frame stream is closed: {_reason(error)}") from None
        if not chunk:
            raise TransportClosed("the other end has closed the frame stream")
        self._buffer += chunk


def wait_readable(poll: select.poll, deadline: float | None) -> bool:
    """Wait for `poll` until a time of the monotonic clock; False when it has passed (None: never)."""
    if deadline is None:
        return bool(poll.poll())
    left = max(0.0, deadline - time.monotonic()) * 1000
    return bool(poll.poll(min(left, _LONGEST_WAIT_MS))) or left > _LONGEST_WAIT_MS


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
