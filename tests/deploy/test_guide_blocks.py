"""docs/deploy.md has the blocks that its test runs, and the replacement of systemd knows every unit."""

import re
from pathlib import Path

import pytest

from tests.support.deploy import systemd_stand_in
from tests.support.deploy.guide_machine import read_blocks

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
UNITS = sorted((ROOT / "deploy" / "systemd").iterdir())
TEST = (ROOT / "tests" / "deploy" / "test_guide.py").read_text(encoding="utf-8")


def test_every_marked_block_is_in_a_section_that_the_test_follows():
    sections = [block.section for block in read_blocks(PAGE)]
    assert len(sections) == PAGE.count("```sh run") > 10
    assert set(sections) == set(re.findall(r'follow\(\w+, "([^"]+)"\)', TEST))


def test_blocks_lose_the_indentation_of_their_list():
    page = (
        "## A\n1. x\n\n   ```sh run online\n   a\n     b\n   ```\n## B\n```sh run\nc\n```\n```sh\nno\n```\n"
    )
    found = [(block.section, block.online, block.text) for block in read_blocks(page)]
    assert found == [("A", True, "a\n  b\n"), ("B", False, "c\n")]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_the_stand_in_knows_every_line_of_the_units(path, monkeypatch):
    monkeypatch.setattr(systemd_stand_in, "UNITS", path.parent)
    unit = systemd_stand_in.Unit(path.name.replace("@.", "@7."))
    commands = unit.values.get("ExecStart", [])
    words = [
        systemd_stand_in.command_words(line, {"TERCAST_SPARK_MASTER": "spark://h:1"}) for line in commands
    ]
    assert all(Path(command[0]).is_absolute() for command in words)
    if path.suffix == ".service":
        assert len(words) == 1
    if path.name == "tercast-worker@.service":
        assert "worker-7@%h" in words[0]
    if path.name == "tercast-spark-worker.service":
        assert words[0][-1] == "spark://h:1"
    if path.name == "tercast-backup.service":
        assert words[0][-1].endswith("tercast-$(date +%F).zip --overwrite")


def test_a_line_that_the_stand_in_does_not_know_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(systemd_stand_in, "UNITS", tmp_path)
    (tmp_path / "a.service").write_text("[Service]\nExecStart=/bin/true\nDynamicUser=yes\n")
    with pytest.raises(SystemExit, match="does not know DynamicUser="):
        systemd_stand_in.Unit("a")
