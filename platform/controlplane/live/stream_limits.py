"""Limits of open streams, of openings, and of messages from clients."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address
from typing import Any

from django.conf import settings

from controlplane.live.protocol import Close, Ended

MESSAGES = 100
"""Largest number of messages of a client within `SECONDS`."""

MESSAGES_A_CALLER = 2000
"""Largest number of messages of a caller within `SECONDS` on all streams: two pings on each of 1,000."""

SECONDS = 10.0

ALL_TO_ONE = 4
"""Limit of openings within `SECONDS` from all addresses, as a multiple of that for one."""


class Rate:
    """Counts by name in a period of `SECONDS`; each period starts empty, so memory is limited."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since = float("-inf")
        self._counts: Counter[str] = Counter()

    def __getitem__(self, name: str) -> int:
        """Return the count of a name in this period."""
        self._begin()
        return self._counts[name]

    def total(self) -> int:
        """Return the count of all names in this period."""
        self._begin()
        return self._counts.total()

    def add(self, name: str) -> int:
        """Count one more; return the name's count."""
        self._begin()
        self._counts[name] += 1
        return self._counts[name]

    def _begin(self) -> None:
        now = self._clock()
        if now - self._since > SECONDS:
            self._since = now
            self._counts.clear()


class StreamPlaces:
    """The open streams of this process, counted by caller."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Hold a place for a stream of `caller`.

        Raises:
            Ended: There is no free place.
        """
        self._check(caller)
        self._taken[caller] += 1
        try:
            yield
        finally:
            _give_back(self._taken, caller)

    def _check(self, caller: str) -> None:
        own, all_ = settings.ENV.streams_a_caller, settings.ENV.streams
        if self._taken[caller] >= own:
            raise Ended(
                Close.TOO_MANY, f"you have {own} open live streams, which is the limit; close one of them"
            )
        if self._taken.total() >= all_:
            raise Ended(
                Close.TOO_MANY,
                f"this server has {all_} live streams, which is its limit; connect again later",
            )


class Openings:
    """Unauthenticated connections of this process, and the recent openings by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._waiting: Counter[str] = Counter()
        self._opened = Rate(clock)

    def enter(self, address: str) -> Opening:
        """Count a new connection from `address`; it is waiting until `Opening.leave`.

        Raises:
            Ended: Too many connections were opened, or too many wait; this one does not count.
        """
        self._check_rate(address)
        self._check_waiting(address)
        self._opened.add(address)
        self._waiting[address] += 1
        return Opening(self._waiting, address)

    def waiting(self) -> int:
        """Return the number of unauthenticated connections."""
        return self._waiting.total()

    def _check_rate(self, address: str) -> None:
        most = settings.ENV.stream_openings
        if self._opened[address] >= most:
            detail = f"more than {most} live streams were opened from {address} within {SECONDS:g} seconds"
        elif self._opened.total() >= most * ALL_TO_ONE:
            detail = f"more than {most * ALL_TO_ONE} live streams were opened within {SECONDS:g} seconds"
        else:
            return
        raise Ended(Close.TOO_MANY, f"{detail}; connect again later")

    def _check_waiting(self, address: str) -> None:
        all_ = settings.ENV.streams_unchecked
        own = max(1, all_ // 2)
        if self._waiting[address] >= own:
            detail = (
                f"{own} connections from {address} are still logging in, which is the limit for one address"
            )
        elif self._waiting.total() >= all_:
            detail = f"{all_} connections are still logging in, which is the limit of this server"
        else:
            return
        raise Ended(Close.TOO_MANY, f"{detail}; connect again later")


class Opening:
    """An unauthenticated connection."""

    def __init__(self, waiting: Counter[str], address: str) -> None:
        self._waiting, self._address = waiting, address
        self._left = False

    def leave(self) -> None:
        """Stop counting it, because it is logged in or closed. Further calls do nothing."""
        if not self._left:
            self._left = True
            _give_back(self._waiting, self._address)


class Pace:
    """Message rate of one client; `callers` counts the messages of all streams of a caller."""

    def __init__(self, callers: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._own, self._callers = Rate(clock), callers

    def hear(self, caller: str) -> None:
        """Count a message.

        Raises:
            Ended: There were too many.
        """
        if self._own.add("") > MESSAGES:
            raise Ended(
                Close.BAD_MESSAGE,
                f"more than {MESSAGES} messages in {SECONDS:g} seconds; send them more slowly",
            )
        if self._callers.add(caller) > MESSAGES_A_CALLER:
            raise Ended(
                Close.BAD_MESSAGE,
                f"more than {MESSAGES_A_CALLER} messages of this caller in {SECONDS:g} seconds; send fewer",
            )


def address_of(scope: Mapping[str, Any]) -> str:
    """Return the client's address for counting; of IPv6 the /64 network, as one client has it."""
    client = scope.get("client")
    if not client:
        return "this machine"
    try:
        address = ip_address(client[0])
    except ValueError:
        return str(client[0])[:45]
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> 64 << 64)}/64"


def _give_back(taken: Counter[str], name: str) -> None:
    taken[name] -= 1
    if not taken[name]:
        del taken[name]
