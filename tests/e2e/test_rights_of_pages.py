"""No page shows a viewer a control that would fail."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

PAGES = (
    *(
        "/network",
        "/topics",
        "/participants",
        "/requests",
        "/budgets",
        "/explain",
        "/experiments",
        "/account",
        "/welcome",
    ),
    *("/analytics", "/analytics?tab=dimensions", "/analytics?tab=runs"),
    *("/health", "/health?tab=alarms", "/health?tab=switches", "/health?tab=audits"),
    "/health?tab=found-links",
    *("/health?tab=telemetry", "/health?tab=signalling", "/health?tab=actions"),
)
HARMLESS = re.compile(
    r"close|log out|menu|show|table of|chart of|download|first|previous|next|last|filters|documentation|copy"
    r"|re-?load|refresh|search|zoom|fit|group|explain",
    re.IGNORECASE,
)

NAMES = (
    """all => [...new Set(all.map((one) => (one.getAttribute("aria-label") || one.textContent).trim()))]"""
)


def settled(page):
    """Wait until no call of the page is running."""
    expect(page.locator('#main [aria-label="Loading"], #main [aria-busy="true"]')).to_have_count(0)


def controls(page):
    """Return the names of the enabled buttons and switches of the page."""
    return set(page.locator("#main button:enabled, #main [role=switch]:enabled").evaluate_all(NAMES))


def open_settled(watched, path):
    watched.page.goto(watched.base + path)
    watched.until_live()
    settled(watched.page)


def test_no_page_shows_a_viewer_a_control_that_would_fail(visit):
    """A viewer presses all remaining controls, and none fails. An operator sees more controls."""
    shown, refused = {}, []
    with visit("/network", user="vera") as watched:
        page = watched.page
        page.on("response", lambda answer: refused.append(answer.url) if answer.status == 403 else None)
        for path in PAGES:
            open_settled(watched, path)
            shown[path] = controls(page)
            for name in sorted(shown[path]):
                button = page.locator("#main").get_by_role("button", name=name, exact=True).first
                if name and not HARMLESS.search(name) and button.count() and button.is_enabled():
                    button.click(force=True)
                    page.keyboard.press("Escape")
    assert not refused, refused
    with visit("/network", user="otto") as watched:
        for path in ("/analytics?tab=runs", "/health?tab=audits", "/health?tab=signalling"):
            open_settled(watched, path)
            assert controls(watched.page) - shown[path], path
