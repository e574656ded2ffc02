"""`Prefer: wait=N` (RFC 7240): delay an answer until a change or run has ended."""

import re
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from django.db import connection
from rest_framework.request import Request
from rest_framework.response import Response

from controlplane.common.notifications.end_notifications import watching
from controlplane.common.problems import bad_parameter
from tercast.errors import shown

MAX_WAIT = 60
_FIRST_PAUSE, _LONGEST_PAUSE = 0.01, 0.25


@dataclass(frozen=True, slots=True)
class Wait:
    """Time that the caller wants to wait, in seconds; None if the call does not specify it."""

    seconds: int | None

    @classmethod
    def read(cls, request: Request) -> "Wait":
        """Read `wait` from the `Prefer` header, ignore the rest; raise `Problem` if it is bad."""
        for preference in request.headers.get("Prefer", "").split(","):
            name, _, value = preference.partition(";")[0].partition("=")
            if name.strip().lower() == "wait":
                return cls(_seconds(value.strip().strip('"')))
        return cls(None)

    def until(self, ended: Callable[[], bool], name: str = "") -> None:
        """Return when `ended()` is true or the time is over. The time between two checks increases.

        Call it outside of transactions, because each check must see what others have committed. With SQLite,
        all processes are on this machine, so a notification comes before the first check is repeated.

        Args:
            ended: The check.
            name: Name of the request or operation in notifications of its end, which cause an early check.
        """
        if not self.seconds:
            return
        end = time.monotonic() + self.seconds
        pause = _LONGEST_PAUSE if name and connection.vendor == "sqlite" else _FIRST_PAUSE
        with watching(name) if name else nullcontext(time.sleep) as sleep:
            while not ended():
                left = end - time.monotonic()
                if left <= 0:
                    return
                sleep(min(pause, left))
                pause = min(pause * 1.5, _LONGEST_PAUSE)

    @property
    def headers(self) -> dict[str, str]:
        """Return `Preference-Applied` if the caller asked for a wait."""
        return {} if self.seconds is None else {"Preference-Applied": f"wait={self.seconds}"}


class Awaited(Response):
    """Answer about unfinished work; it has no content before `ready` or `settled`.

    The sender of the answer waits, because a transaction may have to commit first.
    """

    def __init__(
        self, wait: Wait, ended: Callable[[], bool], answer: Callable[[], Response], name: str = ""
    ) -> None:
        super().__init__()
        self.wait = wait
        self._ended, self._answer, self._name = ended, answer, name

    def plus(self, fields: dict[str, Any]) -> "Awaited":
        """Add fields to the body."""
        answer = self._answer

        def both() -> Response:
            response = answer()
            response.data |= fields
            return response

        self._answer = both
        return self

    def ready(self) -> Response:
        """Return the present answer."""
        response = self._answer()
        for name, value in self.wait.headers.items():
            response[name] = value
        return response

    def settled(self) -> Response:
        """Wait for the end or until the time is over, then return the answer."""
        self.wait.until(self._ended, self._name)
        return self.ready()


def _seconds(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        detail = f"Prefer: wait={shown(text)} is not a whole number of seconds. Use 0 to {MAX_WAIT}."
        raise bad_parameter("Prefer", "bad_wait", detail, text)
    return min(int(text), MAX_WAIT)
