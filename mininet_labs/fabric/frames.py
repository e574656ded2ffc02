"""A host's end of a port: Ethernet frames over a stream socket, each behind a 2-byte big-endian length.

This is what Open vSwitch's `dummy` interface speaks on its `pstream` socket. It closes the connection on a
frame that is too short and drops one beyond its MTU without a word, so sizes are checked here.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections import deque
from pathlib import Path
from types import TracebackType

from mininet_labs.fabric.errors import FabricError, PortClosedError

SHORTEST = 14
"""Bytes of an Ethernet header: the switch closes the connection on anything shorter."""
LONGEST = 1514
"""Header and the interface's MTU of 1,500: the switch drops anything longer in silence."""
READ = 1 << 18
RETRY = 0.01


def pack(frame: bytes) -> bytes:
    """The frame as it goes over the socket; FabricError when the switch would not take its size."""
    if not SHORTEST <= len(frame) <= LONGEST:
        rule = f"a frame has {SHORTEST} to {LONGEST} bytes"
        raise FabricError(
            f"frame of {len(frame)} bytes", rule, "send an Ethernet frame, split what is larger"
        )
    return struct.pack("!H", len(frame)) + frame


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
        while end - at >= 2:
            stop = at + 2 + (buffer[at] << 8 | buffer[at + 1])
            if stop > end:
                break
            frames.append(buffer[at + 2 : stop])
            at = stop
        self._rest = buffer[at:]
        return frames


class FrameSocket:
    """One connection to a host port. Frames of the port go to every connection it has."""

    def __init__(self, path: Path | str, timeout: float = 5.0) -> None:
        """Connect to the port's socket at `path`, waiting up to `timeout` seconds for it to be there."""
        self.path = Path(path)
        self._socket = _connect(self.path, timeout)
        self._socket.setblocking(False)
        self._splitter = FrameSplitter()
        self._ready: deque[bytes] = deque()

    def fileno(self) -> int:
        """Descriptor for `select` and `selectors`; when it is readable, call `recv_batch()`."""
        return self._socket.fileno()

    def send(self, frame: bytes, timeout: float | None = None) -> None:
        """Hand the frame to the switch; blocks while the switch is slower than the writer (TimeoutError)."""
        data = pack(frame)
        deadline = _deadline(timeout)
        while True:
            try:
                # A frame fits into one piece of a socket buffer: the kernel takes all of it or nothing.
                self._socket.sendall(data)
                return
            except BlockingIOError:
                if not _wait(self._socket, select.POLLOUT, _left(deadline)):
                    raise TimeoutError(f"{self.path}: the switch did not take the frame in time") from None
            except (BrokenPipeError, ConnectionResetError) as error:
                raise self._closed() from error

    def recv(self, timeout: float | None = None) -> bytes | None:
        """The next frame; None when none came within `timeout` seconds (None: wait for ever, 0: do not)."""
        deadline = _deadline(timeout)
        while not self._ready:
            if not _wait(self._socket, select.POLLIN, _left(deadline)):
                return None
            self._ready.extend(self._read())
        return self._ready.popleft()

    def recv_batch(self) -> list[bytes]:
        """All frames that are there now, without waiting; PortClosedError when the switch closed the port."""
        frames = [*self._ready]
        self._ready.clear()
        frames.extend(self._read())
        return frames

    def close(self) -> None:
        """Close the connection; what was sent still reaches the switch."""
        self._socket.close()

    def __enter__(self) -> FrameSocket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> list[bytes]:
        try:
            data = self._socket.recv(READ)
        except BlockingIOError:
            return []
        except ConnectionResetError as error:
            raise self._closed() from error
        if not data:
            raise self._closed()
        return self._splitter.feed(data)

    def _closed(self) -> PortClosedError:
        return PortClosedError(self.path, "the switch closed the port", "connect again when it is back")


def _connect(path: Path, timeout: float) -> socket.socket:
    deadline = time.monotonic() + timeout
    while True:
        attempt = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            attempt.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError) as error:
            attempt.close()
            if time.monotonic() >= deadline:
                rule = f"no port listens there after {timeout:g} s"
                raise FabricError(path, rule, "start the fabric, or take the path it prints") from error
            time.sleep(RETRY)
        except OSError as error:
            attempt.close()
            raise FabricError(path, f"cannot connect ({error})", "take the path the fabric prints") from error
        else:
            return attempt


def _wait(sock: socket.socket, event: int, timeout: float | None) -> bool:
    """Whether `event` came within `timeout` seconds (poll: select stops at descriptor 1,023)."""
    poller = select.poll()
    poller.register(sock, event)
    return bool(poller.poll(None if timeout is None else timeout * 1000))


def _deadline(timeout: float | None) -> float | None:
    return None if timeout is None else time.monotonic() + timeout


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())
