"""Publishers and subscribers in the browser: keyboard only, errors, withdrawal, uploads, reconnects."""

import json
import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

FIRST = re.compile("The first event was delivered")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def tab_to(page, locator, limit=60):
    """Press Tab until the element has the focus."""
    for _ in range(limit):
        if locator.evaluate(
            "element => element === document.activeElement || element.contains(document.activeElement)"
        ):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{limit} times Tab did not lead to {locator}")


def throttle(page, factor):
    """Make the processor of the page so many times as slow."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": factor})


def cells(page, name):
    return page.get_by_role("row").filter(has_text=name)


def forget(running, name):
    """Withdraw the subscriptions of a subscriber, and remove it."""
    for row in running.call("GET", f"subscriptions/?subscriber={name}&state=active").json()["results"]:
        running.call("DELETE", f"subscriptions/{row['id']}/")
    for row in running.call("GET", f"subscribers/?name={name}").json()["results"]:
        running.call("DELETE", f"subscribers/{row['id']}/")


def test_a_subscriber_is_registered_subscribes_and_gets_an_event_by_keyboard_alone(visit, running):
    with visit("/participants?tab=subscribers", user="otto") as watched:
        page = watched.page
        tab_to(page, page.get_by_role("button", name="Register subscriber"))
        press(page, "Enter")
        dialog = page.get_by_role("dialog", name="Register subscriber")
        expect(dialog.get_by_label("Name")).to_be_focused()
        page.keyboard.type("e2e-keys")
        throttle(page, 8)  # so that keys arrive before the timers of the list
        press(page, "Tab")
        page.keyboard.type("h-sea")
        expect(page.get_by_role("option", name="h-sea-1")).to_be_visible()
        press(page, "Enter")
        tab_to(page, dialog.get_by_role("button", name="Register and subscribe"))
        throttle(page, 1)
        press(page, "Enter")
        dialog = page.get_by_role("dialog", name="New subscription")
        topic = dialog.get_by_role("combobox", name="Topic").or_(dialog.get_by_role("textbox", name="Topic"))
        expect(topic).to_be_focused()
        page.keyboard.type("quo")
        expect(page.get_by_role("option", name="quotes")).to_be_visible()
        press(page, "Enter", "Tab")
        editor = dialog.locator(".cm-content")
        tab_to(page, editor)
        page.keyboard.type("clo")
        expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text("close")
        press(page, "Enter")
        page.keyboard.type(" > 1")
        press(page, "Escape")
        expect(dialog.locator('[data-figure="cells"]')).not_to_have_text("–")
        expect(dialog.locator('[data-figure="entries"]')).to_have_text(re.compile(r"[+−]?\d"))
        watched.accessible("[role=dialog]")
        watched.screenshot("subscribe-desktop")
        tab_to(page, dialog.get_by_role("button", name="Subscribe"))
        press(page, "Enter")
        expect(dialog.locator("[data-request=active]")).to_be_visible()
        expect(dialog.get_by_text(FIRST)).to_be_visible()
        watched.screenshot("subscribed-desktop")
        press(page, "Escape")
        expect(dialog).to_have_count(0)
    forget(running, "e2e-keys")


def test_a_mistake_stands_at_its_place_and_the_way_back_from_a_withdrawal(visit, running):
    running.call("POST", "subscribers/", {"name": "e2e-back", "host": "h-kcy-1"})
    opened = "/participants?tab=subscriptions&who=e2e-back&do=announce&for=e2e-back&on=quotes"
    with visit(opened, user="otto", size="phone", scheme="dark") as watched:
        page = watched.page
        dialog = page.get_by_role("dialog", name="New subscription")
        editor = dialog.locator(".cm-content")
        editor.click()
        page.keyboard.type('close > 5 and sybol = "A"')
        press(page, "Escape")
        expect(page.locator(".cm-lintRange-error")).to_have_text("sybol")
        expect(dialog).to_contain_text("sybol")
        expect(dialog.get_by_role("button", name="Subscribe")).to_be_disabled()
        watched.accessible("[role=dialog]")
        watched.screenshot("filter-mistake-phone")
        press(page, "Control+a")
        page.keyboard.type("close > 900")
        press(page, "Escape")
        expect(page.locator(".cm-lintRange-error")).to_have_count(0)
        dialog.get_by_role("button", name="Subscribe").click()
        expect(dialog.locator("[data-request=active]")).to_be_visible()
        dialog.get_by_role("button", name="Close").last.click()
        row = cells(page, "e2e-back").filter(has=page.locator("[data-state=active]"))
        row.get_by_role("button", name=re.compile("Withdraw")).click()
        dialog = page.get_by_role("dialog", name=re.compile("Withdraw subscription"))
        expect(dialog.locator("[data-count]")).to_contain_text("1 subscriber is affected")
        watched.accessible("[role=dialog]")
        watched.screenshot("withdraw-phone")
        dialog.get_by_role("button", name="Withdraw").click()
        expect(cells(page, "e2e-back").locator("[data-state=withdrawn]")).to_be_visible()
        page.get_by_role("button", name="Announce again").click()
        expect(cells(page, "e2e-back").locator("[data-state=active]")).to_be_visible()
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"the page scrolls sideways by {width}"
    forget(running, "e2e-back")


def test_a_file_is_checked_with_all_errors_by_line_then_applied_and_followed(visit, running, tmp_path):
    running.call("POST", "subscribers/", {"name": "e2e-file", "host": "h-ind-1"})
    bad, good = tmp_path / "bad.csv", tmp_path / "good.json"
    bad.write_text(
        'subscriber,topic,filter\ne2e-file,quotes,"close > 1\n and clos < 2"\n\nmissing,quotes,true\n'
    )
    wanted = [
        {"subscriber": "e2e-file", "topic": "quotes", "filter": f"close > {n}"} for n in range(900, 903)
    ]
    good.write_text(json.dumps(wanted, indent=1))
    with visit("/participants?tab=subscriptions&do=upload&who=e2e-file", user="otto") as watched:
        page = watched.page
        watched.allow(r"/api/v1/subscriptions/\?dry_run=true")
        dialog = page.get_by_role("dialog", name="Import subscriptions")
        page.locator("input[type=file]").set_input_files(bad)
        table = dialog.get_by_role("table", name="Errors by line")
        expect(table.get_by_role("row").nth(1)).to_contain_text(re.compile("^2.*clos"))
        expect(table.get_by_role("row").nth(2)).to_contain_text(re.compile("^5.*missing"))
        expect(dialog.get_by_role("button", name="Apply")).to_be_disabled()
        watched.accessible("[role=dialog]")
        watched.screenshot("upload-errors")
        page.locator("input[type=file]").set_input_files(good)
        expect(dialog).to_contain_text("3 valid items")
        expect(dialog.locator("[data-cost-entries]")).to_be_visible()
        dialog.get_by_role("button", name="Apply all 3").click()
        expect(dialog.locator("[data-operation=finished]")).to_contain_text("3 of 3 items active")
        watched.screenshot("upload-done")
        dialog.get_by_role("button", name="Close").last.click()
        expect(cells(page, "e2e-file")).to_have_count(3)
    forget(running, "e2e-file")


@pytest.mark.parametrize(
    ("size", "scheme"), [pytest.param("desktop", "dark", marks=pytest.mark.full), ("phone", "light")]
)
def test_lists_show_deliveries_and_keep_their_state_in_the_address(visit, size, scheme):
    with visit("/participants?tab=subscribers", user="vera", size=size, scheme=scheme) as watched:
        page = watched.page
        row = cells(page, "archive")
        expect(row.get_by_role("cell").nth(-2 if size == "phone" else -4)).to_have_text(re.compile(r"\d"))
        expect(page.get_by_role("button", name=re.compile("Register|Import|Remove"))).to_have_count(0)
        row.get_by_role("link", name=re.compile("Filters of archive")).click()
        expect(page).to_have_url(re.compile("tab=subscriptions&who=archive"))
        expect(page.get_by_role("table", name="Subscriptions")).to_contain_text("archive")
        watched.accessible()
        watched.screenshot(f"participants-list-{size}")
        for tab in ("Publishers", "Subscribers", "Advertisements", "Subscriptions"):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_role("table", name=tab)).to_be_visible()
        page.go_back()
        expect(page.get_by_role("tab", name="Advertisements")).to_have_attribute("aria-selected", "true")


def test_a_page_that_reconnects_again_and_again_ends_with_what_is(visit, running):
    running.call("POST", "subscribers/", {"name": "e2e-churn", "host": "h-ind-1"})
    path = "/participants?tab=subscriptions&who=e2e-churn"
    with visit(path, user="vera") as watched:
        page = watched.page
        page.add_init_script(CUT)
        page.reload()
        watched.until_live()
        for n in range(4):
            page.evaluate("cut()")
            body = {"subscriber": "e2e-churn", "topic": "quotes", "filter": f"close > {950 + n}"}
            assert running.call("POST", "subscriptions/", body).json()["state"] == "active"
            watched.until_live()
        expect(cells(page, "e2e-churn").locator("[data-state=active]")).to_have_count(4)
        assert page.evaluate("opened") > 4
        watched.until_live()
    forget(running, "e2e-churn")


CUT = """
globalThis.opened = 0;
const sockets = new Set();
globalThis.WebSocket = class extends WebSocket {
  constructor(...rest) { super(...rest); opened += 1; sockets.add(this); }
};
globalThis.cut = () => { for (const socket of sockets) socket.close(); sockets.clear(); };
"""
