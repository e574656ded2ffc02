"""Calls of the command line in a folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from tercast.cli.main import main

Document = dict[str, Any]


class Bench:
    """A directory with files, and the command."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys

    def write(self, name: str, document: Any) -> str:
        file = self.path / name
        file.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return str(file)

    def read(self, name: str) -> Any:
        return json.loads((self.path / name).read_text(encoding="utf-8"))

    def run(self, *arguments: str) -> tuple[int, str, list[str]]:
        status = main(arguments)
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return status, captured.out, captured.err.splitlines()


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)
