"""End of long-running commands of the labs, by Ctrl-C or by a signal."""

from __future__ import annotations

import signal

_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(Exception):  # noqa: N818 - not an error
    """The user or a signal requests the end of the command."""


_asked: list[str] = []
"""The signal that requested the end, if there was one."""


def check() -> None:
    """Raise `Interrupted` if the end was requested.

    Loops that run until then call it in each turn. Python discards the exception of a signal handler at some
    moments, for example while a process is started.
    """
    if _asked:
        raise Interrupted(_asked[0])


def raise_when_asked() -> None:
    """Make the first signal that requests the end raise `Interrupted` in the main thread.

    Later signals are ignored: a second one must not stop the cleanup.
    """
    for number in _ASKING:
        signal.signal(number, _interrupt)


def _interrupt(number: int, _frame: object) -> None:
    for name in _ASKING:
        signal.signal(name, signal.SIG_IGN)
    _asked.append(signal.Signals(number).name)
    check()
