"""The page of the network on the running platform: its drawing, its lists and its changes."""

import re

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def spoken(page):
    return page.locator("[data-spoken]")


def graph(page):
    return page.locator("[data-graph]")


def details(page):
    return page.get_by_role("region", name="Details")


def budget_of(running, name):
    (row,) = running.call("GET", f"switches/?name={name}").json()["results"]
    return row["tcam_budget"]


def total(count: int) -> re.Pattern[str]:
    """The text of this total, and not of one that begins with the same digits."""
    return re.compile(rf"Total: {count:,}(?!,?\d)")


def test_the_list_and_the_graph_are_in_step_and_arrow_keys_go_to_neighbours(visit):
    with visit("/network") as watched:
        page = watched.page
        expect(graph(page)).to_have_attribute("aria-label", "Topology: 11 switches, 14 links")
        expect(page.locator('[data-counter="Published"] dd')).to_contain_text(re.compile(r"\d"))
        page.get_by_role("option", name=re.compile("Denver")).click()
        expect(graph(page)).to_have_attribute("data-selected", "s:den")
        expect(spoken(page)).to_contain_text("Denver (den): connected")
        expect(spoken(page)).to_contain_text("Neighbours: Seattle, Sunnyvale, Kansas City.")
        graph(page).focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("option", selected=True)).to_contain_text("Kansas City")
        expect(page).to_have_url(re.compile("switch=kcy"))
        expect(details(page).get_by_role("heading", level=2)).to_have_text("Kansas City")
        page.get_by_text("1 hop", exact=True).click()
        expect(graph(page)).to_have_attribute("data-nodes", re.compile(r"^\d+$"))
        expect(page.get_by_text("4 of 11 switches")).to_be_visible()
        page.reload()
        expect(page.get_by_text("4 of 11 switches")).to_be_visible()
        watched.accessible()


def test_by_keyboard_alone_a_switch_is_searched_opened_and_its_budget_changed(visit, running):
    before = budget_of(running, "lax")
    with visit("/network", user="otto") as watched:
        page = watched.page
        page.get_by_label("Search switches and hosts").focus()
        page.keyboard.type("los ang")
        page.keyboard.press("Enter")
        expect(details(page).get_by_role("heading", level=2)).to_be_focused()
        try:
            press_until(page, "Tab", page.get_by_role("tab", name="Entries", exact=True))
            press_until(page, "ArrowRight", page.get_by_role("tab", name="Budget"))
            field = page.get_by_label("Budget (entries for events)")
            press_until(page, "Tab", field)
            page.keyboard.press("Control+A")
            page.keyboard.type("1")
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text(
                'a budget of 1 entry is too small for "lax": it has '
            )
            expect(field).to_have_value("1")
            field.focus()
            page.keyboard.press("Control+A")
            page.keyboard.type("777")
            page.keyboard.press("Enter")
            expect(page.get_by_text("Budget: 777.")).to_be_visible()
            assert budget_of(running, "lax") == 777
            watched.accessible()
        finally:
            (row,) = running.call("GET", "switches/?name=lax").json()["results"]
            assert running.call("PATCH", f"switches/{row['id']}/", {"tcam_budget": before}).is_success


def test_an_entry_shows_its_meaning_and_subscriptions_and_an_event_its_path(visit):
    with visit("/network?switch=den") as watched:
        page = watched.page
        row = details(page).locator("[data-row]").first
        expect(row).to_contain_text("quotes: ")
        row.click()
        expect(page.locator("[data-origin]")).to_contain_text(re.compile(r"Exact entry|Merged entry"))
        expect(page.locator("[data-origin] li").first).to_contain_text(" at h-")
        watched.accessible()
        watched.screenshot("network-switch-desktop", full=False)
        page.get_by_role("button", name="Trace event").click()
        page.get_by_role("button", name="Trace", exact=True).click()
        expect(page.locator("[data-hops] li").first).to_contain_text("Seattle: entry")
        expect(page.locator('[data-verdicts="received"] li').first).to_be_visible()
        hops = page.locator("[data-hops] li").count()
        page.get_by_role("slider").press("ArrowLeft")
        expect(page.locator("[data-hops] li")).not_to_have_count(hops)
        expect(page).to_have_url(re.compile("publisher=a1&values=.*step="))
        watched.accessible()


def test_entries_are_filtered_by_topic_dz_and_port_and_the_address_keeps_it(visit, running):
    (den,) = running.call("GET", "switches/?name=den").json()["results"]
    table = f"tables/{den['id']}/entries/"
    wanted = running.call("GET", f"{table}?limit=1").json()["results"][0]
    given = wanted["dz"][:-2]
    asked = f"{table}?topic=quotes&dz={given}&count=true"
    meeting = running.call("GET", asked).json()
    rows = [row["dz"] for row in meeting["results"]]
    assert all(one.startswith(given) or given.startswith(one) for one in rows) and wanted["dz"] in rows
    with visit("/network?switch=den") as watched:
        page = watched.page
        expect(details(page).get_by_text(total(den["entries"]))).to_be_visible()
        page.get_by_role("combobox", name="Topic").fill("quo")
        page.get_by_role("option", name="quotes").click()
        page.get_by_label("Overlap with the cell (dz)").fill(given)
        expect(details(page).get_by_text(total(meeting["count"]))).to_be_visible()
        expect(details(page).locator("[data-row]").first).to_contain_text(rows[0])
        page.wait_for_url(re.compile(f"dz={given}"))  # the address follows the field a moment later
        page.reload()
        expect(details(page).get_by_text(total(meeting["count"]))).to_be_visible()
        expect(page.get_by_label("Overlap with the cell (dz)")).to_have_value(given)
        page.get_by_label("Overlap with the cell (dz)").fill("0x1")
        expect(details(page).get_by_text("Only 0 and 1.")).to_be_visible()
        page.get_by_label("Overlap with the cell (dz)").fill("0" * 60)
        page.get_by_role("combobox", name="Ingress port").click()
        page.get_by_role("option", name="11 h-den-1").click()
        expect(details(page).get_by_text("No entries of den match the filters.")).to_be_visible()
        page.get_by_role("button", name="Show all entries").click()
        expect(details(page).get_by_text(total(den["entries"]))).to_be_visible()
        assert page.url.endswith("/network?switch=den")


def test_a_host_shows_its_deliveries_publishers_and_subscribers(visit, running):
    def of(resource, host="h-sea-1"):
        return running.call("GET", f"{resource}/?host={host}").json()["results"]

    with visit("/network?host=h-sea-1") as watched:
        page = watched.page
        expect(details(page).locator("[data-delivered]")).to_have_attribute(
            "data-delivered", re.compile("[1-9]")
        )
        for resource, title in (("publishers", "Publishers at"), ("subscribers", "Subscribers at")):
            there = page.get_by_role("table", name=title)
            assert of(resource), resource
            for one in of(resource):
                row = there.locator(f'[data-who="{one["name"]}"]')
                expect(row.locator("time")).to_be_visible()
                expect(row).to_contain_text("quotes: ")
        (host,) = running.call("GET", "hosts/?name=h-sea-1").json()["results"]
        shown = int(details(page).locator("[data-delivered]").get_attribute("data-delivered"))
        assert 0 < shown <= host["delivered"] and host["unwanted"] <= host["delivered"]
        expect(details(page).locator("[data-unwanted]")).to_have_text(re.compile(r"^[\d,]+ \(.*% of .*\)$"))
        watched.accessible()
        watched.screenshot("network-host-desktop", full=False)


def press_until(page, key, wanted):
    """Press a key until an element has the focus."""
    for _ in range(40):
        if wanted.evaluate("element => element === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {wanted}")


def test_on_a_phone_the_list_stands_in_place_of_the_graph(visit):
    with visit("/network", user="vera", size="phone", scheme="dark") as watched:
        page = watched.page
        expect(graph(page)).to_be_hidden()
        page.get_by_role("option", name=re.compile("Houston")).click()
        expect(details(page).get_by_role("heading", level=2)).to_have_text("Houston")
        expect(details(page).get_by_role("heading", level=2)).to_be_focused()
        page.get_by_role("combobox", name="Show tree…").click()
        page.get_by_role("option", name=re.compile("^quotes: ")).first.click()
        expect(page.locator("[data-about-tree]")).to_contain_text(
            re.compile("^Tree .* of topic quotes: root .* links, dz")
        )
        expect(page.get_by_role("option", name=re.compile("root of the tree"))).to_have_count(1)
        page.get_by_role("tab", name="Budget").click()
        expect(page.get_by_text("Budget: 1,000.")).to_be_visible()
        expect(page.get_by_label("Budget (entries for events)")).to_have_count(0)  # not for viewers
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        watched.accessible()
        watched.screenshot("network-switch-phone")
