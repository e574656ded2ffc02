"""Commands in the documentation that need no platform, run as a reader types them, page by page."""

from dataclasses import replace

import pytest

from tests.support.docs.page_blocks import (
    KINDS,
    PAGES,
    ROOT,
    Block,
    differs,
    problem_of,
    read_blocks,
    reader_folder,
    run_quickly,
)


def blocks_of(name):
    return read_blocks((ROOT / name).read_text(encoding="utf-8"))


OFFLINE = [name for name in PAGES if any(block.kind == "offline" for block in blocks_of(name))]


@pytest.mark.parametrize("name", OFFLINE)
def test_offline_commands_print_what_the_page_shows(name, tmp_path):
    with reader_folder(tmp_path):
        for block in blocks_of(name):
            if block.kind == "offline":
                problem = problem_of(block, *run_quickly(block.text))
                assert problem is None, f"{name}:{block.line}: {problem}"


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_commands_is_run_or_gives_the_reason(name):
    blocks = blocks_of(name)
    assert {block.kind for block in blocks} <= {"", *KINDS}
    silent = [block.line for block in blocks if not block.kind and block.reason is None]
    assert silent == [], f"{name}: mark these lines `sh offline` or `sh platform`, or say why not"
    assert [block.line for block in blocks if block.kind and block.reason] == []


def test_the_pages_have_offline_commands():
    assert {"README.md", "examples/README.md"} <= {*OFFLINE}


def test_a_block_knows_its_kind_its_output_and_its_reason():
    page = (
        "# A\n1. x\n\n   ```sh offline\n   a\n     b\n   ```\n\nPrints:\n\n```text output\nc\n```\n"
        "<!-- not run: no switch here -->\n```sh\nd\n```\n```json\n{}\n```\n"
    )
    first, second = read_blocks(page)
    assert (first.line, first.kind, first.text, first.output) == (4, "offline", "a\n  b\n", "c\n")
    assert (second.kind, second.reason, second.output) == ("", "no switch here", None)


@pytest.mark.parametrize(
    ("shown", "printed", "agrees"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\n", False),
        ("a ... c\n", "a b b c\n", True),
        ("a ... c\n", "a b\nc\n", False),
        ("a\n...\nd\n", "a\nb\nc\nd\n", True),
        ("a\n...\nd\n", "a\nd\n", True),
        ("...\nd\n", "a\nd\ne\n", False),
        ("1.5\n", "1x5\n", False),
    ],
)
def test_dots_stand_for_text_that_may_differ(shown, printed, agrees):
    assert (differs(shown, printed) is None) == agrees


def test_an_output_without_commands_is_refused():
    with pytest.raises(ValueError, match="line 1"):
        read_blocks("```text output\na\n```\n")


def test_an_offline_block_calls_nothing_else():
    with pytest.raises(ValueError, match="an offline block calls"):
        run_quickly("rm -r x\n")


def test_a_failure_is_a_problem_where_no_output_is_shown():
    block = Block(1, "offline", "a\n")
    assert problem_of(block, "", 0) is None and "status 2" in problem_of(block, "", 2)
    assert problem_of(replace(block, output="x\n"), "x\n", 2) is None
