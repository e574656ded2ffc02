"""The tutorial and the guides in a shell, command by command, with what they print."""

import re

import pytest

from tests.support.docs.guide_session import Reader, running_platform
from tests.support.docs.page_blocks import PAGES, ROOT, read_blocks, reader_folder

pytestmark = [pytest.mark.fabric, pytest.mark.full]

TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in PAGES}
BLOCKS = {name: [block for block in read_blocks(text) if block.kind] for name, text in TEXTS.items()}
FOLLOWED = [name for name, blocks in BLOCKS.items() if {one.kind for one in blocks} - {"offline"}]


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_reader_sees_what_the_page_shows(name):
    options = re.findall(r"^<!-- platform: (.+) -->$", TEXTS[name], re.MULTILINE)
    with running_platform(8420, *options) as reader:
        for block in BLOCKS[name]:
            reader.type(block)
        reader.finish()


def test_offline_commands_print_the_same_in_a_shell(tmp_path):
    for number, name in enumerate(name for name in PAGES if name not in FOLLOWED):
        folder = tmp_path / str(number)
        folder.mkdir()
        with reader_folder(folder):
            reader = Reader(folder, "127.0.0.1:1")
            try:
                for block in BLOCKS[name]:
                    reader.type(block)
            finally:
                reader.close()


def test_the_tutorial_is_followed():
    assert "docs/tutorial.md" in FOLLOWED
