"""A publisher's lease on the encoding of its events, which the platform may change.

The platform changes the encoding of a topic in steps. It installs the new entries and notifies publishers. It
removes the old entries when all publishers have confirmed, or when the leases of the others have expired. So
a publisher asks at intervals, changes over when it is notified, and sends nothing after its lease expires.
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
"""Seconds before its end at which a lease is no longer used, because sending takes time."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The platform's answer: an encoding, and seconds to the lease's end and next request."""

    version: int
    code: int
    indexed: tuple[str, ...]
    expires_in: float
    poll_in: float
    seal: EventSeal | None = None
    """The key that seals events; None if the topic is not sealed."""
    cuts: object = ()
    """The cuts in their JSON form; empty without cuts."""

    def applied(self, topic: Topic) -> Topic:
        """Return the topic in this encoding."""
        indexed = topic.with_indexed(list(self.indexed), ("indexed",))
        return indexed.with_cuts(self.cuts, ("cuts",)).with_code(self.code)


class LeaseSource(Protocol):
    """Source of leases; both calls raise ApiError."""

    def lease(self, advertisement: str, holder: str, version: int | None) -> Terms:
        """Request or renew the lease, and confirm the version in use."""

    def release(self, advertisement: str, holder: str) -> None:
        """Release the lease."""


class Follower(Protocol):
    """A publisher that changes its encoding when it is notified."""

    @property
    def topic(self) -> Topic:
        """The topic in the current encoding."""

    def follow(self, topic: Topic) -> None:
        """Change the encoding; after the return, no event is sent in the old one."""


class PublisherLease:
    """Lease of one publisher; a thread renews it between `keep` and `close`."""

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
        """The version of the encoding in use."""
        return self._version

    def begin(self, topic: Topic) -> Topic:
        """Take the lease and return the topic in its encoding; ApiError if the platform refuses."""
        terms = self._request_terms()
        self._version = terms.version
        return terms.applied(topic)

    def check(self) -> None:
        """Raise LeaseLapsed if nothing may be sent before the platform answers again."""
        if self._clock() > self._until - MARGIN_S:
            raise LeaseLapsed(self.advertisement, self._problem)

    def keep(self, publisher: Follower) -> None:
        """Renew the lease in a thread until `close`; `publisher` follows the platform's encoding."""
        self._thread = threading.Thread(
            target=self._run, args=(publisher,), name=f"lease of {self.advertisement}", daemon=True
        )
        self._thread.start()

    def renew(self, publisher: Follower) -> float:
        """Ask once, and change the encoding if necessary; return the seconds until the next request.

        Raises:
            ApiError: There is no answer; the lease continues unchanged.
        """
        terms = self._request_terms()
        while terms.version != self._version:
            publisher.follow(terms.applied(publisher.topic))
            self._version = terms.version
            terms = self._request_terms()
        return terms.poll_in

    def close(self) -> None:
        """Stop the thread and release the lease; nothing is sent afterwards."""
        self._stop.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        if self._until == float("-inf"):
            return
        self._until = float("-inf")
        with suppress(ApiError):  # it expires automatically
            self._source.release(self.advertisement, self._holder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request_terms(self) -> Terms:
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
