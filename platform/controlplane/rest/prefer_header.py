"""`Prefer: wait=N` (RFC 7240): holding an answer back until something has ended."""

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
    """How long the caller would wait, in seconds; None when it did not say."""

    seconds: int | None

    @classmethod
    def read(cls, request: Request) -> "Wait":
        """From the request's `Prefer`; other preferences are left alone, a bad `wait` raises `Problem`."""
        for preference in request.headers.get("Prefer", "").split(","):
            name, _, value = preference.partition(";")[0].partition("=")
            if name.strip().lower() == "wait":
                return cls(_seconds(value.strip().strip('"')))
        return cls(None)

    def until(self, ended: Callable[[], bool]) -> None:
        """Return once `ended()` or when the time is over; asks often at first, then less so.

        Call it outside of transactions: each question must see what others have committed.
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
        """`Preference-Applied`, where a wait was asked for."""
        return {} if self.seconds is None else {"Preference-Applied": f"wait={self.seconds}"}


class Awaited(Response):
    """An answer about something that goes on; `settled` is the one at its end.

    Waiting is left to who sends the answer, since a transaction may have to be committed first.
    """

    wait: Wait
    ended: Callable[[], bool]
    again: Callable[[], Response]

    def plus(self, fields: dict[str, Any]) -> "Awaited":
        """With more fields in the body, now and at the end."""
        again = self.again
        self.data |= fields

        def both() -> Response:
            response = again()
            response.data |= fields
            return response

        self.again = both
        return self

    def settled(self) -> Response:
        """The answer once it has ended or the time is over."""
        self.wait.until(self.ended)
        return self.again()


def awaited(wait: Wait, ended: Callable[[], bool], answer: Callable[[], Response]) -> Awaited:
    """The answer as it is now, which can be waited for."""
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
        detail = f"Prefer: wait={shown(text)} is not a number of seconds. Use 0 to {MAX_WAIT}."
        raise bad_parameter("Prefer", "bad_wait", detail, text)
    return min(int(text), MAX_WAIT)
