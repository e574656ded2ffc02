"""A running platform, and the terminals of a reader who follows a page of the documentation."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tests.support.docs.page_blocks import ROOT, Block, differs, problem_of, reader_folder, run_python
from tests.support.ports import free_port
from tests.waiting import wait_until

PAGE, OPENFLOW, NORTHBOUND = "127.0.0.1:8000", "127.0.0.1:6653", "127.0.0.1:6680"
"""Addresses in the documentation. A test uses other ports, because other programs may use these."""

MARK = "--- end of block"
READY = re.compile(r"\b(?:listening|ready)\b")
"""What a listener or a server prints when the next block can start."""

SOCKET = re.compile(r"run/[\w./-]+(?:\.sock\b|/s/[\w-]+)")
CURL = "silent\nshow-error\nfail-with-body\n"
"""Options of curl: no progress meter, as in a terminal; a refused call is a failure."""

REFUSED = re.compile(r"curl: \(22\) The requested URL returned error: \d+\n")
"""What `fail-with-body` adds to the output of a refused call."""

FAILURES = "failed=0; trap 'failed=$?' ERR"
"""First line of the shell: it keeps the status of a command that fails in the middle of a block."""


@dataclass
class Listener:
    """A command in a terminal of its own, whose output is compared when the page ends."""

    block: Block
    process: "subprocess.Popen[str]"
    printed: Path


@dataclass
class Reader:
    """Types the blocks of a page: into one shell, and each listener into another one.

    Args:
        addresses: By address in the documentation: the address to use.
    """

    folder: Path
    addresses: Mapping[str, str]
    listeners: list[Listener] = field(default_factory=list)
    names: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.folder / ".curlrc").write_text(CURL)
        self.shell = self.start("bash", "-s", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.run(FAILURES)

    def start(self, *command: str, **streams: object) -> "subprocess.Popen[str]":
        """Start a program in the folder, with the state and the controller of the platform there."""
        own = {
            "CURL_HOME": str(self.folder),
            "TERCAST_SOURCE_CHECK": "1",  # as `make run` sets it
            "TERCAST_STATE_DIR": str(self.folder / "run" / "state"),
            "TERCAST_NORTHBOUND_URL": f"http://{self.addresses[NORTHBOUND]}",
        }
        return subprocess.Popen(  # type: ignore[call-overload]
            command,
            cwd=self.folder,
            env={**os.environ, **own},
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **streams,
        )

    def type(self, block: Block) -> None:
        """Run a block, and compare what it prints; AssertionError where it differs or fails."""
        text = self.with_addresses(block.text)
        if block.kind in {"listener", "server"}:
            self.listen(block, text)
            return
        shown = block.output and self.with_addresses(block.output)
        ran = run_python(text, self.names) if block.language == "python" else self.run(text)
        problem = problem_of(replace(block, output=shown), *ran)
        assert problem is None, f"line {block.line}: {problem}"

    def with_addresses(self, text: str) -> str:
        """Replace the addresses of the documentation."""
        for shown, address in self.addresses.items():
            text = text.replace(shown, address)
        return text

    def run(self, text: str) -> tuple[str, int]:
        """Run text in the shell; what it prints, and the status of the last command that failed."""
        assert self.shell.stdin is not None and self.shell.stdout is not None
        self.shell.stdin.write(f"{text}\nprintf '\\n%s %s\\n' '{MARK}' $failed; failed=0\n")
        self.shell.stdin.flush()
        lines: list[str] = []
        for line in self.shell.stdout:
            if line.startswith(MARK):
                printed = REFUSED.sub("", "".join(lines))
                return printed.removesuffix("\n"), int(line.removeprefix(MARK))
            lines.append(line)
        raise AssertionError(f"the shell ended: {''.join(lines)}")

    def listen(self, block: Block, text: str) -> None:
        """Start a listener or a server, and wait until it is ready and its switch has accepted it."""
        socket = SOCKET.search(text) if block.kind == "listener" else None
        path = self.folder / socket[0] if socket else None
        before = connections(path)
        printed = self.folder / f"listener-{block.line}.txt"
        command = ["bash", "-c", text] if block.language == "sh" else [sys.executable, "-u", "-c", text]
        with printed.open("w") as stream:
            process = self.start(*command, stdin=subprocess.DEVNULL, stdout=stream)
        self.listeners.append(Listener(block, process, printed))

        def is_ready() -> bool:
            assert process.poll() is None, printed.read_text()
            return bool(READY.search(printed.read_text())) and (path is None or connections(path) > before)

        wait_until(f"a listener (line {block.line})", is_ready)

    def finish(self) -> None:
        """Compare what the listeners have printed when they end, and then end the servers."""
        for listener in sorted(self.listeners, key=lambda one: one.block.kind == "server"):
            if listener.block.kind == "server":
                os.killpg(listener.process.pid, signal.SIGINT)
            status = listener.process.wait(180)
            printed = listener.printed.read_text()
            shown = listener.block.output
            problem = differs(self.with_addresses(shown), printed) if shown is not None else None
            assert problem is None, f"line {listener.block.line}: {problem}"
            assert status == 0, f"line {listener.block.line}: status {status}\n{printed}"

    def close(self) -> None:
        """End all shells and what runs in them."""
        for process in (self.shell, *(listener.process for listener in self.listeners)):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def connections(path: Path | None) -> int:
    """Return the number of accepted connections of a port's socket; 0 without a port."""
    if path is None:
        return 0
    name = path.resolve().name
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return sum(len(row) > 7 and row[5] == "03" and Path(row[7]).name == name for row in rows)


@contextmanager
def reading(folder: Path) -> Iterator[Reader]:
    """A reader without a platform, in a folder like the checkout."""
    with reader_folder(folder):
        addresses = {shown: f"127.0.0.1:{free_port()}" for shown in (PAGE, OPENFLOW, NORTHBOUND)}
        reader = Reader(folder, addresses)
        try:
            yield reader
        finally:
            reader.close()


@contextmanager
def running_platform(port: int, *options: str) -> Iterator[Reader]:
    """Start the platform in an empty folder; a reader at it, in a folder like the checkout.

    Args:
        port: Where to look for a free port of the web page.
        options: More options of `make run`; without any it runs its demo.
    """
    folder = Path(tempfile.mkdtemp(prefix="tercast-docs-", dir="/tmp"))
    log, controller = folder / "make-run.txt", folder / "run" / "logs" / "controller.log"
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "mininet_labs", "run", "--port", str(port), *options],
            cwd=ROOT,
            env={**os.environ, "TERCAST_RUN_DIR": str(folder / "run")},
            stdout=stream,
            stderr=subprocess.STDOUT,
        )
    reader = None
    try:

        def is_ready() -> bool:
            assert process.poll() is None, log.read_text()
            return "Ctrl-C ends it." in log.read_text()

        wait_until("the platform", is_ready)
        page = re.search(r"^  page      http://(127\.0\.0\.1:\d+)/$", log.read_text(), re.MULTILINE)
        assert page is not None
        sockets = re.search(r"listening openflow=(\S+) northbound=(\S+)", controller.read_text())
        assert sockets is not None
        with reader_folder(folder):
            reader = Reader(folder, {PAGE: page[1], OPENFLOW: sockets[1], NORTHBOUND: sockets[2]})
            yield reader
    finally:
        if reader is not None:
            reader.close()
        process.send_signal(signal.SIGINT)
        process.wait(180)
        shutil.rmtree(folder, ignore_errors=True)
