"""The page of the papers' experiments: verdicts, filters, and the details of a figure."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def figures(page):
    return page.get_by_role("table", name="Figures of the papers")


def test_filters_are_in_the_address_and_a_figure_opens(visit):
    with visit("/experiments?paper=mishra") as watched:
        page = watched.page
        expect(figures(page).get_by_role("button")).to_have_text(["mishra-6.2", "mishra-6.3", "mishra-6.7"])
        figures(page).get_by_role("button", name="mishra-6.2").click()
        details = page.get_by_role("dialog")
        expect(details.get_by_role("table", name="Claims")).to_contain_text("2.5-3 %")
        expect(details.get_by_role("table", name="Parameters")).to_contain_text("dz per filter")
        expect(details).to_contain_text('make figures ARGS="--only mishra-6.2 --again"')
        assert "figure=mishra-6.2" in page.url
        watched.screenshot("experiments-figure", full=False)


def test_a_figure_can_be_read_on_a_phone(visit):
    with visit("/experiments?figure=debs-5k", size="phone") as watched:
        details = watched.page.get_by_role("dialog")
        expect(details.get_by_role("table", name="Parameters")).to_be_visible()
        expect(details.get_by_role("img")).not_to_have_count(0)
        watched.accessible("[role=dialog]")
        watched.screenshot("experiments-figure-phone", full=False)


def test_an_empty_table_shows_the_reason(visit):
    with visit("/experiments?verdict=not+run") as watched:
        page = watched.page
        expect(page.locator("[data-empty]")).to_have_text("No figure matches the filters.")
        page.route("**/api/v1/experiments/", lambda route: route.fulfill(json={"experiments": []}))
        page.goto(watched.base + "/experiments")
        expect(page.locator("[data-empty]")).to_contain_text('make figures ARGS="--update"')
        watched.accessible()
