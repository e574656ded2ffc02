"""The demo's line in the terminal, and its report."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mininet_labs.demo.rest import RestError


class StatusLine:
    """One line that is rewritten in place in a terminal, and repeated now and then elsewhere."""

    def __init__(self, every: int = 10) -> None:
        self._terminal = sys.stdout.isatty()
        self._every = every
        self._calls = 0

    def show(self, text: str) -> None:
        """Show `text`; where the output is no terminal, only each `every`-th call prints."""
        if self._terminal:
            print(f"\r\x1b[K{text}", end="", flush=True)
        elif self._calls % self._every == 0:
            print(text, flush=True)
        self._calls += 1

    def end(self) -> None:
        """Leave the line."""
        if self._terminal and self._calls:
            print(flush=True)


def say(text: str) -> None:
    """Print a line of its own, also where the status line stands."""
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    print(f"{clear}tercast: {text}", flush=True)


class PlatformOutage:
    """Calls of the control plane that fail for a while: a warning at the first one, and a note at the end."""

    def __init__(self) -> None:
        self._since: float | None = None

    @contextmanager
    def bridged(self) -> Iterator[None]:
        """Print a warning instead of raising `RestError`; the caller tries again later."""
        try:
            yield
        except RestError as error:
            if self._since is None:
                self._since = time.monotonic()
                say(f"warning: {error}; trying again, the network and its traffic go on")
        else:
            if self._since is not None:
                say(f"the control plane answers again after {time.monotonic() - self._since:.0f} s")
                self._since = None


def status_text(entries: int, counters: dict[str, Any], troubles: Sequence[str] = ()) -> str:
    """The counters in a line, and what does not run."""
    delay = counters["delay_ms"]
    shown = "–" if delay["p50"] is None else f"{delay['p50']:.1f} ms (99 %: {delay['p99']:.1f} ms)"
    return (
        f"entries {entries}  published {counters['published']}  delivered {counters['delivered']}"
        f"  lost {counters['lost']}  doubled {counters['doubled']}"
        f"  unwanted {counters['unwanted']}  delay {shown}{''.join(f'  [{one}]' for one in troubles)}"
    )


def passed(report: dict[str, Any]) -> bool:
    """Whether nothing was lost or doubled, and all went on to the end."""
    return bool(report["lost"] == 0 and report["doubled"] == 0 and report["failure"] is None)


PROGRESS_EVERY_S = 5.0
"""Seconds between two lines of progress where the output is no terminal."""


class StepLine:
    """The line of a step of the start: what is done, how far it is, and how long it took."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._terminal = sys.stdout.isatty()
        self._started = self._shown = time.monotonic()
        self._last = ""
        print(f"tercast: {what} … ", end="", flush=True)

    def report(self, progress: str) -> None:
        """Show how far the step is: in place in a terminal, now and then elsewhere."""
        if progress == self._last:
            return
        if self._terminal:
            self._last = progress
            print(f"\r\x1b[Ktercast: {self._what} … {progress} ", end="", flush=True)
        elif time.monotonic() - self._shown >= PROGRESS_EVERY_S:
            self._last, self._shown = progress, time.monotonic()
            print(f"{progress} … ", end="", flush=True)

    def end(self) -> None:
        """Show how long it took."""
        if self._terminal:
            print(f"\r\x1b[Ktercast: {self._what} … ", end="")
        print(f"{time.monotonic() - self._started:.1f} s", flush=True)


Report = Callable[[str], None]
"""Called with the progress of a step, in words."""


def ignore(_progress: str) -> None:
    """Show no progress."""


def step(what: str, action: Callable[[Report], object]) -> None:
    """Do one step of the start; `action` gets a function that shows its progress."""
    line = StepLine(what)
    action(line.report)
    line.end()


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
