"""Which host the events of an advertisement come from: fixed, or as the platform answers.

The network delivers an event to whoever subscribes, whoever sent it. A subscriber therefore compares the
source address of each datagram with that of the advertisement's host, and checks the seal where the topic is
sealed. The address of an advertisement never changes; keys do, so the platform is asked again now and then.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, Self

from tercast.wire.errors import ApiError
from tercast.wire.packets import pack_ip

MOST_WAITING = 1000
"""Advertisements that may wait for an answer at one time; a forger can invent any number of them."""

GAP_S = 0.25
"""Seconds between two questions to the platform, at least."""

FRESH_S = 30.0
"""Seconds until the platform is asked again about an advertisement whose events arrive."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Seconds between two attempts while the platform does not answer."""


class RejectionReason(StrEnum):
    """Why an event is rejected."""

    OTHER_ADDRESS = "other_address"
    """It does not come from the host of its advertisement."""
    UNKNOWN_ADVERTISEMENT = "unknown_advertisement"
    """The platform has no such advertisement in this topic."""
    NOT_CHECKED = "not_checked"
    """Too many events wait for the platform's answer."""
    NO_SEAL = "no_seal"
    """Its topic is sealed, and it is not."""
    UNKNOWN_KEY = "unknown_key"
    """It is sealed with a key that is not good, or no more."""
    BAD_SEAL = "bad_seal"
    """Its bytes are not those that were sealed, or the key was another one."""
    REPLAYED = "replayed"
    """It is sealed, and older than all events of its advertisement that are remembered."""


class OriginPolicy(StrEnum):
    """Whether the events of a topic are sealed."""

    OFF = "off"
    CHANGING = "changing"
    """Publishers change over: sealed and unsealed events are accepted."""
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class RejectedEvent:
    """An event that a subscriber does not accept, and why; `source` is the address that it came from."""

    topic: str
    publisher: str
    source: str
    reason: RejectionReason


@dataclass(frozen=True, slots=True)
class EventOrigin:
    """Where the events of one advertisement come from: a packed IP address, and the keys of their seals."""

    address: bytes
    seal: OriginPolicy = OriginPolicy.OFF
    keys: Mapping[int, bytes] = field(default_factory=dict, repr=False)

    def __hash__(self) -> int:
        return hash((self.address, self.seal))


class EventOrigins(Protocol):
    """Finds the origin of an advertisement's events."""

    def find(self, topic: str, advertisement: str) -> EventOrigin | None:
        """Return what is known; None where nothing is."""

    def ask(self, topic: str, advertisement: str) -> int | None:
        """Ask about an advertisement; returns a ticket for `answered`, None where too many wait."""

    def answered(self, ticket: int) -> bool:
        """Whether the question with that ticket has its answer, which `find` then returns."""

    def refresh(self, topic: str, advertisement: str) -> None:
        """Ask again about an advertisement where the last answer is old; its origin stays good meanwhile."""


class FixedOrigins:
    """Origins that are all known from the start: the address of each advertisement's host by its id."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._known = {name: EventOrigin(pack_ip(ip)) for name, ip in addresses.items()}

    def find(self, topic: str, advertisement: str) -> EventOrigin | None:
        """Return the advertisement's origin."""
        return self._known.get(advertisement)

    def ask(self, topic: str, advertisement: str) -> int | None:
        """Return a ticket that is answered already."""
        return 0

    def answered(self, ticket: int) -> bool:
        """Return True."""
        return True

    def refresh(self, topic: str, advertisement: str) -> None:
        """Do nothing: there is nothing new."""


Fetch = Callable[[str, Iterable[str] | None], Mapping[str, EventOrigin]]
"""Ask the platform for origins: of one topic, of some advertisements or all. Raises ApiError."""


@dataclass(slots=True)
class _Round:
    """Questions that the next call of the platform asks, by topic."""

    number: int = 1
    names: dict[str, set[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.names.values()))


class LearnedOrigins:
    """Origins from the platform: those of whole topics at `learn`, then those of unknown advertisements.

    A thread asks; it starts with the first question and ends with `close`. While the platform does not
    answer, what is known stays good and questions wait.
    """

    def __init__(self, fetch: Fetch, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch, self._clock = fetch, clock
        self._known: dict[tuple[str, str], EventOrigin] = {}
        self._fresh_until: dict[tuple[str, str], float] = {}
        self._round = _Round()
        self._answered = 0
        self._turn, self._adding = threading.Condition(), threading.Lock()
        self._closed = False
        self._thread: threading.Thread | None = None

    def learn(self, topics: Iterable[str]) -> None:
        """Read the origins of all advertisements of `topics` now. Raises ApiError."""
        for topic in topics:
            self.add(topic, self._fetch(topic, None))

    def add(self, topic: str, found: Mapping[str, EventOrigin]) -> None:
        """Add the origins of advertisements of `topic`, by their ids."""
        until = self._clock() + FRESH_S
        with self._adding:
            self._known = self._known | {(topic, name): origin for name, origin in found.items()}
            self._fresh_until |= dict.fromkeys([(topic, name) for name in found], until)

    def find(self, topic: str, advertisement: str) -> EventOrigin | None:
        """Return what the platform has answered; None without an answer or without such an advertisement."""
        return self._known.get((topic, advertisement))

    def ask(self, topic: str, advertisement: str) -> int | None:
        """Have the thread ask; None where too many advertisements wait."""
        with self._turn:
            if self._closed or len(self._round) >= MOST_WAITING:
                return None
            self._round.names.setdefault(topic, set()).add(advertisement)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="origins", daemon=True)
                self._thread.start()
            self._turn.notify_all()
            return self._round.number

    def answered(self, ticket: int) -> bool:
        """Whether the platform has answered a question that was asked with this ticket."""
        return self._answered >= ticket

    def refresh(self, topic: str, advertisement: str) -> None:
        """Have the thread ask again, once in `FRESH_S` seconds."""
        now, key = self._clock(), (topic, advertisement)
        if self._fresh_until.get(key, 0.0) <= now:
            self._fresh_until[key] = now + FRESH_S
            self.ask(topic, advertisement)

    def close(self) -> None:
        """End the thread."""
        with self._turn:
            self._closed = True
            self._turn.notify_all()
        if self._thread is not None:
            self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while (asked := self._next()) is not None:
            pause = FIRST_PAUSE_S
            while not self._is_answered(asked):
                if self._closes_within(pause):
                    return
                pause = min(2 * pause, LONGEST_PAUSE_S)
            if self._closes_within(GAP_S):
                return

    def _next(self) -> _Round | None:
        """Wait for questions and return them; None at the end."""
        with self._turn:
            while not self._closed and not len(self._round):
                self._turn.wait()
            asked, self._round = self._round, _Round(self._round.number + 1)
            return None if self._closed else asked

    def _is_answered(self, asked: _Round) -> bool:
        with suppress(ApiError):  # asked again after a pause; events wait meanwhile, and are counted
            for topic, names in asked.names.items():
                self.add(topic, self._fetch(topic, sorted(names)))
            self._answered = asked.number
            return True
        return False

    def _closes_within(self, seconds: float) -> bool:
        until = self._clock() + seconds
        with self._turn:
            while not self._closed and (left := until - self._clock()) > 0:
                self._turn.wait(left)
            return self._closed
