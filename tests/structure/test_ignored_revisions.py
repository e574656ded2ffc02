"""The commits that `git blame` skips exist."""

import re
import shutil
import subprocess

import pytest

from tests.structure.source_tree import ROOT

LINES = (ROOT / ".git-blame-ignore-revs").read_text(encoding="utf-8").splitlines()
REVISIONS = [line for line in LINES if line and not line.startswith("#")]


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_each_line_is_a_full_revision_or_a_comment() -> None:
    assert REVISIONS
    assert not [line for line in REVISIONS if not re.fullmatch("[0-9a-f]{40}", line)]
    assert sorted(REVISIONS) == sorted(set(REVISIONS))


@pytest.mark.skipif(
    shutil.which("git") is None or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false",
    reason="needs the history",
)
def test_each_revision_is_in_the_history() -> None:
    for revision in REVISIONS:
        assert git("merge-base", "--is-ancestor", revision, "HEAD").returncode == 0, revision
