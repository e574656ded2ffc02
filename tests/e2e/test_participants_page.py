"""Publishers and subscribers in the browser: a whole task by keyboard alone, and the lists."""

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


def cells(page, name):
    return page.get_by_role("row").filter(has_text=name)


def forget(running, name):
    """Withdraw what a subscriber has, and remove it."""
    for row in running.call("GET", f"subscriptions/?subscriber={name}&state=active").json()["results"]:
        running.call("DELETE", f"subscriptions/{row['id']}/")
    for row in running.call("GET", f"subscribers/?name={name}").json()["results"]:
        running.call("DELETE", f"subscribers/{row['id']}/")


def test_a_subscriber_is_registered_subscribes_and_gets_an_event_by_keyboard_alone(visit, running):
    with visit("/participants?tab=subscribers", user="otto") as watched:
        page = watched.page
        tab_to(page, page.get_by_role("button", name="Register a subscriber"))
        press(page, "Enter")
        dialog = page.get_by_role("dialog", name="New subscriber")
        expect(dialog.get_by_label("Name")).to_be_focused()
        page.keyboard.type("e2e-keys")
        press(page, "Tab")
        page.keyboard.type("h-sea")
        expect(page.get_by_role("option", name="h-sea-1")).to_be_visible()
        press(page, "Enter")
        tab_to(page, dialog.get_by_role("button", name="Register and subscribe"))
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
        expect(dialog.locator('[data-figure="dz cells"]')).not_to_have_text("–")
        expect(dialog.locator('[data-figure="entries"]')).to_have_text(re.compile(r"[+−]?\d"), timeout=60_000)
        watched.accessible("[role=dialog]")
        watched.screenshot("subscribe-desktop")
        tab_to(page, dialog.get_by_role("button", name="Subscribe"))
        press(page, "Enter")
        expect(dialog.locator("[data-request=active]")).to_be_visible(timeout=90_000)
        expect(dialog.get_by_text(FIRST)).to_be_visible(timeout=90_000)
        watched.screenshot("subscribed-desktop")
        press(page, "Escape")
        expect(dialog).to_have_count(0)
    forget(running, "e2e-keys")


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "dark"), ("phone", "light")])
def test_lists_tell_what_each_got_and_keep_their_state_in_the_address(visit, size, scheme):
    with visit("/participants?tab=subscribers", user="vera", size=size, scheme=scheme) as watched:
        page = watched.page
        row = cells(page, "archive")
        expect(row.get_by_role("cell").nth(-3 if size == "phone" else -4)).to_have_text(re.compile(r"\d"))
        expect(page.get_by_role("button", name=re.compile("Register|Upload|Remove"))).to_have_count(0)
        row.get_by_role("link", name=re.compile("filters of archive")).click()
        expect(page).to_have_url(re.compile("tab=subscriptions&who=archive"))
        expect(page.get_by_role("table", name="Subscriptions")).to_contain_text("archive")
        watched.accessible()
        watched.screenshot(f"participants-list-{size}")
        for tab in ("Publishers", "Subscribers", "Advertisements", "Subscriptions"):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_role("table", name=tab)).to_be_visible()
        page.go_back()
        expect(page.get_by_role("tab", name="Advertisements")).to_have_attribute("aria-selected", "true")
