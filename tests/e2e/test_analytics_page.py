"""The page of analytics: charts with their tables and CSV, schedules, runs of real Spark, proposals."""

import csv
import io
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.waiting import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.fabric]


def card(page, name):
    return page.locator(f'[data-chart-card="{name}"]')


@contextmanager
def left_to_the_reader(running, job, dataset):
    """Stop the schedule of a job, cancel its runs, and wait for the rows that it reads."""

    def written():
        found = running.call("GET", "telemetry/").json()["datasets"]
        return any(one["dataset"] == dataset and one["files"] for one in found)

    def under_way():
        found = running.call("GET", f"analytics/runs/?job={job}&limit=20").json()["results"]
        return [one["id"] for one in found if one["ended_at"] is None]

    (schedule,) = running.call("GET", f"analytics/schedules/?job={job}").json()["results"]
    address = f"analytics/schedules/{schedule['id']}/"
    assert running.call("PATCH", address, {"enabled": False}).status_code == 200
    try:
        for run in under_way():
            running.call("POST", f"analytics/runs/{run}/cancel/")
        wait_until(f"telemetry of {dataset}", written)
        wait_until(f"the end of runs of {job}", lambda: not under_way())
        yield
    finally:
        running.call("PATCH", address, {"enabled": True})


def test_an_empty_chart_says_what_is_missing_and_leads_on(visit):
    with visit("/analytics?range=fixed&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z") as watched:
        page = watched.page
        for name in ("tables", "delay", "unwanted", "needless", "load", "requests"):
            expect(card(page, name).locator("[data-empty]")).to_contain_text(
                re.compile("No measurements|Not calculated yet")
            )
        card(page, "needless").get_by_role("link", name="Show the programs that write telemetry").click()
        expect(page.get_by_role("tab", name="Telemetry")).to_have_attribute("aria-selected", "true")


def test_filters_and_time_stand_in_the_address_and_come_back(visit):
    with visit("/analytics") as watched:
        page = watched.page
        page.get_by_role("button", name="Filters").click()
        page.get_by_role("combobox", name="Switches", exact=True).fill("atl")
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
        page.get_by_label("Time range", exact=True).first.click()
        page.get_by_role("option", name="Last 7 days").click()
        page.wait_for_url("**/analytics?*range=7d*")
        page.reload()
        expect(page.get_by_role("button", name="Filters (1)")).to_be_visible()
        expect(page.get_by_label("Time range", exact=True).first).to_have_value("Last 7 days")
        assert "switch=atl" in page.url


def test_a_schedule_is_switched_off_and_on_and_edited(visit, running):
    (before,) = running.call("GET", "analytics/schedules/?job=dimension_selection").json()["results"]
    with visit("/analytics?tab=runs", user="otto") as watched:
        page = watched.page
        row = page.locator('[data-schedule="dimension-selection"]')
        switch = row.get_by_role("switch")
        for shown in (expect(switch).not_to_be_checked, expect(switch).to_be_checked):
            switch.press("Space")
            shown()

        row.get_by_role("button", name="Edit").click()
        dialog = page.get_by_role("dialog")
        watched.accessible()
        watched.allow("status 400.*/schedules/|400 .Bad Request.*schedules")
        dialog.get_by_label("Window length").fill("3 moons")
        dialog.get_by_role("button", name="Save").click()
        expect(dialog.get_by_role("alert").first).to_contain_text("moons")
        expect(dialog.get_by_label("Window length")).to_have_value("3 moons")
        dialog.get_by_label("Window length").fill(before["window"])
        dialog.get_by_label("Interval in seconds").fill("7200")
        dialog.get_by_role("button", name="Save").click()
        expect(row).to_contain_text("every 2 hours")
    back = running.call("PATCH", f"analytics/schedules/{before['id']}/", {"period": before["period"]})
    assert back.json()["timetable"] == before["timetable"]


def test_a_run_is_asked_for_once_and_cancelled(visit, running):
    with (
        left_to_the_reader(running, "flow_table_size", "table_snapshots"),
        visit("/analytics?tab=runs", user="otto") as watched,
    ):
        page = watched.page
        page.get_by_role("button", name="Run job…").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Run now").click()
        drawer = page.get_by_role("dialog", name="Table size")
        drawer.get_by_role("button", name="Stop run").click()
        question = page.get_by_role("dialog", name="Stop run")
        expect(question).to_be_visible()
        watched.accessible()
        question.get_by_role("button", name="Stop run").click()
        expect(drawer.get_by_text("stopped", exact=True).first).to_be_visible()
        assert running.call("GET", "analytics/runs/?limit=1&state=cancelled").json()["results"]


@pytest.mark.full
@pytest.mark.spark
def test_spark_runs_when_asked_and_its_results_are_drawn_and_downloaded(visit, running):
    with (
        left_to_the_reader(running, "flow_table_size", "table_snapshots"),
        visit("/analytics?switch=atl,den") as watched,
    ):
        page = watched.page
        page.get_by_role("tab", name="Runs and schedules").click()
        page.get_by_role("button", name="Run now: Table size").click()
        newest = page.locator('table[aria-label="Runs"] tbody tr[data-row]').first
        expect(newest).to_contain_text("Table size")
        expect(newest).to_contain_text("succeeded")
        newest.click()
        expect(page.get_by_role("dialog")).to_contain_text("rows in")
        page.keyboard.press("Escape")
        page.goto(watched.base + "/analytics?switch=atl,den")
        expect(card(page, "tables").locator("[data-chart]")).to_be_visible()
        watched.screenshot("analytics-results-desktop")
        card(page, "tables").get_by_role("button", name="Table of Table size").click()
        row = card(page, "tables").locator("tbody tr[data-row]").first
        expect(row).to_contain_text("atl")
        with page.expect_download() as found:
            card(page, "tables").get_by_role("button", name="Download Table size as CSV").click()
        rows = list(csv.DictReader(io.StringIO(found.value.path().read_text())))
        assert {one["switch"] for one in rows} == {"atl", "den"}
        assert all(one["at (UTC)"].endswith("Z") for one in rows)
        entries = running.call("GET", "switches/?name=atl").json()["results"][0]["entries"]
        assert entries in {int(one["entries_max (entries)"]) for one in rows if one["switch"] == "atl"}


def have_samples(running, topic):
    """Wait for samples of the demo, and report them again, because a proposal needs more of them."""
    few = 20
    path = f"traffic/samples/events/?topic={topic}&limit={few}"
    wait_until(f"{few} samples of {topic}", lambda: len(running.call("GET", path).json()["results"]) == few)
    rows = running.call("GET", path).json()["results"]
    again = [{"publisher": row["advertisement"], "values": row["values"]} for row in rows for _ in range(3)]
    answer = running.call("POST", "traffic/samples/", again)
    assert answer.status_code == 201, answer.text


def test_attributes_are_proposed_applied_and_taken_back(visit, running):
    have_samples(running, "quotes")
    before = running.call("GET", "topics/?name=quotes").json()["results"][0]["indexed"]
    with visit("/analytics?tab=dimensions&topic=quotes", user="otto") as watched:
        page = watched.page
        page.get_by_role("button", name="Calculate proposal").click()
        proposal = page.locator("[data-proposal]").first
        expect(proposal).to_contain_text("Predicted to save")
        watched.accessible()
        apply = proposal.get_by_role("button", name="Apply")
        if apply.count() == 0:
            expect(proposal).to_contain_text("Keep")
            return
        apply.click()
        page.get_by_role("dialog").get_by_role("button", name="Apply").click()
        expect(proposal).to_contain_text("applied")
        proposal.get_by_role("button", name="Revert").click()
        page.get_by_role("dialog").get_by_role("button", name="Revert").click()
        expect(proposal).to_contain_text("reverted")
    assert running.call("GET", "topics/?name=quotes").json()["results"][0]["indexed"] == before
