"""docs/figures.md and the pictures show the committed results."""

import re

from mininet_labs.figures.drawing import picture
from mininet_labs.figures.page import PAGE, committed, filled
from mininet_labs.figures.results import PICTURES


def test_the_page_shows_the_committed_results() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert filled(text) == text


def test_the_pictures_are_those_of_the_committed_results() -> None:
    for figure, found in committed():
        if found is not None:
            assert (PICTURES / f"{figure.name}.svg").read_text(encoding="utf-8") == picture(found)


def test_links_of_the_page_have_targets() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"\((images/[^)]+)\)", text):
        assert (PAGE.parent / name).is_file(), name


def test_each_claim_that_differs_or_holds_has_its_rule() -> None:
    for figure, found in committed():
        if found is not None:
            assert all(claim["rule"] and claim["text"] for claim in found["claims"]), figure.name
