"""Blocks of code in pages of the documentation, how to run them, and how to compare what they print.

A block of commands is marked by its first line:

- "```sh offline" only calls `tercast` and needs no platform. The everyday suite runs it.
- "```sh full" needs no platform either, but takes longer or starts other programs. The full suite runs it.
- "```sh platform" needs a running platform. The full suite runs it.
- "```sh listener" and "```sh server" are the same in a terminal of their own: they run while the next blocks
  run. A listener ends on its own; a server ends with Ctrl-C at the end of the page.
- "```sh run" is run by the test of the deployment guide.
- "```sh" alone is not run. A comment above it, `<!-- not run: REASON -->`, gives the reason.

Blocks of Python have the same marks. The blocks of a page share their names, except for listeners.

"```text output" after a block of commands is what it prints, standard error included. `...` is used for any
text in a line, and for any number of lines where it is a line of its own. "```json output" is one JSON value
(`json_excerpts`).
"""

import contextlib
import io
import os
import re
import shlex
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tercast.cli.main import main
from tests.support.docs import json_excerpts

ROOT = Path(__file__).resolve().parents[3]
DOCS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
PAGES = ("README.md", "examples/README.md", *DOCS)
KINDS = ("offline", "full", "platform", "listener", "server")
DEPLOYED = ("run", "run online")
"""Kinds of blocks that tests/deploy/test_guide.py runs."""

LANGUAGES = ("sh", "python")
OUTPUTS = ("text output", "json output")
FENCE = re.compile(
    r"(?:^ *<!-- not run: (?P<reason>[^\n]+) -->\n)?"
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^ *```$",
    re.MULTILINE | re.DOTALL,
)
ITEM = re.compile(r"( *(?:[-*+]|\d+[.)]) +)\S")
"""The first line of an item of a list, up to its text."""

TERCAST = ".venv/bin/tercast"
FOLDERS = (
    *("analytics", "controller_app", "deploy", "docs", "examples", "frontend", "mininet_labs", "platform"),
    *("scripts", "tests"),
)


@dataclass(frozen=True)
class Fence:
    """A block of a page: its first line, the words after the backticks, its text, why it is not run."""

    line: int
    info: str
    text: str
    reason: str | None


@dataclass(frozen=True)
class Block:
    """Commands or Python of a page, and what they print: None where the page does not show it."""

    line: int
    kind: str
    text: str
    reason: str | None = None
    output: str | None = None
    language: str = "sh"
    is_json: bool = False


def read_page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / name).read_text(encoding="utf-8")


def read_fences(page: str) -> Iterator[Fence]:
    """Yield all fenced blocks of a page, in their order, without the indentation of their list."""
    for match in FENCE.finditer(page):
        lines = [line.removeprefix(match["indent"]) for line in match["text"].splitlines()]
        line = page.count("\n", 0, match.start("info")) + 1
        yield Fence(line, match["info"].strip(), "".join(f"{one}\n" for one in lines), match["reason"])


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of commands and Python of a page, in their order.

    Raises:
        ValueError: A block shows an output and does not follow commands.
    """
    found: list[Block] = []
    for fence in read_fences(page):
        language, _, kind = fence.info.partition(" ")
        if language in LANGUAGES:
            found.append(Block(fence.line, kind, fence.text, fence.reason, language=language))
        elif fence.info in OUTPUTS:
            if not found or found[-1].output is not None:
                raise ValueError(f"line {fence.line}: this output follows no commands")
            found[-1] = replace(found[-1], output=fence.text, is_json=language == "json")
    return found


def indented_code(page: str) -> list[int]:
    """Return the first lines of the code that is marked by its indentation, also within lists."""
    found: list[int] = []
    items: list[int] = []
    is_text, is_code = False, False
    without = FENCE.sub(lambda match: "```" + "\n```" * match[0].count("\n"), page)
    for number, line in enumerate(without.replace("\t", "    ").splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if not line.strip() or line.startswith("```"):
            is_text, is_code = False, is_code and not line.strip()
            continue
        if not is_text:
            while items and indent < items[-1]:
                items.pop()
            if indent >= 4 + (items[-1] if items else 0):
                found += [] if is_code else [number]
                is_code = True
                continue
        is_code, is_text = False, not re.match(r" *#", line)
        if item := ITEM.match(line):
            while items and indent < items[-1]:
                items.pop()
            items.append(len(item[1]))
    return found


def problem_of(block: Block, printed: str, status: int) -> str | None:
    """Return what is wrong with a block that was run: another output, or a failure where none is shown."""
    if block.output is None:
        return f"status {status}\n{printed}" if status else None
    return json_excerpts.differs(block.output, printed) if block.is_json else differs(block.output, printed)


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
    for name in (*FOLDERS, "manage.py", "Makefile", "pyproject.toml"):
        (folder / name).symlink_to(ROOT / name)
    (folder / ".venv").symlink_to(Path(os.environ.get("VIRTUAL_ENV") or ROOT / ".venv"))
    with contextlib.chdir(folder):
        yield folder


def run_quickly(text: str) -> tuple[str, int]:
    """Run the lines of a block in this process; each is one call of `tercast`.

    Returns:
        What the calls print, standard error included, and the first status that is not 0.
    """
    status = 0
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        for words in command_lines(text):
            if words[0] != TERCAST or {"|", ">", "&", "&&", ";"} & set(words):
                raise ValueError(f"an offline block calls {TERCAST} alone, and not {shlex.join(words)}")
            status = main(words[1:]) or status
    return printed.getvalue(), status


def run_python(text: str, names: dict[str, Any]) -> tuple[str, int]:
    """Run a block of Python in this process, with the names of earlier blocks.

    Returns:
        What it prints, the error included, and 1 after an error.
    """
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            exec(compile(text, "<page>", "exec"), names)
        except Exception:
            traceback.print_exc()
            return printed.getvalue(), 1
    return printed.getvalue(), 0


def command_lines(text: str) -> list[list[str]]:
    """Return the words of each command, comments and empty lines left out."""
    lines = text.replace("\\\n", " ").splitlines()
    found = (shlex.split(line, comments=True) for line in lines)
    return [words for words in found if words]
