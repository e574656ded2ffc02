"""Every block of the documentation is run, parsed, or says why not."""

import json
import re

import pytest
import yaml

from tests.support.docs import json_excerpts
from tests.support.docs.page_blocks import (
    DEPLOYED,
    KINDS,
    LANGUAGES,
    OUTPUTS,
    PAGES,
    indented_code,
    read_blocks,
    read_fences,
    read_page,
)

SHOWN_ONLY = {"text", "ts"}
COMMAND = re.compile(r" *(?:\$ |sudo |curl |make |\.venv/bin/|scripts/|manage\.py )")


@pytest.mark.parametrize("name", PAGES)
def test_every_block_of_commands_is_run_or_gives_the_reason(name):
    blocks = read_blocks(read_page(name))
    assert {block.kind for block in blocks} <= {"", *KINDS, *(DEPLOYED if name == "docs/deploy.md" else ())}
    silent = [block.line for block in blocks if not block.kind and block.reason is None]
    assert silent == [], f"{name}: mark these lines `offline`, `full` or `platform`, or say why not"
    assert [block.line for block in blocks if block.kind and block.reason] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_code_is_marked_by_its_indentation(name):
    assert indented_code(read_page(name)) == [], f"{name}: put ``` and a language around these lines"


@pytest.mark.parametrize("name", PAGES)
def test_every_block_has_a_language_that_a_test_knows(name):
    for fence in read_fences(read_page(name)):
        language, _, more = fence.info.partition(" ")
        if language == "json" and not more:
            json.loads(fence.text)
        elif fence.info in {"json excerpt", "json output"}:
            json_excerpts.read_excerpt(fence.text)
        elif fence.info == "yaml":
            yaml.safe_load(fence.text)
        else:
            known = language in LANGUAGES or fence.info in {*OUTPUTS, *SHOWN_ONLY}
            assert known, f"{name}:{fence.line}: no test knows ```{fence.info}"


@pytest.mark.parametrize("name", PAGES)
def test_blocks_of_text_contain_no_commands(name):
    texts = [fence for fence in read_fences(read_page(name)) if fence.info == "text"]
    found = [fence.line for fence in texts for line in fence.text.splitlines() if COMMAND.match(line)]
    assert found == [], f"{name}: mark these blocks `sh`"


@pytest.mark.parametrize(
    ("page", "lines"),
    [
        ("a\n\n    b\n    c\n\n    d\n", [3]),
        ("a\n    b\n", []),
        ("# a\n    b\n", [2]),
        ("- a\n\n    b\n", []),
        ("- a\n\n      b\n", [3]),
        ("1. a\n   - b\n\n         c\n\n   d\n\n       e\n", [4, 8]),
        ("1. x\n\n   ```sh\n       y\n   ```\n\n       z\n", [7]),
        ("- a\n\nb\n\n    c\n", [5]),
        ("a\n\n\tb\n", [3]),
    ],
)
def test_code_is_found_by_its_indentation(page, lines):
    assert indented_code(page) == lines


@pytest.mark.parametrize(
    ("shown", "printed", "place"),
    [
        ('{"a": 1, ...}', '{"a": 1, "b": 2}', None),
        ("{...}", '{"b": 2}', None),
        ('{"a": 1}', '{"a": 1, "b": 2}', "$, which also has b"),
        ('{"a": 1, ...}', '{"a": 2, "b": 2}', "$.a"),
        ('{"a": 1, ...}', "{}", "$.a"),
        ('{"a": ..., "b": [1, ...]}', '{"a": {"c": 1}, "b": [1, 2, 3]}', None),
        ('{"b": [1, {"c": "x", ...}]}', '{"b": [1, {"c": "y"}]}', "$.b[1].c"),
        ("[1]", "[1, 2]", "$, which has 2 values"),
        ('"a...d"', '"abcd"', None),
        ('"a...d"', '"abcde"', "$"),
        ("1", "1.0", "$"),
        ("1", "true", "$"),
    ],
)
def test_dots_in_json_stand_for_values_that_may_differ(shown, printed, place):
    assert json_excerpts.first_difference(json_excerpts.read_excerpt(shown), json.loads(printed)) == place
    assert (json_excerpts.differs(shown, printed) is None) == (place is None)


def test_an_excerpt_is_json_apart_from_its_dots():
    with pytest.raises(ValueError, match="line 1"):
        json_excerpts.read_excerpt('{"a", ...}')
    assert "no JSON" in json_excerpts.differs("{...}", "curl: (7) failed")
