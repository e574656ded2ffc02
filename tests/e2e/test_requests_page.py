"""The page of requests: the log and its filters, the details of a request, bulk calls."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


@pytest.fixture
def switch(running):
    """Yield a switch of the demo that has entries; its budget is restored at the end."""
    rows = running.call("GET", "switches/?limit=50").json()["results"]
    row = next(row for row in rows if row["entries"] and row["connected"])
    yield row
    running.call("PATCH", f"switches/{row['id']}/", {"tcam_budget": row["tcam_budget"]})


def query(page):
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def rows(page, label="Requests"):
    return page.get_by_role("table", name=label).locator("tr[data-row]")


@pytest.mark.parametrize(
    ("size", "scheme"), [("desktop", "dark"), pytest.param("phone", "light", marks=pytest.mark.full)]
)
def test_the_log_is_filtered_and_a_request_opens_beside_it(visit, running, switch, size, scheme):
    failed = running.call("PATCH", f"switches/{switch['id']}/", {"tcam_budget": 0}).json()
    assert failed["state"] == "failed"
    with visit("/requests", size=size, scheme=scheme) as watched:
        page = watched.page
        expect(rows(page).first).to_be_visible()
        watched.screenshot(f"requests-{size}")

        page.get_by_role("combobox", name="State").click()
        page.get_by_role("option", name="failed").click()
        page.get_by_label(re.compile("^Search")).fill(switch["name"])
        expect(rows(page)).to_have_count(
            running.call("GET", f"requests/?state=failed&q={switch['name']}&count=true").json()["count"]
        )
        page.get_by_role("button", name="Any time").click()
        page.get_by_role("button", name="Last 15 minutes").click()
        page.keyboard.press("Escape")
        expect(page.locator(f'tr[data-row="{failed["id"]}"]')).to_be_visible()
        page.locator(f'tr[data-row="{failed["id"]}"]').click()

        panel = page.get_by_role("dialog")
        expect(panel).to_contain_text("a budget of 0 entries is too small")
        expect(panel).to_contain_text(failed["call"])
        expect(panel.locator('[data-stage="confirmed"]')).to_contain_text("not reached")
        expect(panel.get_by_role("link", name=f"Budget of {switch['name']}").first).to_be_visible()
        asked = query(page)
        assert (asked["state"], asked["q"], asked["row"]) == ("failed", switch["name"], str(failed["id"]))
        watched.accessible()
        watched.screenshot(f"requests-one-{size}", full=False)

        panel.get_by_role("button", name="Try again").click()
        expect(panel).not_to_contain_text(failed["call"])
        expect(panel.locator('[data-state="failed"]')).to_be_visible()
        assert int(query(page)["row"]) > failed["id"]
        page.keyboard.press("Escape")
        expect(panel).to_have_count(0)

        page.get_by_role("button", name="Clear filters").click()
        page.goto(f"{watched.base}/requests?q=nothing-is-called-so")
        expect(page.locator("[data-empty]")).to_contain_text("No matching requests")
        page.get_by_role("button", name="Show all requests").click()
        expect(rows(page).first).to_be_visible()
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0


def test_a_new_request_shows_by_itself_and_a_viewer_is_offered_no_call(visit, running, switch):
    with visit("/requests", user="vera") as watched:
        page = watched.page
        expect(rows(page).first).to_be_visible()
        failed = running.call("PATCH", f"switches/{switch['id']}/", {"tcam_budget": 0}).json()
        row = page.locator(f'tr[data-row="{failed["id"]}"]')
        expect(row).to_contain_text("failed")
        row.click()
        panel = page.get_by_role("dialog")
        expect(panel.get_by_text("What to do")).to_be_visible()
        expect(panel.get_by_text("Increase the budget of the named switches")).to_be_visible()
        expect(panel.get_by_role("button", name="Try again")).to_have_count(0)


def test_a_bulk_call_leads_to_its_items(visit, running):
    call = running.call("GET", "operations/?limit=1").json()["results"][0]
    with visit("/requests?tab=calls") as watched:
        page = watched.page
        rows(page, "Bulk calls").last.click()
        expect(page.get_by_role("heading", name=f"Call {call['id']}", exact=True)).to_be_visible()
        expect(page.get_by_text(f"{call['items']} items: {call['items']} active")).to_be_visible()
        items = rows(page, f"Items of call {call['id']}")
        expect(items.first).to_be_visible()
        items.first.press("Enter")
        expect(page.get_by_role("dialog")).to_contain_text(f"Call {call['id']}, item 1")
        watched.accessible()
