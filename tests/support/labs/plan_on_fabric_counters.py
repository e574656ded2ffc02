"""OpenFlow port statistics, read over an open connection to each switch, faster than with a command."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

VERSION, HELLO, MULTIPART_REQUEST, MULTIPART_REPLY, PORT_STATS, MORE = 4, 0, 18, 19, 4, 1
ANY_PORT, LAST_PORT = 0xFFFFFFFF, 0xFFFFFF00
HEADER = struct.Struct("!BBHI")
RECORD = 112

Port = tuple[str, int]
Reading = dict[Port, tuple[int, int]]
"""Packets that left by each port, and that entered by it."""


class Counters:
    """The port counters of switches."""

    def __init__(self, connections: dict[str, socket.socket]) -> None:
        self._connections = connections
        for connection in connections.values():
            connection.sendall(HEADER.pack(VERSION, HELLO, HEADER.size, 1))

    @classmethod
    @contextmanager
    def of(cls, sockets: Iterable[tuple[str, Path]]) -> Iterator[Counters]:
        """Yield counters that are connected to the management sockets of switches."""
        with ExitStack() as stack:
            connections = {}
            for switch, path in sockets:
                connection = stack.enter_context(socket.socket(socket.AF_UNIX))
                connection.settimeout(30)
                connection.connect(str(path))
                connections[switch] = connection
            yield cls(connections)

    def read(self) -> Reading:
        """Return the counters of all ports, one switch at a time."""
        return {
            (switch, port): counts
            for switch, connection in self._connections.items()
            for port, counts in _ask(connection)
        }


def _ask(connection: socket.socket) -> Iterator[tuple[int, tuple[int, int]]]:
    body = struct.pack("!HHxxxxIxxxx", PORT_STATS, 0, ANY_PORT)
    connection.sendall(HEADER.pack(VERSION, MULTIPART_REQUEST, HEADER.size + len(body), 2) + body)
    more = True
    while more:
        kind, body = _message(connection)
        if kind == MULTIPART_REPLY:
            more = bool(struct.unpack_from("!HH", body)[1] & MORE)
            for at in range(8, len(body), RECORD):
                port, received, sent = struct.unpack_from("!IxxxxQQ", body, at)
                if port < LAST_PORT:
                    yield port, (sent, received)


def _message(connection: socket.socket) -> tuple[int, bytes]:
    _, kind, length, _ = HEADER.unpack(_exactly(connection, HEADER.size))
    return kind, _exactly(connection, length - HEADER.size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        chunk = connection.recv(size - len(data))
        assert chunk, "the switch closed the connection"
        data += chunk
    return data
