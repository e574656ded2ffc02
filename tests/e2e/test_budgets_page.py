"""Budgets on the live page: operators change them, viewers see them."""

import pytest
from e2e_world import PASSWORD, build
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def olga(control_plane):
    """An operator."""
    control_plane.do("create_user", name="olga", password=PASSWORD, group="operator")


def row_of(page, label):
    return page.locator("#switches tbody tr", has_text=label)


def test_an_operator_sets_a_budget(plane, open_page, olga):
    build(plane)
    plane.do("update", model="network.Switch", where={"name": "s2"}, exact_entries=140)
    with open_page() as watched:
        page = watched.page
        watched.log_in("olga", PASSWORD)
        watched.until_live()
        row = row_of(page, "Denver")
        expect(row).to_contain_text("140")
        field = row.get_by_label("Budget of s2, in entries")
        expect(field).to_have_value("100")
        expect(row.get_by_role("button", name="Set")).to_be_hidden()
        field.fill("60")
        row.get_by_role("button", name="Set").click()
        plane.end_request(kind="set_budget", state="active")
        expect(row.get_by_role("button", name="Set")).to_be_hidden()
        expect(row).to_contain_text("0 / 60")
        plane.emit("exact", {"s2": 7})
        expect(row.locator("td").nth(2)).to_have_text("7")
        watched.screenshot("budgets-desktop")


def test_why_a_budget_cannot_hold_is_told_and_what_was_typed_stays(plane, open_page, olga):
    build(plane)
    with open_page("phone") as watched:
        page = watched.page
        watched.log_in("olga", PASSWORD)
        watched.until_live()
        row = row_of(page, "Denver")
        field = row.get_by_label("Budget of s2, in entries")
        field.fill("0")
        field.press("Enter")
        plane.end_request(kind="set_budget", state="failed", problem={"detail": "0 entries are too few"})
        expect(row.locator(".problem")).to_have_text("0 entries are too few")
        expect(field).to_have_value("0")
        expect(row).to_contain_text("/ 100")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"], "nothing sticks out sideways"
        watched.screenshot("budgets-phone")


@pytest.mark.parametrize("typed", ["-1", "1.5", "many", "1e3"])
def test_what_is_no_number_is_not_sent(plane, open_page, olga, typed):
    build(plane)
    with open_page() as watched:
        page = watched.page
        watched.log_in("olga", PASSWORD)
        watched.until_live()
        row = row_of(page, "Denver")
        row.get_by_label("Budget of s2, in entries").fill(typed)
        row.get_by_role("button", name="Set").click()
        expect(row.locator(".problem")).to_contain_text("is no budget")
        assert plane.do("count", model="control.Request") == 0


def test_no_budget_at_all_is_an_empty_field(plane, open_page, olga):
    build(plane)
    with open_page() as watched:
        page = watched.page
        watched.log_in("olga", PASSWORD)
        watched.until_live()
        row = row_of(page, "Denver")
        field = row.get_by_label("Budget of s2, in entries")
        field.fill("")
        field.press("Enter")
        plane.end_request(kind="set_budget", state="active")
        expect(row).to_contain_text("no budget")
        expect(field).to_have_attribute("placeholder", "none")


def test_a_viewer_has_no_field_that_would_fail(plane, open_page):
    build(plane)
    with open_page() as watched:
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        expect(row_of(watched.page, "Denver")).to_contain_text("/ 100")
        expect(watched.page.locator("#switches input").first).to_be_hidden()
