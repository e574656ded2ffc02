"""Topics in the browser: created with errors at their fields, displayed, changed and deleted."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def fill_attribute(page, number, name, type_=None, **fields):
    group = page.get_by_role("group", name=f"Attribute {number}", exact=True)
    group.get_by_label("Attribute name").fill(name)
    if type_ is not None:
        group.get_by_role("combobox", name="Type").or_(group.get_by_role("textbox", name="Type")).click()
        page.get_by_role("option", name=type_, exact=True).click()
    for label, value in fields.items():
        group.get_by_label(label, exact=True).fill(value)


def test_a_topic_is_made_with_errors_at_their_fields_and_deleted(visit, running):
    with visit("/topics?new=topic", user="otto", scheme="dark") as watched:
        page = watched.page
        watched.allow(r"/api/v1/topics/")
        dialog = page.get_by_role("dialog", name="Create topic")
        dialog.get_by_role("textbox", name=re.compile("^Name")).fill("e2e-weather")
        fill_attribute(page, 1, "temp", "float", Minimum="60", Maximum="-20")
        dialog.get_by_role("button", name="Add attribute").click()
        fill_attribute(page, 2, "sky", "enum", Values="clear\nclear")
        dialog.get_by_role("button", name="Create topic").click()
        expect(dialog.get_by_role("alert")).to_contain_text("Correct the marked fields")
        first, second = (page.get_by_role("group", name=f"Attribute {n}", exact=True) for n in (1, 2))
        expect(first).to_contain_text("60")
        expect(second).to_contain_text("clear")
        watched.accessible("[role=dialog]")
        watched.screenshot("topics-new-dark")
        fill_attribute(page, 1, "temp", Minimum="-20", Maximum="60")
        fill_attribute(page, 2, "sky", Values="clear\ncloudy")
        dialog.get_by_role("button", name="Create topic").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("e2e-weather")
        expect(page.get_by_role("table", name="Attributes")).to_contain_text("float -20 … 60")
        expect(page.locator("[data-empty]")).to_contain_text("no advertisements and no subscriptions yet")
        page.get_by_role("button", name="Remove").click()
        dialog = page.get_by_role("dialog", name="Remove topic e2e-weather?")
        expect(dialog).to_contain_text("no publisher or subscriber is affected")
        watched.accessible("[role=dialog]")
        dialog.get_by_role("button", name="Remove topic").click()
        page.wait_for_url(watched.base + "/topics")
        expect(page.get_by_role("table", name="Topics")).not_to_contain_text("e2e-weather")


@pytest.mark.parametrize(
    ("size", "scheme"), [pytest.param("desktop", "light", marks=pytest.mark.full), ("phone", "dark")]
)
def test_the_event_space_is_a_picture_and_a_table_of_two_attributes(visit, size, scheme):
    with visit("/topics/quotes?x=close&y=symbol", size=size, scheme=scheme) as watched:
        page = watched.page
        expect(page.get_by_role("img", name="Event space of quotes over close and symbol")).to_be_visible()
        watched.accessible()
        watched.screenshot(f"topic-{size}")
        page.get_by_text("Cells of subscriptions").click()
        expect(page).to_have_url(re.compile("subscription-cells"))
        page.get_by_text("Table", exact=True).click()
        table = page.get_by_role("table", name="Subscriptions in the event space")
        expect(table).to_contain_text("archive")
        expect(table).to_contain_text("every event")
        cells = page.get_by_role("table", name="Event space: Cells of subscriptions")
        expect(cells.locator("tbody tr").first).to_contain_text("close")
        expect(
            page.get_by_role("table", name="Recent events in the event space").locator("tr")
        ).not_to_have_count(1)
        page.reload()
        expect(table).to_contain_text("archive")
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"the page scrolls sideways by {width}"


def test_indexed_attributes_are_changed_after_the_cost_is_shown(visit, running):
    topic = running.call("GET", "topics/?name=quotes").json()["results"][0]
    with visit("/topics/quotes?dialog=indexed", user="otto") as watched:
        page = watched.page
        dialog = page.get_by_role("dialog", name="Indexed attributes of quotes")
        dialog.get_by_label("volume").click()
        expect(dialog.locator("[data-cost-entries]")).to_be_visible()
        watched.accessible("[role=dialog]")
        watched.screenshot("topic-indexed")
        dialog.get_by_role("button", name="Change indexed attributes").click()
        expect(dialog.locator("[data-request=active]")).to_be_visible()
    running.call("PATCH", f"topics/{topic['id']}/", {"indexed": topic["indexed"]}, wait=30)


def test_who_only_reads_sees_no_way_to_change(visit):
    with visit("/topics?new=topic", user="vera") as watched:
        page = watched.page
        expect(page.get_by_role("table", name="Topics")).to_contain_text("quotes")
        expect(page.get_by_role("button", name="Create topic")).to_have_count(0)
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.goto(watched.base + "/topics/quotes?dialog=delete")
        watched.until_live()
        expect(page.get_by_role("button", name="Remove")).to_have_count(0)
