"""The documentation: plain phrases in the pages that are finished, and links that lead to a heading.

`make lint` checks single words of the same pages with codespell (`scripts/plain-words.txt`).
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.structure.source_tree import ROOT

PAGES = (ROOT / "scripts" / "plain-pages.txt").read_text(encoding="utf-8").split()
"""The pages that are written in plain English; a page that has been rewritten is added to the file."""

PHRASES = {
    r"(?:come|comes|came) to (?!the platform)": "equals, results in",
    r"so that (?:it|he|nobody|no one) (?:is|are|was)": "name the subject: so that the table is ...",
    r"at once": "immediately, or: together",
    r"(?:by|of) (?:itself|themselves)": "automatically, or: alone",
    r"on the way (?:there|to it)": "on the path",
    r"the way (?:there|back)": "the path, how to revert",
    r"(?:is|are|was|were|be|been) told": "is notified, is reported, is shown",
    r"for who": "for those who, for clients that",
    r"(?:is|are|was|were) about(?! (?:\d|half|one|two|ten))": "concerns, describes",
    r"what (?:lacks|stands|lies|holds good)": "name it: missing features, active alarms",
    r"as long as it (?:was|is) promised": "until it expires",
    r"let it be": "set it to",
    r"of no matter": "is ignored",
    r"one after the other": "one at a time, in order",
    r"(?:has|have) nothing to say": "reports no problem",
    r"take(?:s|n)? (?:it|them|this) in": "accept, add, import",
    r"good for": "valid for, permits",
    r"there and back": "a change and its reversal",
    r"goes on": "continues",
    r"go on": "continue",
    r"meet(?:s)? (?:an|the|no|another) entr": "match an entry",
    r"stand(?:s|ing)? (?:in|at|for|by|still)": "is in, represents, is available",
}
"""By regular expression, which applies to whole words in any case: what to write instead."""

BLOCK = re.compile(r"^ *```.*?^ *```$|^ {4}.*?$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`[^`\n]*`|\]\([^)]*\)|<[^>]*>")
HEADING = re.compile(r"^#+ (.+)$|<a id=\"([^\"]+)\">", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]*)\)")


def prose(text: str) -> str:
    """A page without code, addresses of links and HTML; lines keep their numbers."""
    text = BLOCK.sub(lambda found: "\n" * found[0].count("\n"), text)
    return SPAN.sub("\0", text)


def phrases(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the words and the replacement of every phrase that plain text does not have."""
    plain = prose(text)
    for pattern, better in PHRASES.items():
        words = pattern.replace(" ", r"\s+")
        for found in re.finditer(rf"\b{words}\b", plain, re.IGNORECASE):
            yield plain.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), better


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them, and those that the page sets."""
    found = set()
    for heading, name in HEADING.findall(BLOCK.sub("", text)):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower())
        found.add(name or words.replace(" ", "-"))
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What it comes\nto is this.", [(1, "comes to", "equals, results in")]),
        ("a\n\nIt ends At once.", [(3, "At once", "immediately, or: together")]),
        ("It is `told at once`.\n\n    at once\n\n```sh\nat once\n```\n[x](at once) atonce", []),
    ],
)
def test_phrases_are_found_in_prose_and_not_in_code(text: str, found: list[tuple[int, str, str]]) -> None:
    assert list(phrases(text)) == found


@pytest.mark.parametrize("page", PAGES)
def test_finished_pages_have_plain_phrases(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    complaints = [
        f"{page}:{line}: {words!r}: write {better}" for line, words, better in sorted(phrases(text))
    ]
    assert not complaints, "\n".join(complaints)


def test_the_list_of_finished_pages_names_each_once() -> None:
    assert len(set(PAGES)) == len(PAGES) > 8


def documentation() -> list[Path]:
    """README, the page of the examples, and the pages below `docs/`."""
    return [ROOT / "README.md", ROOT / "examples" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def test_links_of_the_documentation_lead_to_a_heading() -> None:
    broken = []
    for page in documentation():
        text = page.read_text(encoding="utf-8")
        for target in LINK.findall(re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))):
            path, _, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target):
                continue
            place = (page.parent / path).resolve() if path else page
            if not place.exists():
                broken.append(f"{page.relative_to(ROOT)}: there is no file for the link {target}")
            elif (
                anchor and place.suffix == ".md" and anchor not in anchors(place.read_text(encoding="utf-8"))
            ):
                broken.append(f"{page.relative_to(ROOT)}: there is no heading for the link {target}")
    assert not broken, "\n".join(broken)
