"""Topics in the browser: their event space, and what they index."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light")])
def test_the_event_space_is_a_picture_and_a_table_of_two_attributes(visit, size, scheme):
    with visit("/topics/quotes?x=close&y=symbol", size=size, scheme=scheme) as watched:
        page = watched.page
        expect(page.get_by_role("img", name="Event space of quotes over close and symbol")).to_be_visible()
        watched.accessible()
        watched.screenshot(f"topic-{size}")
        page.get_by_text("dz of subscriptions").click()
        expect(page).to_have_url(re.compile("subscription-cells"))
        page.get_by_text("Table", exact=True).click()
        table = page.get_by_role("table", name="subscriptions in the event space")
        expect(table).to_contain_text("archive")
        expect(table).to_contain_text("every event")
        expect(
            page.get_by_role("table", name="Recent events in the event space").locator("tr")
        ).not_to_have_count(1)
        page.reload()
        expect(table).to_contain_text("archive")
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"the page scrolls sideways by {width}"


def test_what_is_indexed_is_changed_after_its_cost_was_told(visit, running):
    topic = running.call("GET", "topics/?name=quotes").json()["results"][0]
    with visit("/topics/quotes?dialog=indexed", user="otto") as watched:
        page = watched.page
        dialog = page.get_by_role("dialog", name="What quotes indexes")
        dialog.get_by_label("volume").click()
        expect(dialog.locator("[data-cost-entries]")).to_be_visible(timeout=60_000)
        watched.accessible("[role=dialog]")
        watched.screenshot("topic-indexed")
        dialog.get_by_role("button", name="Change it").click()
        expect(dialog.locator("[data-request=active]")).to_be_visible(timeout=120_000)
    running.call("PATCH", f"topics/{topic['id']}/", {"indexed": topic["indexed"]}, wait=30)


def test_who_only_reads_sees_no_way_to_change(visit):
    with visit("/topics?new=topic", user="vera") as watched:
        page = watched.page
        expect(page.get_by_role("table", name="Topics")).to_contain_text("quotes")
        expect(page.get_by_role("button", name="New topic")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.goto(watched.base + "/topics/quotes?dialog=delete")
        watched.until_live()
        expect(page.get_by_role("button", name="Delete")).to_have_count(0)
