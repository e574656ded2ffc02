"""A publisher's lease: the encoding that its events go out in, which the platform may change while they flow.

The platform moves a topic to another encoding in steps: it installs the new entries, tells publishers, and
lets the old entries go when all have confirmed, or when the leases of those that have not are over. So a
publisher asks now and then, changes over when it is told to, and sends nothing once its lease is over.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self

from tercast.eventspace.topic import Topic
from tercast.wire.errors import ApiError, LeaseLapsed
from tercast.wire.event_seal import EventSeal

MARGIN_S = 0.5
"""So long before its end a lease is not relied on: sending takes time, too."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the platform answered: an encoding, seconds until the lease ends, and until the next question."""

    version: int
    code: int
    indexed: tuple[str, ...]
    expires_in: float
    poll_in: float
    seal: EventSeal | None = None
    """What events are to be sealed with; None where the topic is not sealed."""

    def applied(self, topic: Topic) -> Topic:
        """The topic in this encoding."""
        return topic.with_indexed(list(self.indexed), ("indexed",)).with_code(self.code)


class LeaseSource(Protocol):
    """Where leases come from; both calls raise ApiError."""

    def lease(self, advertisement: str, holder: str, version: int | None) -> Terms:
        """Ask, and confirm the version in use."""

    def release(self, advertisement: str, holder: str) -> None:
        """Give it back."""


class Follower(Protocol):
    """What changes over when it is told to."""

    @property
    def topic(self) -> Topic:
        """The topic in the encoding of now."""

    def follow(self, topic: Topic) -> None:
        """When it returns, nothing goes out in the old encoding any more."""


class PublisherLease:
    """Keeps one publisher of an advertisement up to date, by a thread between `keep` and `close`."""

    def __init__(
        self, source: LeaseSource, advertisement: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.advertisement = advertisement
        self._source, self._clock = source, clock
        self._holder = uuid.uuid4().hex
        self.seal: EventSeal | None = None
        self._version: int | None = None
        self._until = float("-inf")
        self._problem = ""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def version(self) -> int | None:
        """The version in use."""
        return self._version

    def begin(self, topic: Topic) -> Topic:
        """Take the lease; the topic as its events are to be encoded. ApiError when the platform says no."""
        terms = self._ask()
        self._version = terms.version
        return terms.applied(topic)

    def check(self) -> None:
        """LeaseLapsed when nothing may be sent before the platform has answered again."""
        if self._clock() > self._until - MARGIN_S:
            raise LeaseLapsed(self.advertisement, self._problem)

    def keep(self, publisher: Follower) -> None:
        """From now on the publisher follows what the platform tells, until `close`."""
        self._thread = threading.Thread(
            target=self._run, args=(publisher,), name=f"lease of {self.advertisement}", daemon=True
        )
        self._thread.start()

    def renew(self, publisher: Follower) -> float:
        """Ask once, and change over if that is the answer; the seconds until it is time to ask again.

        ApiError when there is no answer; the lease then runs on as it was.
        """
        terms = self._ask()
        while terms.version != self._version:
            publisher.follow(terms.applied(publisher.topic))
            self._version = terms.version
            terms = self._ask()
        return terms.poll_in

    def close(self) -> None:
        """Stop, and give the lease back; nothing is sent after that."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        if self._until == float("-inf"):
            return
        self._until = float("-inf")
        with suppress(ApiError):  # it runs out by itself
            self._source.release(self.advertisement, self._holder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self) -> Terms:
        asked = self._clock()
        terms = self._source.lease(self.advertisement, self._holder, self._version)
        self.seal = terms.seal
        self._until = asked + terms.expires_in
        self._problem = ""
        return terms

    def _run(self, publisher: Follower) -> None:
        pause = 0.0
        while not self._stop.wait(pause):
            try:
                pause = self.renew(publisher)
            except ApiError as error:
                self._problem = str(error)
                pause = max(pause, 1.0)
