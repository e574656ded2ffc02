"""The pages in a shell, command by command, with what they print."""

import re

import pytest

from tests.support.docs.guide_session import reading, running_platform
from tests.support.docs.page_blocks import KINDS, PAGES, read_blocks, read_page

pytestmark = [pytest.mark.fabric, pytest.mark.full]

TEXTS = {name: read_page(name) for name in PAGES}
BLOCKS = {name: [one for one in read_blocks(text) if one.kind in KINDS] for name, text in TEXTS.items()}
FOLLOWED = [name for name, blocks in BLOCKS.items() if "platform" in {one.kind for one in blocks}]
ALONE = [name for name, blocks in BLOCKS.items() if blocks and name not in FOLLOWED]
"""Pages whose commands need no platform."""


def follow(name, reader):
    for command in re.findall(r"^<!-- before: (.+) -->$", TEXTS[name], re.MULTILINE):
        printed, status = reader.run(reader.with_addresses(command))
        assert status == 0, printed
    for block in BLOCKS[name]:
        reader.type(block)
    reader.finish()


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_reader_sees_what_the_page_shows(name):
    options = re.findall(r"^<!-- platform: (.+) -->$", TEXTS[name], re.MULTILINE)
    with running_platform(8420, *options) as reader:
        follow(name, reader)


@pytest.mark.parametrize("name", ALONE)
def test_commands_without_a_platform_print_the_same_in_a_shell(name, tmp_path):
    with reading(tmp_path) as reader:
        follow(name, reader)


def test_the_tutorial_is_followed():
    assert "docs/tutorial.md" in FOLLOWED and "README.md" in ALONE
