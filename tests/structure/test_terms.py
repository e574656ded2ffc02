"""Terms: the glossary defines each one once, and `site` has one meaning in the code."""

import ast
import re

from tests.structure.source_tree import ROOT, modules

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line[1:-1].split("|")]
    for line in GLOSSARY.splitlines()
    if line.startswith("| ") and not line.startswith(("| term ", "| ---"))
]
LINK = re.compile(r"\[([^\]]*)\]\(#([a-z-]+)\)")


def test_the_glossary_defines_each_term_once() -> None:
    terms = [term.strip("`") for row in ROWS for term in LINK.sub(r"\1", row[0]).lower().split(", ")]
    assert len(terms) > 100
    assert sorted(terms) == sorted(set(terms))


def test_a_term_has_a_row_with_its_meaning_or_a_section() -> None:
    """A section's term has no meaning in its row, so the two cannot differ."""
    sections = {
        title.lower().replace(" ", "-") for title in re.findall(r"^### (.+)$", GLOSSARY, re.MULTILINE)
    }
    linked = [name for row in ROWS for _, name in LINK.findall(row[0])]
    assert sorted(linked) == sorted(sections)
    for row in ROWS:
        assert bool(row[1]) != bool(LINK.search(row[0])), row[0]


def test_a_site_is_a_switch_of_the_planner() -> None:
    other = [
        f"{one.path}:{node.lineno}: {node.arg}: {ast.unparse(node.annotation)}"
        for one in modules()
        for node in ast.walk(one.tree)
        if isinstance(node, ast.arg)
        and node.arg.strip("_") in ("site", "sites")
        and node.annotation is not None
        and "SwitchPorts" not in ast.unparse(node.annotation)
    ]
    assert not other
