"""Errors of the demo."""

from mininet_labs.errors import LabError


class DemoError(LabError):
    """The demo cannot start or continue; the message has the reason and the remedy."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, message)
