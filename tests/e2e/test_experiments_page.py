"""The page of the papers' experiments: verdicts, filters, and the details of a figure."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def test_filters_are_in_the_address_and_a_figure_opens(visit):
    with visit("/experiments?paper=mishra") as watched:
        page = watched.page
        table = page.get_by_role("table", name="Figures of the papers")
        expect(table.get_by_role("button")).to_have_text(["mishra-6.2", "mishra-6.3", "mishra-6.7"])
        table.get_by_role("button", name="mishra-6.2").click()
        details = page.get_by_role("dialog")
        expect(details.get_by_role("table", name="Claims")).to_contain_text("2.5-3 %")
        expect(details.get_by_role("table", name="Parameters")).to_contain_text("dz per filter")
        expect(details).to_contain_text('make figures ARGS="--only mishra-6.2 --again"')
        assert "figure=mishra-6.2" in page.url
        watched.screenshot("experiments-figure")
