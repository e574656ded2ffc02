"""The page of analytics: charts with their tables and CSV, filters, proposals."""

import pytest
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def card(page, name):
    return page.locator(f'[data-chart-card="{name}"]')


def test_an_empty_chart_says_what_is_missing_and_leads_on(visit):
    with visit("/analytics?range=fixed&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z") as watched:
        page = watched.page
        for name in ("tables", "delay", "unwanted", "needless", "load", "requests"):
            expect(card(page, name).locator("[data-empty]")).to_contain_text("issing")
        card(page, "needless").get_by_role("link", name="Who writes telemetry").click()
        expect(page.get_by_role("tab", name="Telemetry")).to_have_attribute("aria-selected", "true")


def test_filters_and_time_stand_in_the_address_and_come_back(visit):
    with visit("/analytics") as watched:
        page = watched.page
        page.get_by_role("button", name="Filters").click()
        page.get_by_role("combobox", name="Switches", exact=True).fill("atl")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
        page.get_by_label("Time", exact=True).first.click()
        page.get_by_role("option", name="Last 7 days").click()
        page.wait_for_url("**/analytics?*range=7d*")
        page.reload()
        expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
        expect(page.get_by_label("Time", exact=True).first).to_have_value("Last 7 days")
        assert "switch=atl" in page.url


def test_attributes_are_proposed_applied_and_taken_back(visit, running):
    before = running.call("GET", "topics/?name=quotes").json()["results"][0]["indexed"]
    with visit("/analytics?tab=dimensions&topic=quotes", user="otto") as watched:
        page = watched.page
        page.get_by_role("button", name="Compute a proposal").click()
        proposal = page.locator("[data-proposal]").first
        expect(proposal).to_contain_text("Expected to spare", timeout=60_000)
        watched.accessible()
        apply = proposal.get_by_role("button", name="Apply")
        if apply.count() == 0:
            expect(proposal).to_contain_text("Stay with")
            return
        apply.click()
        page.get_by_role("dialog").get_by_role("button", name="Apply").click()
        expect(proposal).to_contain_text("applied", timeout=120_000)
        proposal.get_by_role("button", name="Go back").click()
        page.get_by_role("dialog").get_by_role("button", name="Go back").click()
        expect(proposal).to_contain_text("reverted", timeout=120_000)
    assert running.call("GET", "topics/?name=quotes").json()["results"][0]["indexed"] == before
