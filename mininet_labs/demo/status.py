"""The demo's line in the terminal, and its report."""

import sys
import time
from pathlib import Path
from typing import Any


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


def status_text(entries: int, counters: dict[str, Any]) -> str:
    """The counters in a line."""
    delay = counters["delay_ms"]
    shown = "–" if delay["p50"] is None else f"{delay['p50']:.1f} ms (99 %: {delay['p99']:.1f} ms)"
    return (
        f"entries {entries}  published {counters['published']}  delivered {counters['delivered']}"
        f"  lost {counters['lost']}  doubled {counters['doubled']}"
        f"  unwanted {counters['unwanted']}  delay {shown}"
    )


def passed(report: dict[str, Any]) -> bool:
    """Whether nothing was lost or doubled, and all went on to the end."""
    return bool(report["lost"] == 0 and report["doubled"] == 0 and report["failure"] is None)


def step(what: str, action: Any) -> None:
    """Do one step of the start and say how long it took."""
    print(f"tercast: {what} … ", end="", flush=True)
    started = time.monotonic()
    action()
    print(f"{time.monotonic() - started:.1f} s", flush=True)


def shown(path: Path) -> str:
    """A path as short as it can be said from here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
