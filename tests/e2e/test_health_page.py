"""Health and audit: how each part is, and the way on from there."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def test_each_part_is_told_and_leads_on_by_keyboard(visit):
    with visit("/health", size="phone", scheme="dark") as watched:
        page = watched.page
        expect(page.locator("[data-check]")).to_have_count(12)
        expect(page.locator('[data-check="database"]')).to_have_attribute("data-status", "ok")
        watched.accessible()
        more = page.locator('[data-check="switches"]').get_by_role("link", name="More")
        more.focus()
        page.keyboard.press("Enter")
        expect(page.locator('[data-row="atl"]')).to_contain_text("connected")
        watched.accessible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
