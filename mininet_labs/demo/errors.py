"""What can go wrong with the demo."""

from mininet_labs.errors import LabError


class DemoError(LabError):
    """The demo cannot start or go on; the message says why and what to do."""

    def __init__(self, message: str) -> None:
        Exception.__init__(self, message)
