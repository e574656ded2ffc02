"""What the controller raises on purpose. Bad input is `tercast.errors.Refused`; this is about switches."""

from __future__ import annotations

from typing import NamedTuple


class SwitchError(NamedTuple):
    """An OpenFlow error in words: `type` and `code` are the standard's names in snake case."""

    type: str
    code: str
    detail: str


class ControllerError(Exception):
    """Root of everything that this package raises on purpose."""


class SettingError(ControllerError):
    """A setting that cannot be used; the message begins with its name."""


class Unreachable(ControllerError):  # noqa: N818 - named by meaning
    """The switch is not there, went away in the middle, or does not answer; its tables are unknown."""


class RequestRejected(ControllerError):  # noqa: N818 - named by meaning
    """The switch answered a request with an error."""

    def __init__(self, failure: SwitchError) -> None:
        super().__init__(f"{failure.type}/{failure.code}: {failure.detail}")
        self.failure = failure
