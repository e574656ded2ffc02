"""Origins of the events of advertisements: fixed, or learned from the platform.

The network delivers an event to every matching subscriber, no matter which host sent it. So a subscriber
compares the source address of each datagram with the address of the advertisement's host. If the topic is
sealed, the subscriber also checks the seal. The address of an advertisement never changes. Keys do change, so
the subscriber asks the platform again at intervals.
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
"""Maximum advertisements that wait for an answer; an attacker can invent many."""

GAP_S = 0.25
"""Minimum seconds between two requests to the platform."""

FRESH_S = 30.0
"""Seconds after which the platform is asked again about an advertisement with events."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
"""Seconds between two attempts while the platform does not answer: first and longest pause."""


class RejectionReason(StrEnum):
    """The reason why an event is rejected."""

    OTHER_ADDRESS = "other_address"
    """The event does not come from the host of its advertisement."""
    UNKNOWN_ADVERTISEMENT = "unknown_advertisement"
    """The platform has no such advertisement in this topic."""
    NOT_CHECKED = "not_checked"
    """Too many events wait for the platform's answer."""
    NO_SEAL = "no_seal"
    """The topic is sealed, but the event is not."""
    UNKNOWN_KEY = "unknown_key"
    """The key of the seal is not valid, or no longer valid."""
    BAD_SEAL = "bad_seal"
    """The event was changed after it was sealed, or was sealed with another key."""
    REPLAYED = "replayed"
    """The event is sealed, and older than all remembered events of its advertisement."""


REASON_TEXTS = {
    RejectionReason.OTHER_ADDRESS: "wrong source address",
    RejectionReason.UNKNOWN_ADVERTISEMENT: "unknown advertisement",
    RejectionReason.NOT_CHECKED: "not checked in time",
    RejectionReason.NO_SEAL: "no seal",
    RejectionReason.UNKNOWN_KEY: "unknown key",
    RejectionReason.BAD_SEAL: "invalid seal",
    RejectionReason.REPLAYED: "replayed",
}
"""Reasons in plain words, for messages and alarms."""


class OriginPolicy(StrEnum):
    """Rule for the seals of a topic's events."""

    OFF = "off"
    CHANGING = "changing"
    """Transition of publishers: sealed and unsealed events are accepted."""
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class RejectedEvent:
    """An event that a subscriber rejects, with reason; `source` is the sender's address."""

    topic: str
    publisher: str
    source: str
    reason: RejectionReason


@dataclass(frozen=True, slots=True)
class EventOrigin:
    """Origin of the events of one advertisement: packed IP address, and keys of the seals."""

    address: bytes
    seal: OriginPolicy = OriginPolicy.OFF
    keys: Mapping[int, bytes] = field(default_factory=dict, repr=False)

    def __hash__(self) -> int:
        return hash((self.address, self.seal))


class EventOrigins(Protocol):
    """Lookup of the origin of an advertisement's events."""

    def find(self, topic: str, advertisement: str) -> EventOrigin | None:
        """Return the known origin; None if it is not known."""

    def request(self, topic: str, advertisement: str) -> int | None:
        """Ask about an advertisement; return a ticket for `answered`, None if too many wait."""

    def answered(self, ticket: int) -> bool:
        """Whether the question with this ticket has been answered; `find` then returns the answer."""

    def refresh(self, topic: str, advertisement: str) -> None:
        """Ask again if the last answer is old; the known origin stays valid until the new answer."""


class FixedOrigins:
    """Origins that are known from the start: the host address of each advertisement, by its id."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self._known = {name: EventOrigin(pack_ip(ip)) for name, ip in addresses.items()}

    def find(self, topic: str, advertisement: str) -> EventOrigin | None:
        """Return the advertisement's origin."""
        return self._known.get(advertisement)

    def request(self, topic: str, advertisement: str) -> int | None:
        """Return a ticket that is already answered."""
        return 0

    def answered(self, ticket: int) -> bool:
        """Return True."""
        return True

    def refresh(self, topic: str, advertisement: str) -> None:
        """Do nothing: fixed origins do not change."""


Fetch = Callable[[str, Iterable[str] | None], Mapping[str, EventOrigin]]
"""Request origins of one topic, of some advertisements or (None) of all. Raises ApiError."""


@dataclass(slots=True)
class _Round:
    """Questions for the next request to the platform, by topic."""

    number: int = 1
    names: dict[str, set[str]] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(map(len, self.names.values()))


class LearnedOrigins:
    """Origins from the platform: of whole topics at `learn`, then of unknown advertisements.

    A thread sends the requests. It starts with the first question and ends with `close`. While the platform
    does not answer, known origins stay valid and questions wait.
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
        """Return the platform's answer; None if there is no answer or no such advertisement."""
        return self._known.get((topic, advertisement))

    def request(self, topic: str, advertisement: str) -> int | None:
        """Let the thread ask; return None if too many advertisements are waiting."""
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
        """Whether the platform has answered the question with this ticket."""
        return self._answered >= ticket

    def refresh(self, topic: str, advertisement: str) -> None:
        """Let the thread ask again, at most once in `FRESH_S` seconds."""
        now, key = self._clock(), (topic, advertisement)
        if self._fresh_until.get(key, 0.0) <= now:
            self._fresh_until[key] = now + FRESH_S
            self.request(topic, advertisement)

    def close(self) -> None:
        """Stop the thread and wait for its end."""
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
        with suppress(ApiError):  # retried after a pause; meanwhile events wait, and are counted
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
