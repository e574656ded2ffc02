"""Status line of the demo in the terminal, and lines of progress."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mininet_labs.demo.rest import RestError


class StatusLine:
    """A line that is overwritten in a terminal, and repeated at intervals in other outputs."""

    def __init__(self, every: int = 10) -> None:
        self._terminal = sys.stdout.isatty()
        self._every = every
        self._calls = 0

    def show(self, text: str) -> None:
        """Show a text; if the output is not a terminal, only each `every`-th call prints."""
        if self._terminal:
            print(f"\r\x1b[K{text}", end="", flush=True)
        elif self._calls % self._every == 0:
            print(text, flush=True)
        self._calls += 1

    def end(self) -> None:
        """End the line."""
        if self._terminal and self._calls:
            print(flush=True)


def say(text: str) -> None:
    """Print a separate line, also while a status line is shown."""
    clear = "\r\x1b[K" if sys.stdout.isatty() else ""
    print(f"{clear}tercast: {text}", flush=True)


class PlatformOutage:
    """A period of failing calls of the control plane: a warning at its start, a note at its end."""

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
                say(f"warning: {error}; trying again; the network and its events continue")
        else:
            if self._since is not None:
                say(f"the control plane answers again after {time.monotonic() - self._since:.0f} s")
                self._since = None


def status_text(entries: int, counters: dict[str, Any], troubles: Sequence[str] = ()) -> str:
    """Return the counters in a line, and the services that do not run."""
    delay = counters["delay_ms"]
    shown = "–" if delay["p50"] is None else f"{delay['p50']:.1f} ms (99 %: {delay['p99']:.1f} ms)"
    return (
        f"entries {entries}  published {counters['published']}  delivered {counters['delivered']}"
        f"  lost {counters['lost']}  duplicates {counters['doubled']}"
        f"  false positives {counters['unwanted']}  delay {shown}{''.join(f'  [{one}]' for one in troubles)}"
    )


def passed(report: dict[str, Any]) -> bool:
    """Whether no event was lost or duplicated, and all processes ran until the end."""
    return bool(report["lost"] == 0 and report["doubled"] == 0 and report["failure"] is None)


PROGRESS_EVERY_S = 5.0
"""Seconds between two lines of progress if the output is not a terminal."""


class StepLine:
    """The line of a step of the start: its name, its progress, and its duration."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._terminal = sys.stdout.isatty()
        self._started = self._shown = time.monotonic()
        self._last = ""
        print(f"tercast: {what} … ", end="", flush=True)

    def report(self, progress: str) -> None:
        """Show the progress of the step: in place in a terminal, at intervals in other outputs."""
        if progress == self._last:
            return
        if self._terminal:
            self._last = progress
            print(f"\r\x1b[Ktercast: {self._what} … {progress} ", end="", flush=True)
        elif time.monotonic() - self._shown >= PROGRESS_EVERY_S:
            self._last, self._shown = progress, time.monotonic()
            print(f"{progress} … ", end="", flush=True)

    def end(self) -> None:
        """Show the duration of the step."""
        if self._terminal:
            print(f"\r\x1b[Ktercast: {self._what} … ", end="")
        print(f"{time.monotonic() - self._started:.1f} s", flush=True)


ReportProgress = Callable[[str], None]
"""Callback with the progress of a step, in words."""


def ignore(_progress: str) -> None:
    """Show no progress."""


def step(what: str, action: Callable[[ReportProgress], object]) -> None:
    """Run a step of the start; `action` gets a function that shows its progress."""
    line = StepLine(what)
    action(line.report)
    line.end()


def shown(path: Path) -> str:
    """Return a path relative to the working folder, if it is in this folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
