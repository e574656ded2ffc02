"""What can go wrong with the demo."""


class DemoError(Exception):
    """The demo cannot start or go on; the message says why and what to do."""
