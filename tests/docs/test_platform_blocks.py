"""The tutorial and the how-to guides on a running platform, command by command, with what they print."""

import re

import pytest

from tests.docs.guide_session import running_platform
from tests.docs.page_blocks import PAGES, ROOT, read_blocks

pytestmark = [pytest.mark.fabric, pytest.mark.full]

BLOCKS = {name: read_blocks((ROOT / name).read_text(encoding="utf-8")) for name in PAGES}
FOLLOWED = [
    name for name, blocks in BLOCKS.items() if {"platform", "listener"} & {one.kind for one in blocks}
]


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_reader_sees_what_the_page_shows(name):
    options = re.findall(
        r"^<!-- platform: (.+) -->$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE
    )
    with running_platform(8420, *options) as reader:
        for block in BLOCKS[name]:
            if block.kind:
                reader.type(block)
        reader.finish()


def test_the_tutorial_is_followed():
    assert "docs/tutorial.md" in FOLLOWED
