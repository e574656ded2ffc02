"""The documentation: links that lead to a heading."""

import re
from pathlib import Path

from tests.structure.source_tree import ROOT

BLOCK = re.compile(r"^ *```.*?^ *```$|^ {4}.*?$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$|<a id=\"([^\"]+)\">", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]*)\)")


def anchors(text: str) -> set[str]:
    """The anchors of the headings of a page, as GitHub makes them, and those that the page sets."""
    found = set()
    for heading, name in HEADING.findall(BLOCK.sub("", text)):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower())
        found.add(name or words.replace(" ", "-"))
    return found


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
