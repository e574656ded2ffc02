"""A running platform, and the terminals of a reader who follows a page of the documentation."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.docs.page_blocks import ROOT, Block, differs, problem_of, reader_folder
from tests.waiting import wait_until

SHOWN_ADDRESS = "127.0.0.1:8000"
MARK = "--- end of block"


@dataclass
class Listener:
    """A command in a terminal of its own, whose output is compared when the page ends."""

    block: Block
    process: "subprocess.Popen[str]"
    printed: Path


@dataclass
class Reader:
    """Types the blocks of a page: into one shell, and each listener into another one."""

    folder: Path
    address: str
    listeners: list[Listener] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shell = self.start("-s", stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def start(self, *arguments: str, **streams: object) -> "subprocess.Popen[str]":
        """Start a shell in the folder."""
        command = ["bash", *arguments]
        return subprocess.Popen(  # type: ignore[call-overload]
            command, cwd=self.folder, stderr=subprocess.STDOUT, text=True, start_new_session=True, **streams
        )

    def type(self, block: Block) -> None:
        """Run a block, and compare what it prints; AssertionError where it differs or fails."""
        text = block.text.replace(SHOWN_ADDRESS, self.address)
        if block.kind == "listener":
            self.listen(block, text)
            return
        shown = block.output and block.output.replace(SHOWN_ADDRESS, self.address)
        problem = problem_of(replace(block, output=shown), *self.run(text))
        assert problem is None, f"line {block.line}: {problem}"

    def run(self, text: str) -> tuple[str, int]:
        """Run text in the shell; what it prints, and the status of the last command."""
        assert self.shell.stdin is not None and self.shell.stdout is not None
        self.shell.stdin.write(f"{text}\nprintf '\\n%s %s\\n' '{MARK}' $?\n")
        self.shell.stdin.flush()
        lines: list[str] = []
        for line in self.shell.stdout:
            if line.startswith(MARK):
                return "".join(lines).removesuffix("\n"), int(line.removeprefix(MARK))
            lines.append(line)
        raise AssertionError(f"the shell ended: {''.join(lines)}")

    def listen(self, block: Block, text: str) -> None:
        """Start a listener, and wait until the switch has accepted its connection."""
        socket = re.search(r"run/hosts/[\w-]+\.sock", text)
        assert socket is not None, f"line {block.line}: a listener names the socket of its host"
        before = connections(self.folder / socket[0])
        printed = self.folder / f"listener-{block.line}.txt"
        with printed.open("w") as stream:
            process = self.start("-c", text, stdin=subprocess.DEVNULL, stdout=stream)
        self.listeners.append(Listener(block, process, printed))

        def is_ready() -> bool:
            assert process.poll() is None, printed.read_text()
            return "listening" in printed.read_text() and connections(self.folder / socket[0]) > before

        wait_until(f"a listener (line {block.line})", is_ready)

    def finish(self) -> None:
        """Compare what the listeners have printed when they end."""
        for listener in self.listeners:
            listener.process.wait(180)
            if listener.block.output is not None:
                problem = differs(listener.block.output, listener.printed.read_text())
                assert problem is None, f"line {listener.block.line}: {problem}"

    def close(self) -> None:
        """End all shells and what runs in them."""
        for process in (self.shell, *(listener.process for listener in self.listeners)):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def connections(path: Path) -> int:
    """Return the number of accepted connections of a port's socket."""
    name = path.resolve().name
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return sum(len(row) > 7 and row[5] == "03" and Path(row[7]).name == name for row in rows)


@contextmanager
def running_platform(port: int, *options: str) -> Iterator[Reader]:
    """Start the platform in an empty folder; a reader at it, in a folder like the checkout.

    Args:
        port: Where to look for a free port of the web page.
        options: More options of `make run`; without any it runs its demo.
    """
    folder = Path(tempfile.mkdtemp(prefix="tercast-docs-", dir="/tmp"))
    log = folder / "make-run.txt"
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
        with reader_folder(folder):
            reader = Reader(folder, page[1])
            yield reader
    finally:
        if reader is not None:
            reader.close()
        process.send_signal(signal.SIGINT)
        process.wait(180)
        shutil.rmtree(folder, ignore_errors=True)
