"""The check of `make lint` for plain English finds what it lists, in text and not in code."""

import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests.structure.source_tree import ROOT

CHECK = ROOT / "scripts" / "plain_english.py"

CASES = {
    "words.md": ("It stands.\n\nA recieved one.\n", {1: "stands", 3: "recieved"}),
    "phrases.md": ("What it comes\nto is this. It ends At once.\n", {1: "comes to", 2: "At once"}),
    "code.md": ("It is `told at once`.\n\n```sh\nat once\n```\n[x](at once) atonce <b at='once'>\n", {}),
    "indented_code.md": (
        "1. Run it:\n\n   ```sh\n   told <!-- stands -->\n   ```\n\n   It lies.\n",
        {7: "lies"},
    ),
    "lists.md": ("1. A step:\n\n    It is told.\n\n        - It stands.\n", {3: "is told", 5: "stands"}),
    "comments.md": (
        "<!-- It stands. -->\n\nIt is here. <!-- It is\ntold. -->\n\n`<!-- lies -->`\n",
        {1: "stands", 3: "is told", 4: "told"},
    ),
    "spans.md": ("It is `x`.\n\nIt recieved `y`.\n", {3: "recieved"}),
    "spans.py": ('"""Count `x`."""\n\ny = 1  # `x` recieved it\n', {3: "recieved"}),
    "module.py": ('"""Count."""\n\nx = 1  # is told\ny = "It goes on."\n', {3: "is told", 4: "goes on"}),
    "lines.py": ('"""A\nstory\n\ntold me."""\n', {4: "told"}),
    "keys.py": ('"""Count."""\n\ntold = {"told": "stands", "begun": 2}  # of `told`\n', {}),
    "starts.py": (
        f'"""What is."""\n\n\ndef f():\n    """{"Long " * 19}"""\n',
        {1: "'What'", 5: "95 characters"},
    ),
    "text.ts": (
        '// is told\nexport const text = { told: "It lies here", b: `He\n goes on` };\n',
        {1: "is told", 2: "lies", 3: "goes on"},
    ),
    "f_strings.py": ('"""Count."""\n\nx = f"lost {a}, doubled {a}"\ny = f"{told}"\n', {3: "doubled"}),
    "text.tsx": ('export const text = { title: "Doubled" };\n', {1: "Doubled"}),
    "page.html": ("<p class='told'>\nIt {% told %} <b>stands</b>.</p>\n<style>told</style>\n", {2: "stands"}),
    "program.sh": ('# is told\nsay "$told it goes on"\ntold=1\n', {1: "is told", 2: "goes on"}),
    "Makefile": (
        "# It stands.\nrun: told ## lies here\n\t@echo '## /told/' # goes on\n\n## Told\n",
        {1: "stands", 2: "lies", 3: "goes on", 5: "Told"},
    ),
    "unit.service": (
        "; It stands.\n[Unit]\nDescription=Worker that lies\nExecStart=told\n",
        {1: "stands", 3: "lies"},
    ),
    **{
        f"settings{suffix}": (
            "# It stands.\ntold: 'told'  # goes on\nmend=told#stands\n",
            {1: "stands", 2: "goes on"},
        )
        for suffix in (".conf", ".env", ".rules", ".target", ".timer", ".toml", ".yaml", ".yml")
    },
    "tercast-manage": ("#!/bin/sh\n# It stands.\ntold=1\n", {2: "stands"}),
    "entries.md": ("A switch meets an entry. Events meet another entry.\n", {1: "meets an entry"}),
    "ambiguous.py": (
        '"""Count."""\n\nx = "another host than a"\ny = "empty; null: it is"\nz = "null: it is writable"\n',
        {3: "another host than", 4: "null: it is"},
    ),
    "code.tsx": ("const told = stands; const key = 'told'; // `told`\nlet a = 'it';\n", {}),
}


def check(*paths: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, CHECK, *paths], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of one check of a folder with all cases."""
    folder = tmp_path_factory.mktemp("cases")
    for name, (text, _) in CASES.items():
        (folder / name).write_text(text)
    ran = check(folder)
    assert ran.returncode == 1, ran.stderr
    return ran.stdout


@pytest.mark.parametrize("name", CASES)
def test_complaints_name_the_line_and_the_words(checked: str, name: str) -> None:
    found = defaultdict(str)
    for complaint in checked.splitlines():
        if f"/{name}:" in complaint:
            line, message = complaint.split(f"/{name}:")[1].split(": ", 1)
            found[line] += message
    wanted = CASES[name][1]
    assert found.keys() == {str(line) for line in wanted}
    for line, words in wanted.items():
        assert words in found[str(line)]


def test_a_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    ran = check(tmp_path / "missing.md")
    assert ran.returncode == 1
    assert "missing.md: this file does not exist" in ran.stderr
