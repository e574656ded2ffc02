"""Every page of the dashboard opens without a complaint, in both sizes and themes; log-in."""

import re

import pytest
from e2e_browser import watched
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
    "experiments": "Experiments",
    "health": "Health and audit",
    "account": "Account and tokens",
}


DIALOGS = (
    ("network?link=1", "Take out of service"),
    ("topics", "Create topic"),
    ("topics/quotes", "Change indexed attributes"),
    ("topics/quotes", "Remove"),
    ("participants?tab=publishers", "Register publisher"),
    ("participants?tab=publishers", "Remove aapl-feed"),
    ("participants?tab=subscriptions", "Import CSV or JSON"),
    ("participants?tab=subscriptions", "Subscribe"),
    ("participants?tab=subscriptions", "Withdraw q1"),
    ("participants?tab=subscriptions", None),
    ("requests", None),
    ("budgets", None),
    ("analytics?tab=runs", "Edit the schedule of Table size"),
    ("analytics?tab=runs", "Run job…"),
    ("explain", "Select a past event…"),
    ("experiments", "mishra-6.2"),
    ("health?tab=audits", "Audit tables…"),
    ("health?tab=audits", "Learn more"),
    ("account", "Create token…"),
    ("account", "Add a user…"),
)
"""Pages with a dialog or a panel, and the button that opens it; None: the first row of the table."""

COMBINATIONS = pytest.mark.parametrize(
    ("size", "schemes"),
    [
        ("desktop", ("light",)),
        pytest.param("desktop", ("dark",), marks=pytest.mark.full),
        pytest.param("phone", ("dark", "light"), marks=pytest.mark.full),
    ],
)


def test_the_landing_page_loads_compressed_files_and_no_charts(visit):
    """The first visit transfers at most 350 kB, the drawing included, for any number of switches."""
    with visit("/account") as watched:
        sizes = {}

        def finished(request):
            if "/static/" in request.url:
                sizes[request.url.rsplit("/", 1)[1]] = max(0, request.sizes()["responseBodySize"])

        context = watched.page.context.browser.new_context(storage_state=watched.page.context.storage_state())
        page = context.new_page()
        page.on("requestfinished", finished)
        page.goto(watched.base + "/network")
        page.locator('[data-live="live"]').wait_for()
        page.get_by_role("heading", level=1).first.wait_for()
        page.locator("[data-graph] canvas").first.wait_for()
        page.wait_for_load_state("networkidle")
        context.close()
    assert {"network", "Graph"} <= {name.split("-")[0] for name in sizes}
    assert not {"EChart", "DataTable", "Panel"} & {name.split("-")[0] for name in sizes}
    assert sum(sizes.values()) <= 350_000, sizes


COUNT_FRAMES = """
const request = window.requestAnimationFrame;
window.frames_requested = 0;
window.last_frame = 0;
window.requestAnimationFrame = (step) => {
  window.frames_requested += 1;
  window.last_frame = performance.now();
  return request.call(window, step);
};
"""
"""Record the requests for frames of a page."""


def test_the_drawing_requests_frames_only_after_changes(visit):
    """A loop that runs with each frame costs a page at rest 5 % of a core."""
    with visit("/account") as watched:
        page = watched.page
        page.add_init_script(COUNT_FRAMES)
        page.goto(watched.base + "/network")
        page.locator("[data-graph] canvas").first.wait_for()
        still = "() => window.frames_requested > 0 && performance.now() - window.last_frame > 500"
        page.wait_for_function(still, polling=50)
        before = page.evaluate("window.frames_requested")
        page.get_by_role("button", name="Zoom in").click()
        page.wait_for_function("before => window.frames_requested > before", arg=before, polling=50)
        page.wait_for_function(still, polling=50)


@COMBINATIONS
def test_every_page_opens_without_a_complaint(visit, size, schemes):
    with visit(size=size, scheme=schemes[0]) as watched:
        page = watched.page
        for path, title in PAGES.items():
            page.goto(f"{watched.base}/{path}")
            watched.until_live()
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            page.wait_for_load_state("networkidle")
            in_all(watched, schemes)
            watched.screenshot(f"{path}-{size}")


@COMBINATIONS
def test_every_dialog_is_accessible(visit, size, schemes):
    at = None
    with visit(size=size, scheme=schemes[0]) as watched:
        page = watched.page
        watched.allow(r"status (of )?409.*dry_run=true")  # a dry run of the removal of used objects
        for path, button in DIALOGS:
            if path != at:
                page.goto(f"{watched.base}/{path}")
                watched.until_live()
            at = path
            opener = page.get_by_role("button", name=button, exact=True) if button else rows(page)
            opener.first.click()
            dialog = page.get_by_role("dialog")
            expect(dialog).to_be_visible()
            expect(dialog.locator('[aria-label="Loading"]')).to_have_count(0)
            in_all(watched, schemes, "[role=dialog]")
            page.keyboard.press("Escape")
            if dialog.get_by_role("combobox").and_(page.locator(":focus")).count():
                page.keyboard.press("Escape")  # the first key closed its list of choices
            expect(dialog).to_have_count(0)


def rows(page):
    return page.locator("#main tr[data-row]")


def in_all(watched, schemes, within=None):
    """Check with Axe in all schemes; the first one is set at the end."""
    for scheme in (*schemes[1:], schemes[0]):
        watched.page.emulate_media(color_scheme=scheme)
        expect(watched.page.locator("html")).to_have_attribute("data-mantine-color-scheme", scheme)
        watched.accessible(within)


def test_the_menu_leads_to_every_page_by_keyboard_and_focus_follows(visit):
    with visit("/account") as watched:
        page = watched.page
        for title in list(PAGES.values())[:9]:
            link = page.get_by_role("navigation").get_by_role("link", name=title, exact=True)
            link.focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("heading", level=1)).to_have_text(title)
            expect(page.locator("#main")).to_be_focused()


def test_a_page_has_no_cookies_and_no_storage_of_an_earlier_one(browser, running):
    for _ in range(2):
        with watched(browser, running.base) as new:
            new.page.goto(running.base + "/login/")
            assert new.page.evaluate("[document.cookie.includes('seen'), localStorage.length]") == [False, 0]
            new.page.evaluate("document.cookie = 'seen=1'; localStorage.setItem('seen', '1')")


def test_an_address_that_leads_nowhere_says_so(visit):
    with visit("/topics/no/such/thing") as watched:
        expect(watched.page.get_by_role("heading", level=1)).to_have_text("Page not found")


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
