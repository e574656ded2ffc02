"""Every page of the dashboard opens, at both sizes and in both themes, without a complaint; log-in."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

PAGES = {
    "network": "Network",
    "topics": "Topics",
    "participants": "Publishers and subscribers",
    "requests": "Requests",
    "budgets": "Budgets",
    "analytics": "Analytics",
    "explain": "Explain",
    "health": "Health and audit",
    "account": "Account and tokens",
}


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_every_page_opens_without_a_complaint(visit, size, scheme):
    with visit(size=size, scheme=scheme) as watched:
        page = watched.page
        for path, title in PAGES.items():
            page.goto(f"{watched.base}/{path}")
            watched.until_live()
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            page.wait_for_load_state("networkidle")
            watched.accessible()
            watched.screenshot(f"{path}-{size}")


def test_the_menu_leads_to_every_page_by_keyboard_and_focus_follows(visit):
    with visit("/account") as watched:
        page = watched.page
        for title in list(PAGES.values())[:8]:
            link = page.get_by_role("navigation").get_by_role("link", name=title, exact=True)
            link.focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            expect(page.locator("#main")).to_be_focused()


def test_an_address_that_leads_nowhere_says_so(visit):
    with visit("/topics/no/such/thing") as watched:
        expect(watched.page.get_by_role("heading", level=1)).to_have_text("There is no such page")


def test_who_logs_out_is_at_the_log_in_page_and_comes_back_to_where_it_was(visit, running):
    with visit("/requests?state=failed", user="vera") as watched:
        page = watched.page
        page.get_by_role("button", name="vera").click()
        page.get_by_role("menuitem", name="Log out").click()
        page.wait_for_url(re.compile("/login/"))
        page.goto(watched.base + "/requests?state=failed")
        page.wait_for_url(re.compile(r"/login/\?next="))
        page.get_by_label("User name").fill("vera")
        page.get_by_label("Password").fill(running.passwords["vera"])
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(watched.base + "/requests?state=failed")
        watched.until_live()
