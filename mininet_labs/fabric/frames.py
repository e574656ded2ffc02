"""The host's end of a port: Ethernet frames over a stream socket, each with its length.

Each frame follows its 2-byte length. Open vSwitch uses this format on the `pstream` socket of a `dummy`
interface; `tercast.wire.framing` implements it. The switch closes the connection on a frame that is too
short. It drops a frame beyond its MTU without a report, so sizes are checked here. Ports of a lab appear and
disappear, so a connection waits for its port.
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
"""Bytes of an Ethernet header; the switch closes the connection on a shorter frame."""
LONGEST = 1514
"""Bytes of a header and the interface's MTU of 1,500; the switch drops longer frames without a report."""
RETRY = 0.01


def pack(frame: bytes) -> bytes:
    """Return a frame with its length, as sent over the socket.

    Raises:
        FabricError: The switch would not accept its size.
    """
    return framing.pack(_checked(frame))


class FrameSocket:
    """A connection to a host port. Frames of the port go to all of its connections."""

    def __init__(self, path: Path | str, timeout: float = 5.0) -> None:
        """Connect to the port's socket at `path`; wait up to `timeout` seconds until it exists."""
        self.path = Path(path)
        self._stream = _connect(self.path, timeout)

    def fileno(self) -> int:
        """Return the descriptor for `select` and `selectors`; if readable, call `recv_batch()`."""
        return self._stream.fileno()

    def send(self, frame: bytes, timeout: float | None = None) -> None:
        """Send a frame to the switch, and block while the switch is slower than the writer.

        Raises:
            TimeoutError: The switch did not accept the frame in time.
        """
        _checked(frame)
        with self._errors_of_port():
            taken = self._stream.send(frame, timeout)
        if not taken:
            raise TimeoutError(f"{self.path}: the switch did not accept the frame in time")

    def recv(self, timeout: float | None = None) -> bytes | None:
        """Return the next frame; None if none arrives within `timeout` seconds (None: no limit)."""
        with self._errors_of_port():
            return self._stream.receive(timeout)

    def recv_batch(self) -> list[bytes]:
        """Return all frames that have arrived, without waiting.

        Raises:
            PortClosedError: The switch closed the port.
        """
        with self._errors_of_port():
            return self._stream.receive_ready()

    def close(self) -> None:
        """Close the connection; frames that were sent still reach the switch."""
        self._stream.close()

    def __enter__(self) -> FrameSocket:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _errors_of_port(self) -> Iterator[None]:
        """Convert the error of an ended connection to that of the labs."""
        try:
            yield
        except TransportClosed as error:
            rule = "the switch closed the port"
            raise PortClosedError(self.path, rule, "connect again when the port exists again") from error


def _checked(frame: bytes) -> bytes:
    if not SHORTEST <= len(frame) <= LONGEST:
        rule = f"a frame has {SHORTEST} to {LONGEST} bytes"
        raise FabricError(f"frame of {len(frame)} bytes", rule, "send an Ethernet frame; divide larger data")
    return frame


def _connect(path: Path, timeout: float) -> FrameStream:
    deadline = time.monotonic() + timeout
    while True:
        try:
            return FrameStream.connect(path)
        except TransportError as error:
            if not isinstance(error.__cause__, FileNotFoundError | ConnectionRefusedError):
                raise FabricError(
                    path, f"cannot connect ({error.__cause__})", "use the path that the fabric prints"
                ) from error
            if time.monotonic() >= deadline:
                rule = f"no port listens there after {timeout:g} s"
                raise FabricError(path, rule, "start the fabric, or use the path that it prints") from error
        time.sleep(RETRY)
