"""Help links of the dashboard lead to a heading of a page, which the dashboard shows in a drawer."""

import re

from tests.support.docs.page_blocks import ROOT

SOURCES = ROOT / "frontend" / "src"
PLACE = re.compile(r'(?:docs: |to=)"((?:[\w-]+/)*[\w-]+\.md)(?:, ([^"]+))?"')


def test_every_help_link_leads_to_a_heading():
    found, broken = 0, []
    for source in sorted(SOURCES.rglob("*.ts*")):
        for page, heading in PLACE.findall(source.read_text(encoding="utf-8")):
            found += 1
            path = ROOT / "docs" / page
            text = path.read_text(encoding="utf-8") if path.exists() else ""
            titles = {title.replace("`", "") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
            if not text or (heading and heading not in titles):
                broken.append(f"{source.relative_to(SOURCES)}: {page}, {heading}")
    assert broken == [] and found > 30
