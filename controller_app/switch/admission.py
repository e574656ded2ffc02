"""Limits on connected peers: per address and in total, before and after their handshakes."""

from __future__ import annotations

import resource
from collections import Counter
from dataclasses import dataclass

SPARED = 400
"""Descriptors that are reserved for the northbound, the log and files."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Highest numbers of connections; one address may have half of `in_handshake`."""

    connections: int = 4096
    of_address: int = 1024
    in_handshake: int = 512

    def within_descriptors(self) -> ConnectionLimits:
        """Return the limits that leave SPARED descriptors; first increase the limit of the process."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = self.connections + SPARED
        if 0 <= soft < wanted:  # a negative number means no limit
            soft = wanted if hard < 0 else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        connections = self.connections if soft < 0 else min(self.connections, max(1, soft - SPARED))
        return ConnectionLimits(
            connections, min(self.of_address, connections), min(self.in_handshake, connections)
        )


class Admission:
    """Counts connections: `enter` for each accepted one, and `leave` for each that ends."""

    def __init__(self, most: ConnectionLimits) -> None:
        self._most = most
        self._hosts: dict[int, str] = {}
        self._greeting: dict[int, str] = {}
        self._of_host: Counter[str] = Counter()
        self._greeting_of_host: Counter[str] = Counter()
        self._tickets = 0

    @property
    def in_handshake(self) -> int:
        """The number of connections in their handshakes."""
        return len(self._greeting)

    def refusal(self, host: str) -> str | None:
        """Return why another connection from `host` is refused, or None if it is not."""
        most = self._most
        half = max(1, most.in_handshake // 2)
        rules = (
            (len(self._hosts), most.connections, "connections (--max-connections)"),
            (
                self._of_host[host],
                most.of_address,
                "connections from one address (--max-connections-address)",
            ),
            (len(self._greeting), most.in_handshake, "connections in their handshake (--max-handshakes)"),
            (
                self._greeting_of_host[host],
                half,
                "connections from one address in their handshake (half of --max-handshakes)",
            ),
        )
        return next(
            (f"the limit of {limit} {what} is reached" for number, limit, what in rules if number >= limit),
            None,
        )

    def enter(self, host: str) -> int:
        """Count a connection in its handshake; return its ticket."""
        self._tickets += 1
        self._hosts[self._tickets] = self._greeting[self._tickets] = host
        self._of_host[host] += 1
        self._greeting_of_host[host] += 1
        return self._tickets

    def greeted(self, ticket: int) -> None:
        """Record the end of a handshake."""
        _subtract(self._greeting, self._greeting_of_host, ticket)

    def leave(self, ticket: int) -> None:
        """Record the end of a connection, in any state."""
        self.greeted(ticket)
        _subtract(self._hosts, self._of_host, ticket)


def _subtract(tickets: dict[int, str], tally: Counter[str], ticket: int) -> None:
    host = tickets.pop(ticket, None)
    if host is None:
        return
    tally[host] -= 1
    if not tally[host]:
        del tally[host]
