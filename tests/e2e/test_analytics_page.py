"""The page of analytics: what it shows without results, and two charts of results that Spark has made."""

import random
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from e2e_world import PASSWORD
from playwright.sync_api import expect

from tercast.telemetry import DELIVERED, PUBLISHED, TABLE_SNAPSHOTS
from tercast.telemetry.writer import BatchWriter

pytestmark = pytest.mark.browser

RUN = """
import django
django.setup()
from controlplane.analytics import runs, work
for job in ("flow_table_size", "delay"):
    runs.ask(job, "1 minute", None)
assert work.work() == 2
"""


def forget(plane):
    for model in ("Result", "TakenFile", "Run", "Schedule", "Series"):
        plane.do("delete", model=f"analytics.{model}")


@pytest.fixture
def empty(plane):
    forget(plane)
    yield plane
    forget(plane)


def test_without_results_it_says_what_is_missing(empty, open_page):
    with open_page("phone") as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD, "/analytics/")
        expect(page.locator("#sizes-empty")).to_contain_text(
            "No run of flow_table_size with such windows yet"
        )
        expect(page.locator("#delay-empty")).to_contain_text("POST /api/v1/analytics/runs/")
        expect(page.locator("#runs-empty")).to_be_visible()
        assert page.locator("#sizes svg").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def test_the_live_page_leads_to_it(empty, open_page):
    with open_page() as watched:
        watched.log_in("vera", PASSWORD)
        watched.page.get_by_role("link", name="Analytics").click()
        watched.page.wait_for_url(watched.base + "/analytics/")
        expect(watched.page.locator("#sizes-empty")).to_be_visible()
        watched.page.get_by_role("link", name="Live").click()
        watched.page.wait_for_url(watched.base + "/")


def write_telemetry(root, minutes=300):
    """Five hours up to now: tables that fill, and half an hour without anything; events with their delays."""
    rng = random.Random(1)
    now = datetime.now(UTC).replace(second=0, microsecond=0)
    tables, sent, came = (BatchWriter(root, one) for one in (TABLE_SNAPSHOTS, PUBLISHED, DELIVERED))
    for minute in range(minutes):
        at = now - timedelta(minutes=minutes - minute)
        if 120 <= minute < 150:
            continue
        for n, budget in enumerate((100, 100, 150, None)):
            entries = min(int(20 * (n + 1) + minute * (0.28 - 0.05 * n) + rng.randrange(6)), budget or 1000)
            tables.add({"taken_at": at, "switch": f"s{n + 1}", "entries": entries, "budget": budget})
        for n in range(5):
            name = {"topic": "quotes", "publisher": "a1", "seq": minute * 10 + n}
            time = at + timedelta(seconds=10 * n)
            sent.add({**name, "host": "h1", "published_at": time, "dz": "0", "values": "{}"})
            after = time + timedelta(milliseconds=rng.lognormvariate(1, 0.6))
            came.add({**name, "host": "h2", "received_at": after, "wanted": True, "subscriptions": []})
    for writer in (tables, sent, came):
        writer.close()
        assert writer.counts.lost == 0


@pytest.mark.spark
@pytest.mark.full
@pytest.mark.parametrize("scheme", ["light"])
def test_charts_of_what_spark_has_found(empty, open_page, scheme):
    plane = empty
    write_telemetry(Path(plane.environment["TERCAST_STATE_DIR"]) / "telemetry")
    env = {**plane.environment, "TERCAST_SPARK_MASTER": "local[1]"}
    subprocess.run([sys.executable, "-c", RUN], env=env, check=True, timeout=600)
    with open_page("desktop", scheme) as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD, "/analytics/")
        page.get_by_label("Time").select_option("6")
        sizes, delay = page.locator("#sizes svg"), page.locator("#delay svg")
        expect(sizes.locator("path.line")).to_have_count(4)
        expect(sizes.locator("path.limit").first).to_be_attached()
        expect(delay.locator("path.line")).to_have_count(3)
        expect(page.locator("#sizes-legend")).to_contain_text("s1")
        line = sizes.locator('path.line[data-name="s1"]').get_attribute("d")
        assert line.count("M") == 2, "the half hour without telemetry is a gap"
        rows = page.locator("#runs tbody tr")
        expect(rows).to_have_count(2)
        expect(rows.first).to_contain_text("succeeded")
        expect(rows.first).to_contain_text("read ")
        assert page.locator(".runs .scroll").bounding_box()["height"] > 60
        box = sizes.bounding_box()
        page.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + 100)
        expect(page.locator("#sizes-readout")).to_contain_text("s1 ")
        expect(page.locator("#sizes-readout")).to_contain_text(" of 100")
        watched.screenshot(f"analytics-{scheme}")
    with open_page("phone", "dark") as watched:
        watched.log_in("vera", PASSWORD, "/analytics/")
        watched.page.get_by_label("Time").select_option("6")
        expect(watched.page.locator("#delay svg path.line")).to_have_count(3)
        width = watched.page.evaluate("document.documentElement.scrollWidth")
        assert width <= watched.page.viewport_size["width"], "nothing sticks out sideways"
        watched.screenshot("analytics-phone-dark")
