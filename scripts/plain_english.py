"""Check that text is plain English: spelling, words, phrases and first lines of docstrings.

    scripts/plain_english.py [PATH...]

A path is a file or a folder. Without a path, the check reads the files and folders in `plain-pages.txt`.
In Markdown it reads the prose and HTML comments. In Python, TypeScript and shell scripts it reads comments
and strings of several words. In a Makefile and in configuration it reads comments and descriptions of units.
codespell checks the words with its own dictionary and with `plain-words.txt`.
`plain-phrases.txt` lists phrases.
"""

import ast
import io
import re
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
CATALOGUES = ("text.ts", "text.tsx")
SKIPPED = ("node_modules", "migrations", "schema.gen.ts", "static")

BLOCK = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`|\]\([^)]*\)|<[^>\n]*>")
MARK = "\N{BULLET}"
"""Replacement of a span. A NUL would make codespell skip the file as binary."""

SEVERAL_WORDS = re.compile(r"[^\W\d_]{2}[^\W\d_,:;.]*[,:;.]?\s+[^\W\d_]")
TYPESCRIPT = re.compile(
    r"""(?P<comment>/\*.*?\*/|(?<!:)//[^\n]*)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`""",
    re.DOTALL,
)
MARKUP = re.compile(
    r"<style.*?</style>|<script.*?</script>|<!--.*?-->|<[^>]*>|\{[%{#].*?[%}#]\}|&\w+;", re.DOTALL
)
SHELL = re.compile(r"""(?P<comment>(?:^|(?<=\s))#[^\n]*)|"(?:[^"\\]|\\.)*"|'[^']*'""", re.MULTILINE)
CONFIGURATION = re.compile(
    r"(?P<comment>^[#;][^\n]*|(?<=\s)##? \w[^\n]*|(?<=^Description=)[^\n]*)", re.MULTILINE
)
VARIABLE = re.compile(r"\$\(.*?\)|\$\{[^}]*\}|\$\w+")
BAD_START = re.compile(r"(?:What|Who|How|Where|When|That|Those|The same|So|As|Such|It|They|This) ")
"""First words of a docstring that depends on another sentence or hides its subject."""

LONGEST_FIRST_LINE = 90

KNOWN_WORDS = ("brite", "clos", "fpr", "sybol")
"""Words that codespell takes for misspelled: names, and deliberate mistakes in tests."""


class Complaint(NamedTuple):
    """A place in a file, and what to change there."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def blank(text: str) -> str:
    """Replace each character by a blank and keep the ends of lines."""
    return re.sub(r"[^\n]", " ", text)


def markdown_prose(text: str) -> str:
    """Remove code, addresses of links and tags from a page; lines keep their numbers.

    Only fenced blocks are code: an indented line can belong to an item of a list. Comments are text.
    """
    text = BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text)
    return SPAN.sub(MARK, text.replace("<!--", " ").replace("-->", " "))


def python_prose(text: str) -> str:
    """Extract docstrings, comments and strings of several words; lines keep their numbers."""
    lines = [""] * (text.count("\n") + 2)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"# ?(?:noqa|type:|fmt:|pragma)", token.string):
            lines[token.start[0]] += f" {token.string}"
    for number, string in python_strings(ast.parse(text)):
        if SEVERAL_WORDS.search(string.replace(MARK, "x")):
            for offset, line in enumerate(SPAN.sub(MARK, string).split("\n")):
                lines[min(number + offset, len(lines) - 1)] += f" {line.strip()}"
    return "\n".join(SPAN.sub(MARK, line) for line in lines[1:])


def python_strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the strings of a module with their lines; a mark replaces each value of an f-string."""
    parts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in node.values}
            texts = [part.value if isinstance(part, ast.Constant) else MARK for part in node.values]
            yield node.lineno, "".join(texts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            yield node.lineno, node.value


def typescript_prose(text: str, catalogue: bool = False) -> str:
    """Extract comments and strings of several words; lines keep their numbers.

    Each string of a catalogue is a text, even if it is one word.
    """
    return extracted(text, TYPESCRIPT, lambda comment: SPAN.sub(blank_match, comment), str, catalogue)


def extracted(
    text: str,
    pattern: re.Pattern[str],
    comment: Callable[[str], str],
    string: Callable[[str], str],
    every: bool = False,
) -> str:
    """Extract comments, and strings of several words or `every` string; blank the rest."""
    found, end = [], 0
    for match in pattern.finditer(text):
        found.append(blank(text[end : match.start()]))
        if match["comment"]:
            found.append(comment(match[0]))
        else:
            is_text = every or SEVERAL_WORDS.search(match[0])
            found.append(string(match[0]) if is_text else blank(match[0]))
        end = match.end()
    return "".join(found) + blank(text[end:])


def blank_match(found: re.Match[str]) -> str:
    """Replace what was found by blanks."""
    return blank(found[0])


def html_prose(text: str) -> str:
    """Remove tags, styles and template code from a page; lines keep their numbers."""
    return MARKUP.sub(blank_match, text)


def shell_prose(text: str) -> str:
    """Extract comments and strings of several words; lines keep their numbers."""

    def marked(part: str) -> str:
        return VARIABLE.sub(MARK, SPAN.sub(MARK, part))

    return extracted(text, SHELL, marked, marked)


def configuration_prose(text: str) -> str:
    """Extract comments, help texts and descriptions of units; lines keep their numbers."""
    return extracted(text, CONFIGURATION, lambda comment: SPAN.sub(MARK, comment), str)


PROSE = {
    ".md": markdown_prose,
    ".py": python_prose,
    ".ts": typescript_prose,
    ".tsx": typescript_prose,
    ".html": html_prose,
    ".sh": shell_prose,
    "Makefile": configuration_prose,
    "tercast-manage": shell_prose,
    **dict.fromkeys(
        (".conf", ".env", ".rules", ".service", ".target", ".timer", ".toml", ".yaml", ".yml"),
        configuration_prose,
    ),
}
"""Readers of prose by the suffix of a file, or by its name if it has none."""


def prose_of(path: Path, text: str) -> str:
    """Extract the prose of a file; its lines keep their numbers."""
    if path.name in CATALOGUES:
        return typescript_prose(text, catalogue=True)
    return PROSE[path.suffix or path.name](text)


def phrases_from(path: Path = HERE / "plain-phrases.txt") -> Mapping[str, str]:
    """Read the phrases that plain text does not have, and the replacement of each."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split("->", 1) for line in lines if line and not line.startswith("#"))


def phrases(prose: str, listed: Mapping[str, str]) -> Iterator[tuple[int, str, str]]:
    """Find the line, the words and the replacement of every listed phrase."""
    for pattern, better in listed.items():
        words = pattern.replace(" ", r"\s+")
        for found in re.finditer(rf"\b{words}\b", prose, re.IGNORECASE):
            yield prose.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), better


def first_lines(text: str) -> Iterator[tuple[int, str]]:
    """Find the docstrings of a Python module with a long or a dependent first line."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not (docstring := ast.get_docstring(node)):
            continue
        line, first = node.body[0].lineno, docstring.split("\n", 1)[0]
        if len(first) > LONGEST_FIRST_LINE:
            rule = f"at most {LONGEST_FIRST_LINE} are allowed"
            yield line, f"the first line of the docstring has {len(first)} characters, {rule}"
        if BAD_START.match(first):
            yield line, f"start the docstring with a verb or a noun, not with {first.split()[0]!r}"


def files(paths: Sequence[str]) -> Iterator[Path]:
    """Find the files to check: the named ones, and those below the named folders."""
    for path in map(Path, paths):
        if not path.exists():
            sys.exit(f"{path}: this file does not exist; correct the path, or {HERE.name}/plain-pages.txt")
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (
            one for one in found if (one.suffix or one.name) in PROSE and not set(SKIPPED) & set(one.parts)
        )


def spelling(prose: Mapping[Path, str]) -> Iterator[Complaint]:
    """Run codespell on the prose of all files."""
    with tempfile.TemporaryDirectory() as folder:
        names = {str(number): path for number, path in enumerate(prose)}
        for name, path in names.items():
            (Path(folder) / name).write_text(prose[path], encoding="utf-8")
        command = ["-D", HERE / "plain-words.txt", "-D", "-", "-q", "3", "-L", ",".join(KNOWN_WORDS), *names]
        ran = subprocess.run(
            [sys.executable, "-m", "codespell_lib", *command],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if ran.stderr:
            sys.exit(ran.stderr)
        for line in ran.stdout.splitlines():
            name, number, message = line.removeprefix("./").split(":", 2)
            yield Complaint(names[name], int(number), f"{message.strip().replace('==>', ': write')}")


def complaints(paths: Sequence[str]) -> list[Complaint]:
    """Check files and folders.

    Returns:
        What to change, sorted by file and line.
    """
    listed, prose, found = phrases_from(), {}, []
    for path in files(paths):
        text = path.read_text(encoding="utf-8")
        prose[path] = prose_of(path, text)
        found += [
            Complaint(path, line, f"{words!r}: write {better}")
            for line, words, better in phrases(prose[path], listed)
        ]
        if path.suffix == ".py" and "tests" not in path.parts:
            found += [Complaint(path, *one) for one in first_lines(text)]
    return sorted([*found, *spelling(prose)])


def main() -> int:
    """Print what is not plain English; the exit status is 1 if there is anything."""
    paths = sys.argv[1:] or (HERE / "plain-pages.txt").read_text(encoding="utf-8").split()
    found = complaints(paths)
    for complaint in found:
        print(complaint)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
