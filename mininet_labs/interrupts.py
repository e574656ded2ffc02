"""How long-running commands of the labs are asked to end: by Ctrl-C, or by a signal."""

from __future__ import annotations

import signal

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):  # noqa: N818 - not an error
    """Someone asked for the end (Ctrl-C, or a signal)."""


_asked: list[str] = []
"""The signal that asked for the end, once there was one."""


def check() -> None:
    """Raise `Interrupted` if someone has asked for the end.

    Loops that run until then call it in each turn: Python discards an exception that the signal's handler
    raises at some moments, for example while a process is started.
    """
    if _asked:
        raise Interrupted(_asked[0])


def raise_when_asked() -> None:
    """From now on the first such signal raises `Interrupted` in the main thread, and later ones do nothing.

    A second signal while things are being ended must not stop the ending.
    """
    for number in _ASKING:
        signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    for name in _ASKING:
        signal.signal(name, signal.SIG_IGN)
    _asked.append(signal.Signals(number).name)
    check()
