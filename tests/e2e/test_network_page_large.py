"""The page of the network with 754 switches: times until it is usable and of updates (printed)."""

import json
import math
import re
import time

import pytest
from e2e_platform import PASSWORD
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

SWITCHES = 754
LONG_TASKS = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
  }).observe({ type: "longtask", buffered: false });
}"""


def spider(plane):
    """Create 754 switches in rings of 29, each connected to the inner ring; return the number of links."""
    switches, links, hosts = [], [], []
    for n in range(SWITCHES):
        ring, place = divmod(n, 29)
        angle = 2 * math.pi * place / 29
        at = {"latitude": (ring + 1) * 3 * math.sin(angle), "longitude": (ring + 1) * 3 * math.cos(angle)}
        entries = {"tcam_budget": 100 if n % 3 else None, "connected": n % 97 != 0}
        switches.append({"id": n + 1, "name": f"s{n}", "dpid": f"{n + 1:016x}", **at, **entries})
        following = n + 1 if place < 28 and n + 1 < SWITCHES else n - place
        if following != n:
            links.append({"a_id": n + 1, "a_port": 1, "b_id": following + 1, "b_port": 2})
        if ring:
            links.append({"a_id": n + 1, "a_port": 3, "b_id": n - 28, "b_port": 4, "up": n % 50 != 0})
        if ring > 22:
            host = {"name": f"h{n}", "switch_id": n + 1, "port": 9, "ip": f"fd00::{n + 1:x}"}
            hosts.append({**host, "mac": f"02:00:00:00:{n >> 8:02x}:{n & 255:02x}"})
    for model, rows in (("Switch", switches), ("Link", links), ("Host", hosts)):
        plane.do("create_many", model=f"network.{model}", rows=rows)
    return len(links)


@pytest.fixture
def large(plane):
    try:
        yield spider(plane)
    finally:
        for model in ("Host", "Link", "Switch"):
            plane.do("delete", model=f"network.{model}")


def load(links, step):
    counters = {str(pk): {"packets": step * pk * 3, "bytes": step * pk * 300} for pk in range(1, links)}
    return {"links": counters, "at": f"2026-01-01T00:00:{step:02d}+00:00"}


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_754_switches_are_drawn_in_groups_that_open_and_news_do_not_block(plane, open_page, large, scheme):
    with open_page(scheme=scheme) as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD, "/network")
        graph = page.locator("[data-graph]")
        expect(graph).to_have_attribute("aria-label", re.compile("754 switches"))
        watched.until_live()
        began = time.monotonic()
        page.reload()
        expect(page.get_by_role("option").first).to_be_visible()
        expect(graph).to_have_attribute("data-nodes", re.compile(r"^[1-9]"))
        usable = time.monotonic() - began
        watched.until_live()
        far = int(graph.get_attribute("data-nodes"))
        assert 10 < far < 400, "grouped when all is seen"
        watched.screenshot(f"network-754-{scheme}", full=False)

        page.evaluate(LONG_TASKS)
        for step in range(1, 4):
            plane.emit("load", load(large, step))
            plane.emit("tables", {f"s{n}": 20 * step + n % 40 for n in range(SWITCHES)})
        expect(page.locator('[data-counter="Entries"] dd')).to_have_text(re.compile("59,841"))
        longest = page.evaluate("window.longest")
        figures = {"switches": SWITCHES, "usable_s": round(usable, 2), "longest_task_ms": round(longest)}
        print(json.dumps({**figures, "drawn": far, "scheme": scheme}))

        graph.focus()
        for _ in range(4):
            page.keyboard.press("+")
        expect(graph).not_to_have_attribute("data-nodes", str(far))
        page.get_by_label("Search switches and hosts").fill("s400")
        page.keyboard.press("Enter")
        expect(graph).to_have_attribute("data-selected", "s:s400")
        page.get_by_label("Search switches and hosts").fill("")
        page.get_by_text("2 hops", exact=True).click()
        expect(page.get_by_text("13 of 754 switches")).to_be_visible()
        watched.screenshot(f"network-754-hops-{scheme}", full=False)
