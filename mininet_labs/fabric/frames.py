"""A host's end of a port: Ethernet frames over a stream socket, each behind a 2-byte big-endian length.

This is what Open vSwitch's `dummy` interface speaks on its `pstream` socket; `tercast.wire.framing` has the
framing itself. The switch closes the connection on a frame that is too short and drops one beyond its MTU
without a word, so sizes are checked here; and a lab's ports come and go, so it is waited for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from mininet_labs.fabric.errors import FabricError, PortClosedError
from tercast.wire import framing
from tercast.wire.errors import TransportClosed, TransportError
from tercast.wire.framing import FrameSplitter, FrameStream

__all__ = ["LONGEST", "SHORTEST", "FrameSocket", "FrameSplitter", "pack"]

SHORTEST = 14
"""Bytes of an Ethernet header: the switch closes the connection on anything shorter."""
LONGEST = 1514
"""Header and the interface's MTU of 1,500: the switch drops anything longer in silence."""
RETRY = 0.01


def pack(frame: bytes) -> bytes:
    """The frame as it goes over the socket; FabricError when the switch would not take its size."""
    return framing.pack(_checked(frame))


class FrameSocket:
    """One connection to a host port. Frames of the port go to every connection it has."""

    def __init__(self, path: Path | str, timeout: float = 5.0) -> None:
        """Connect to the port's socket at `path`, waiting up to `timeout` seconds for it to be there."""
        self.path = Path(path)
        self._stream = _connect(self.path, timeout)

    def fileno(self) -> int:
        """Descriptor for `select` and `selectors`; when it is readable, call `recv_batch()`."""
        return self._stream.fileno()

    def send(self, frame: bytes, timeout: float | None = None) -> None:
        """Hand the frame to the switch; blocks while the switch is slower than the writer (TimeoutError)."""
        _checked(frame)
        with self._told():
            taken = self._stream.send(frame, timeout)
        if not taken:
            raise TimeoutError(f"{self.path}: the switch did not take the frame in time")

    def recv(self, timeout: float | None = None) -> bytes | None:
        """The next frame; None when none came within `timeout` seconds (None: wait for ever, 0: do not)."""
        with self._told():
            return self._stream.receive(timeout)

    def recv_batch(self) -> list[bytes]:
        """All frames that are there now, without waiting; PortClosedError when the switch closed the port."""
        with self._told():
            return self._stream.receive_ready()

    def close(self) -> None:
        """Close the connection; what was sent still reaches the switch."""
        self._stream.close()

    def __enter__(self) -> FrameSocket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """The end of the connection in the words of the labs."""
        try:
            yield
        except TransportClosed as error:
            rule = "the switch closed the port"
            raise PortClosedError(self.path, rule, "connect again when it is back") from error


def _checked(frame: bytes) -> bytes:
    if not SHORTEST <= len(frame) <= LONGEST:
        rule = f"a frame has {SHORTEST} to {LONGEST} bytes"
        raise FabricError(
            f"frame of {len(frame)} bytes", rule, "send an Ethernet frame, split what is larger"
        )
    return frame


def _connect(path: Path, timeout: float) -> FrameStream:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return FrameStream.connect(path)
        except TransportError as error:
            if not isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError):
                raise FabricError(
                    path, f"cannot connect ({error.__cause__})", "take the path the fabric prints"
                ) from error
            if time.monotonic() >= deadline:
                rule = f"no port listens there after {timeout:g} s"
                raise FabricError(path, rule, "start the fabric, or take the path it prints") from error
        time.sleep(RETRY)
