"""From an empty installation to the first delivered event, and the other two ways to a network."""

import pytest
from e2e_browser import watched
from e2e_running import RunningPlatform
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

SMALL = b"seattle denver 1\ndenver houston 1\nhouston seattle 2\nhouston houston 1\n"


@pytest.fixture(scope="module")
def empty():
    platform = RunningPlatform("--empty")
    try:
        platform.wait_until_ready()
        yield platform
    finally:
        platform.close()


def test_an_empty_installation_leads_to_its_first_delivered_event(browser, empty):
    with watched(browser, empty.base) as page_watched:
        page = page_watched.page
        page.goto(empty.base + "/network")
        page.get_by_label("User name").fill("admin")
        page.get_by_label("Password").fill(empty.password)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/welcome")
        page_watched.until_live()
        expect(page.locator("[data-choice]")).to_have_count(3)
        page_watched.accessible()
        page_watched.screenshot("welcome-desktop")

        page.get_by_role("button", name="Connect real switches").click()
        expect(page.get_by_text("tcp:127.0.0.1:", exact=False).first).to_be_visible()
        page_watched.accessible()

        page.get_by_role("button", name="Import a topology file").click()
        chooser = page.get_by_label("File", exact=True)
        with page.expect_file_chooser() as choice:
            chooser.click()
        choice.value.set_files({"name": "weights.txt", "mimeType": "text/plain", "buffer": SMALL})
        page.get_by_role("button", name="Look at it").click()
        expect(page.locator("[data-found]")).to_contain_text("3 switches")
        expect(page.locator("[data-found]")).to_contain_text("repair")
        page_watched.accessible()
        assert empty.call("GET", "switches/").json()["results"] == []

        page.get_by_role("button", name="Demo network").click()
        page.get_by_role("button", name="Start the demo network").click()
        expect(page.locator("[data-demo]")).to_have_attribute("data-demo", "running", timeout=240_000)
        send = page.get_by_role("button", name="Send it")
        expect(send).to_be_enabled()
        send.click()
        expect(page.locator("[data-delivered]")).to_contain_text("ms", timeout=60_000)
        page_watched.accessible()
        page_watched.screenshot("welcome-delivered-desktop")
        told = empty.call("GET", "test-events/?limit=1").json()["results"][0]
        assert told["state"] == "done" and told["received"], told


def test_a_topology_is_imported_and_says_what_to_type_at_its_switches(browser, empty):
    with watched(browser, empty.base, "phone", "dark") as page_watched:
        page = page_watched.page
        page_watched.log_in("admin", empty.password, "/welcome?choice=import")
        page_watched.until_live()
        with page.expect_file_chooser() as choice:
            page.get_by_label("File", exact=True).click()
        choice.value.set_files({"name": "weights.txt", "mimeType": "text/plain", "buffer": SMALL})
        page.get_by_role("button", name="Look at it").click()
        page.get_by_role("button", name="Take it in").click()
        expect(page.locator('[data-operation="finished"]')).to_contain_text("9 of 9", timeout=60_000)
        page_watched.accessible()
        page_watched.screenshot("welcome-phone")
        page.get_by_role("link", name="what to type at them").click()
        expect(page.get_by_text("ovs-vsctl set bridge seattle", exact=False)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
