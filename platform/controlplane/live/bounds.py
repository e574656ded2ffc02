"""How many streams there may be at a time, and how much a client may say on one."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from controlplane.live.protocol import Close, Ended

MESSAGES = 100
"""Messages that a client may send within `SECONDS`."""

SECONDS = 10.0


class Places:
    """The open streams of this process, counted by caller."""

    def __init__(self) -> None:
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str) -> Iterator[None]:
        """Hold a place for a stream of `caller`; raises `Ended` where there is none."""
        self._check(caller)
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]

    def _check(self, caller: str) -> None:
        own, all_ = settings.ENV.streams_a_caller, settings.ENV.streams
        if self._taken[caller] >= own:
            raise Ended(
                Close.TOO_MANY, f"you have {own} live streams here, the most there may be; close some"
            )
        if self._taken.total() >= all_:
            raise Ended(
                Close.TOO_MANY, f"this server has {all_} live streams, the most it takes; come back later"
            )


class Pace:
    """How fast one client talks."""

    def __init__(self) -> None:
        self._since = float("-inf")
        self._heard = 0

    def hear(self) -> None:
        """Count a message; raises `Ended` when there were too many."""
        now = time.monotonic()
        if now - self._since > SECONDS:
            self._since, self._heard = now, 0
        self._heard += 1
        if self._heard > MESSAGES:
            raise Ended(
                Close.BAD_MESSAGE,
                f"more than {MESSAGES} messages in {SECONDS:g} seconds; send them more slowly",
            )
