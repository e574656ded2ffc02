"""Exceptions of the controller. For bad input it raises `tercast.errors.Refused`."""

from __future__ import annotations

from typing import NamedTuple


class SwitchError(NamedTuple):
    """An OpenFlow error in words: `type` and `code` are the names of the standard in snake case."""

    type: str
    code: str
    detail: str


class ControllerError(Exception):
    """Root of the exceptions that this package raises deliberately."""


class SettingError(ControllerError):
    """A setting that cannot be used; the message starts with its name."""


class Unreachable(ControllerError):  # noqa: N818 - named by meaning
    """The switch is not connected or does not answer; the state of its tables is unknown."""


class RequestRejected(ControllerError):  # noqa: N818 - named by meaning
    """The switch answered a request with an error."""

    def __init__(self, failure: SwitchError) -> None:
        super().__init__(f"{failure.type}/{failure.code}: {failure.detail}")
        self.failure = failure
