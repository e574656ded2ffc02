"""Blocks of commands in pages of the documentation, how to run them, and how to compare what they print.

A block of commands is marked by its first line:

- "```sh offline" needs no platform. The everyday suite runs it.
- "```sh platform" needs a running platform. The full suite runs it.
- "```sh listener" is the same in a terminal of its own: it runs while the next blocks run.
- "```sh" alone is not run. A comment above it, `<!-- not run: REASON -->`, gives the reason.

"```text output" after a block of commands is what it prints, standard error included. `...` is used for any
text in a line, and for any number of lines where it is a line of its own.
"""

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tercast.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
PAGES = (
    "README.md",
    "examples/README.md",
    "docs/tutorial.md",
    "docs/dimensions.md",
    "docs/explain.md",
    "docs/fabric.md",
    "docs/federation.md",
    "docs/formats.md",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs" / "how-to").glob("*.md")),
)
KINDS = ("offline", "platform", "listener")
FENCE = re.compile(
    r"(?:^ *<!-- not run: (?P<reason>[^\n]+) -->\n)?"
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
TERCAST = ".venv/bin/tercast"


@dataclass(frozen=True)
class Block:
    """Commands of a page, and what they print: None where the page does not show it."""

    line: int
    kind: str
    text: str
    reason: str | None = None
    output: str | None = None


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of commands of a page, in their order.

    Raises:
        ValueError: A block shows an output and does not follow commands.
    """
    found: list[Block] = []
    for match in FENCE.finditer(page):
        lines = [line.removeprefix(match["indent"]) for line in match["text"].splitlines()]
        text = "\n".join(lines) + "\n"
        line = page.count("\n", 0, match.start("info")) + 1
        language, _, kind = match["info"].strip().partition(" ")
        if language == "sh":
            found.append(Block(line, kind, text, match["reason"]))
        elif (language, kind) == ("text", "output"):
            if not found or found[-1].output is not None:
                raise ValueError(f"line {line}: this output follows no commands")
            last = found.pop()
            found.append(Block(last.line, last.kind, last.text, last.reason, text))
    return found


def problem_of(block: Block, printed: str, status: int) -> str | None:
    """Return what is wrong with a block that was run: another output, or a failure where none is shown."""
    if block.output is not None:
        return differs(block.output, printed)
    return f"status {status}\n{printed}" if status else None


def differs(shown: str, printed: str) -> str | None:
    """Return what a page shows and a command does not print; None where both agree."""
    pattern = ""
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*?"
        else:
            parts = map(re.escape, line.rstrip().split("..."))
            pattern += r"[^\n]*?".join(parts) + r"[^\S\n]*\n"
    printed = printed.rstrip("\n") + "\n"
    if re.fullmatch(pattern, printed):
        return None
    return f"the page shows\n{shown}\nand the commands print\n{printed}"


@contextlib.contextmanager
def reader_folder(folder: Path) -> Iterator[Path]:
    """Work in a folder that looks like the checkout, and keeps what commands write."""
    for name in ("examples", "docs", "platform", "mininet_labs", "controller_app", "analytics", "frontend"):
        (folder / name).symlink_to(ROOT / name)
    for name in ("manage.py", "Makefile", "pyproject.toml", "scripts"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv").symlink_to(Path(os.environ.get("VIRTUAL_ENV") or ROOT / ".venv"))
    with contextlib.chdir(folder):
        yield folder


def run_quickly(text: str) -> tuple[str, int]:
    """Run the lines of a block in this process; each is one call of `tercast`.

    Returns:
        What the calls print, standard error included, and the status of the last one.
    """
    status = 0
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        for words in command_lines(text):
            if words[0] != TERCAST or {"|", ">", "&", "&&", ";"} & set(words):
                raise ValueError(f"an offline block calls {TERCAST} alone, and not {shlex.join(words)}")
            status = main(words[1:])
    return printed.getvalue(), status


def command_lines(text: str) -> list[list[str]]:
    """Return the words of each command, comments and empty lines left out."""
    lines = text.replace("\\\n", " ").splitlines()
    found = (shlex.split(line, comments=True) for line in lines)
    return [words for words in found if words]
