"""`Prefer: wait=N` (RFC 7240): delay an answer until a change or run has ended."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

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

    def until(self, ended: Callable[[], bool]) -> None:
        """Return when `ended()` is true or the time is over. The time between two checks increases.

        Call it outside of transactions, because each check must see what others have committed.
        """
        if not self.seconds:
            return
        end = time.monotonic() + self.seconds
        pause = _FIRST_PAUSE
        while not ended():
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(pause, left))
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    @property
    def headers(self) -> dict[str, str]:
        """Return `Preference-Applied` if the caller asked for a wait."""
        return {} if self.seconds is None else {"Preference-Applied": f"wait={self.seconds}"}


class Awaited(Response):
    """Answer about unfinished work. `settled` returns the answer at its end.

    The sender of the answer waits, because a transaction may have to commit first.
    """

    wait: Wait
    ended: Callable[[], bool]
    again: Callable[[], Response]

    def plus(self, fields: dict[str, Any]) -> "Awaited":
        """Add fields to the body, both now and at the end."""
        again = self.again
        self.data |= fields

        def both() -> Response:
            response = again()
            response.data |= fields
            return response

        self.again = both
        return self

    def settled(self) -> Response:
        """Wait for the end or until the time is over, then return the answer."""
        self.wait.until(self.ended)
        return self.again()


def awaited(wait: Wait, ended: Callable[[], bool], answer: Callable[[], Response]) -> Awaited:
    """Return the present answer as one that the sender can wait for."""
    first = answer()
    out = Awaited(first.data, first.status_code, headers={**dict(first.headers), **wait.headers})
    out.wait, out.ended, out.again = wait, ended, lambda: _with(answer(), wait.headers)
    return out


def _with(response: Response, headers: dict[str, str]) -> Response:
    for name, value in headers.items():
        response[name] = value
    return response


def _seconds(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text, re.ASCII):
        detail = f"Prefer: wait={shown(text)} is not a whole number of seconds. Use 0 to {MAX_WAIT}."
        raise bad_parameter("Prefer", "bad_wait", detail, text)
    return min(int(text), MAX_WAIT)
