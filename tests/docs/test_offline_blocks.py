"""Commands in the documentation that need no platform, run as a reader types them, page by page."""

from dataclasses import replace

import pytest

from tests.support.docs.page_blocks import (
    PAGES,
    Block,
    differs,
    problem_of,
    read_blocks,
    read_page,
    reader_folder,
    run_python,
    run_quickly,
)


def offline_blocks(name):
    return [block for block in read_blocks(read_page(name)) if block.kind == "offline"]


OFFLINE = [name for name in PAGES if offline_blocks(name)]


@pytest.mark.parametrize("name", OFFLINE)
def test_offline_commands_print_what_the_page_shows(name, tmp_path):
    names = {}
    with reader_folder(tmp_path):
        for block in offline_blocks(name):
            is_python = block.language == "python"
            ran = run_python(block.text, names) if is_python else run_quickly(block.text)
            problem = problem_of(block, *ran)
            assert problem is None, f"{name}:{block.line}: {problem}"


def test_the_pages_have_offline_commands():
    assert {"README.md", "examples/README.md"} <= {*OFFLINE}


def test_a_block_knows_its_kind_its_output_and_its_reason():
    page = (
        "# A\n1. x\n\n   ```sh offline\n   a\n     b\n   ```\n\nPrints:\n\n```text output\nc\n```\n"
        "<!-- not run: no switch here -->\n```sh\nd\n```\n```json\n{}\n```\n"
        "```python offline\ne\n```\n```json output\n[1, ...]\n```\n"
    )
    first, second, third = read_blocks(page)
    assert (third.language, third.output, third.is_json) == ("python", "[1, ...]\n", True)
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


def test_an_earlier_failure_of_an_offline_block_counts(tmp_path):
    calls = "".join(
        f".venv/bin/tercast encode examples/{name}\n" for name in ("events.jsonl", "scenario.json")
    )
    with reader_folder(tmp_path):
        assert run_quickly(calls)[1] == 2


def test_blocks_of_python_share_names_and_fail_with_their_error():
    names = {}
    assert run_python("x = 2\n", names) == ("", 0)
    assert run_python("print(x)\n", names) == ("2\n", 0)
    printed, status = run_python("print(1)\ny\n", names)
    assert status == 1 and printed.startswith("1\n") and "NameError" in printed


def test_a_failure_is_a_problem_where_no_output_is_shown():
    block = Block(1, "offline", "a\n")
    assert problem_of(block, "", 0) is None and "status 2" in problem_of(block, "", 2)
    assert problem_of(replace(block, output="x\n"), "x\n", 2) is None
