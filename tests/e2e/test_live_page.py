"""The live page in a real browser, over a real server: what it shows, and that it keeps up."""

import re

import pytest
from e2e_world import PASSWORD, add_link, add_request, add_switch, build, now, tell_request, traffic
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_page_shows_the_network_and_changes_live(plane, open_page, size):
    links = build(plane)
    add_request(plane, "active", confirmed_at=now(0.5))
    with open_page(size) as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        for label in ("Seattle", "Denver", "Houston", "New York"):
            expect(page.locator("#switches tbody th", has_text=label)).to_be_visible()
            expect(page.locator("#canvas .labels text", has_text=label)).to_be_visible()
        expect(page.locator("#canvas .link")).to_have_count(4)
        expect(page.locator("#requests tbody tr")).to_have_count(1)
        expect(page.locator("#who")).to_have_text("vera · viewer")
        page.evaluate("window.same = true")

        plane.emit("traffic", traffic(12345, unwanted=55))
        expect(page.locator("#published dd").first).to_have_text("12,345")
        expect(page.locator("#unwanted dd").first).to_have_text("55")
        expect(page.locator("#delay dd").first).to_have_text("1.5 · 9.3")

        pk = add_request(plane)
        row = page.locator("#requests tbody tr").first
        expect(row.locator(".state")).to_have_text("queued")
        expect(row.locator("a")).to_have_attribute("href", f"/api/v1/requests/{pk}/")
        tell_request(plane, pk, "active", matched=False, confirmed_at=now(1.5))
        expect(row.locator(".state")).to_have_text("active")
        expect(row).to_contain_text("no match yet")
        expect(row.locator(".object")).to_have_text("q1")
        expect(page.locator("#requests tbody tr")).to_have_count(2)

        plane.emit("tables", {"s1": 100, "s2": 85, "s3": 7, "s4": 0})
        expect(page.locator("#entries dd").first).to_have_text("192")
        expect(page.locator("#canvas .switch .number").first).to_have_text("100")
        expect(page.locator("#canvas .switch").first).to_have_attribute("data-fill", "full")
        expect(page.locator("#switches tr", has_text="Seattle")).to_contain_text("100 / 100")

        for second, packets in enumerate((0, 2500)):
            loads = {str(links[1]): {"packets": packets, "bytes": packets * 100}}
            plane.emit("load", {"links": loads, "at": f"2026-01-01T00:00:0{second}Z"})
        expect(page.locator("#canvas .link").nth(1)).to_have_attribute("data-level", "4")
        expect(page.locator("#canvas .link").nth(0)).to_have_attribute("data-level", "0")
        assert "2,500 packets/s" in page.locator("#canvas .link title").nth(1).text_content()

        row = page.locator("#switches tr", has_text="Denver")
        plane.emit("switch", {"name": "s2", "capacity": 40, "problems": ["table 0: it cannot match x"]})
        expect(row.locator(".trouble")).to_have_text("full with 40 entries; table 0: it cannot match x")
        plane.emit("switch", {"name": "s2", "capacity": None, "problems": []})
        expect(row.locator(".trouble")).to_be_hidden()

        plane.emit("switch", {"name": "s3", "connected": False, "up": True})
        plane.emit("link", {"id": links[0], "up": False})
        expect(page.locator("#switches tr", has_text="Houston").locator(".state")).to_have_text("away")
        expect(page.locator("#canvas .link").nth(0)).to_have_attribute("data-up", "false")
        expect(page.locator("#network-summary")).to_have_text(
            "4 switches, 4 links, 1 not connected, 1 link down"
        )

        plane.emit("alarm", {"text": "switch s3: connection lost", "at": now()})
        expect(page.locator("#alarms li")).to_contain_text("switch s3: connection lost")
        assert page.evaluate("window.same"), "all this without loading the page anew"
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= page.viewport_size["width"], "nothing sticks out sideways"
        watched.screenshot(f"live-{size}")


def test_dark_page_for_the_record(plane, open_page):
    build(plane)
    with open_page("desktop", "dark") as watched:
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        ground = watched.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert sum(map(int, re.findall(r"\d+", ground)[:3])) < 150
        watched.screenshot("live-desktop-dark")


def test_an_empty_platform_says_what_to_do_next(open_page):
    with open_page() as watched:
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        expect(watched.page.locator("#network-empty")).to_contain_text("No switches yet")
        expect(watched.page.locator("#requests-empty")).to_contain_text("No requests yet")
        expect(watched.page.locator("#alarms-empty")).to_contain_text("No alarm")
        expect(watched.page.locator("#traffic-hint")).to_contain_text("No event counted yet")


def test_switches_and_links_that_come_later_are_drawn(plane, open_page):
    with open_page() as watched:
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        ids = {name: add_switch(plane, name, number) for number, name in enumerate("abc", 1)}
        add_link(plane, "a", 1, "b", 1, ids)
        plane.emit("switch", {"name": "a", "connected": True, "up": True})
        expect(watched.page.locator("#canvas .switch")).to_have_count(3)
        add_link(plane, "b", 2, "c", 1, ids)
        payload = {"id": 1, "kind": "add_link", "state": "active", "matched": None, "problem": None}
        plane.emit("request", {**payload, "received_at": now(), "confirmed_at": now()})
        expect(watched.page.locator("#canvas .link")).to_have_count(2)


def test_markup_in_names_stays_text(plane, open_page):
    evil = "<img src=x onerror=alert(1)>"
    ids = {name: add_switch(plane, name, n, label=evil) for n, name in enumerate((evil, '"><b>x</b>'), 1)}
    add_link(plane, evil, 1, '"><b>x</b>', 1, ids)
    with open_page() as watched:
        page = watched.page
        page.on("dialog", lambda dialog: watched.complaints.append("a script ran"))
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        plane.emit("alarm", {"text": evil, "at": now()})
        pk = add_request(plane)
        tell_request(plane, pk, "failed", problem={"title": evil, "detail": evil})
        expect(page.locator("#alarms li")).to_contain_text(evil)
        expect(page.locator("#requests .problem").first).to_have_text(evil)
        expect(page.locator("#switches tbody th", has_text=evil)).to_have_count(2)
        assert page.locator("main img, main b:not(.legend b)").count() == 0


def test_thousands_of_events_end_in_the_right_state(plane, open_page):
    build(plane)
    with open_page() as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        pk = add_request(plane)
        event = {
            "kind": "subscribe",
            "state": "queued",
            "matched": None,
            "problem": None,
            "confirmed_at": None,
        }
        for step in range(120):
            plane.emit("request", {"id": pk + step, "received_at": now(), **event})
        plane.emit("tables", {"s1": 1, "s2": 1, "s3": 1, "s4": 1}, times=1500)
        plane.emit("traffic", traffic(1), times=1500)
        plane.emit("tables", {"s1": 11, "s2": 22, "s3": 33, "s4": 44})
        plane.emit("traffic", traffic(4321))
        expect(page.locator("#published dd").first).to_have_text("4,321")
        expect(page.locator("#entries dd").first).to_have_text("110")
        expect(page.locator("#badge-text")).to_have_text("Live")
        assert page.locator("#requests tbody tr").count() <= 50


def test_a_page_whose_server_went_away_tells_its_age_and_resumes(plane, open_page):
    build(plane)
    with open_page() as watched:
        page = watched.page
        watched.allow("ERR_CONNECTION_REFUSED|WebSocket connection")
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        page.evaluate("window.same = true")
        plane.stop()
        expect(page.locator("#badge")).to_have_attribute("data-state", "away")
        expect(page.locator("#badge-text")).to_contain_text(re.compile(r"data \d+ s old"))
        expect(page.locator("#badge-news")).to_contain_text("Not live")
        plane.emit("traffic", traffic(777))
        plane.emit("alarm", {"text": "while nobody looked", "at": now()})
        plane.start()
        expect(page.locator("#badge-text")).to_have_text("Live")
        expect(page.locator("#published dd").first).to_have_text("777")
        expect(page.locator("#alarms li")).to_have_count(1)
        assert page.evaluate("window.same")


def test_a_page_that_was_away_for_too_long_reads_everything_anew(plane, open_page):
    build(plane)
    with open_page() as watched:
        page = watched.page
        watched.allow("ERR_CONNECTION_REFUSED|WebSocket connection")
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        plane.emit("tables", {"s1": 1})
        expect(page.locator("#entries dd").first).to_have_text("1")
        plane.stop()
        pk = add_request(plane, "active")
        plane.emit("load", {"links": {}, "at": now()}, times=5)
        plane.do("delete", model="control.OutboxEvent", id__lte=plane.emit("load", {"links": {}}))
        plane.emit("load", {"links": {}, "at": now()})
        plane.start()
        expect(page.locator("#requests tbody a")).to_have_text(str(pk))
        expect(page.locator("#alarms li")).to_contain_text("Alarms may be missing")
        expect(page.locator("#badge-text")).to_have_text("Live")


def test_log_out_leads_to_the_log_in_page_and_the_page_is_closed(plane, open_page):
    with open_page() as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        page.get_by_role("button", name="Log out").click()
        page.wait_for_url("**/login/")
        page.goto(watched.base + "/")
        assert page.url == watched.base + "/login/?next=/"


def test_a_log_in_that_ended_elsewhere_leads_to_the_log_in_page(plane, open_page):
    with open_page() as watched:
        page = watched.page
        watched.allow("ERR_CONNECTION_REFUSED|WebSocket connection|status (of )?401|401 ")
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        plane.stop()
        plane.do("delete", model="sessions.Session")
        plane.start()
        page.wait_for_url("**/login/?next=/")


def test_a_wrong_password_is_told_and_the_name_is_kept(plane, open_page):
    with open_page("phone") as watched:
        page = watched.page
        page.goto(watched.base + "/login/")
        page.get_by_label("User name").fill("vera")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_contain_text("correct username and password")
        expect(page.get_by_label("User name")).to_have_value("vera")
        watched.screenshot("login-phone")


def test_the_keyboard_reaches_everything_and_shows_where_it_is(plane, open_page):
    build(plane)
    add_request(plane)
    with open_page() as watched:
        page = watched.page
        watched.log_in("vera", PASSWORD)
        watched.until_live()
        expect(page.locator("#requests tbody tr")).to_have_count(1)
        page.locator("body").focus()
        seen = []
        while not seen or seen[-1] is not None:
            page.keyboard.press("Tab")
            seen.append(page.evaluate(FOCUSED))
        seen.pop()
        names = [name for name, _ in seen]
        assert names[0] == "Skip to the page"
        assert {"API", "Log out"} <= set(names)
        assert {"requests-title", "alarms-title", "switches-title"} <= set(names), (
            "what scrolls can be scrolled"
        )
        assert all(outline != "none" for _, outline in seen), seen


FOCUSED = """() => {
  const at = document.activeElement;
  if (at === document.body) return null;
  return [at.textContent.length < 40 && at.textContent.trim() || at.getAttribute("aria-labelledby") || at.id,
          getComputedStyle(at).outlineStyle];
}"""


def test_the_api_page_and_the_admin_work_under_their_policies(plane, open_page):
    with open_page() as watched:
        page = watched.page
        watched.log_in("ada", PASSWORD, "/api/docs/")
        page.locator(".swagger-ui .opblock").first.wait_for()
        page.locator(".swagger-ui .opblock-summary").first.click()
        page.locator(".swagger-ui .opblock-body").first.wait_for()
        for path in (
            "auth/user/add/",
            "django_celery_beat/periodictask/add/",
            "django_celery_beat/periodictask/",
        ):
            page.goto(f"{watched.base}/admin/{path}")
        page.goto(watched.base + "/admin/")
        page.get_by_role("link", name="Users").click()
        page.get_by_role("link", name="vera").click()
        expect(page.get_by_label("Username")).to_have_value("vera")
