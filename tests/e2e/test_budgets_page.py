"""The page "Budgets": budgets of many switches, comparison of methods, runs and their reversal."""

import pytest
from e2e_keyboard import tab_to
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

TOPIC = {"name": "levels", "attributes": [{"name": "level", "type": "int", "min": 0, "max": 1023}]}


@pytest.fixture
def api(running):
    """Call the API as operator, and fail on every error response."""

    def call(method, path, body=None):
        answer = running.call(method, path, body)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    return call


@pytest.fixture
def switches(api):
    """Switches of the demo by name. Policy and budgets are restored after the test."""
    rows = {row["name"]: row for row in api("GET", "switches/?limit=50")["results"]}
    policy = api("GET", "aggregation/")
    yield rows
    budgets = {name: row["tcam_budget"] for name, row in rows.items()}
    assert api("POST", "switches/budgets/", {"budgets": budgets})["states"]["active"] == len(rows)
    api("POST", "aggregation/runs/", {"method": "fa-lb"})  # with large budgets, tables are exact again
    api("PATCH", "aggregation/", {name: policy[name] for name in ("method", "sampling", "gain", "period")})


def rows(page, label="Switches"):
    return page.get_by_role("table", name=label).locator("tr[data-row]")


def fill_budget(page, number):
    page.get_by_label("Budget (entries for events)").fill(str(number))
    page.get_by_role("button", name="Check", exact=True).click()


def test_budgets_of_many_are_checked_then_set_and_those_that_fail_are_named(visit, api, switches):
    fullest = max(switches.values(), key=lambda row: row["entries"])
    emptiest = min(switches.values(), key=lambda row: row["entries"])
    between = emptiest["entries"] + 1
    with visit("/budgets") as watched:
        page = watched.page
        expect(rows(page)).to_have_count(len(switches))
        expect(rows(page).first).to_contain_text(fullest["name"])
        watched.screenshot("budgets-desktop")
        for row in (fullest, emptiest):
            page.get_by_role("checkbox", name=f"Select {row['name']}", exact=True).check()
        page.get_by_role("button", name="Set budget…").click()
        fill_budget(page, between)
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("1 of 2 budgets are too small")).to_be_visible()
        expect(dialog.get_by_role("alert")).to_contain_text(fullest["name"])
        watched.accessible()
        assert api("GET", f"switches/{emptiest['id']}/")["tcam_budget"] == emptiest["tcam_budget"]
        dialog.get_by_role("button", name="Set only the budget that is large enough").click()
        expect(dialog).to_have_count(0)
        expect(page.locator(f'tr[data-row="{emptiest["name"]}"]')).to_contain_text(str(between))
    shown = {row["name"]: row["tcam_budget"] for row in api("GET", "switches/?limit=50")["results"]}
    assert shown[emptiest["name"]] == between and shown[fullest["name"]] == fullest["tcam_budget"]


def test_a_method_is_chosen_merges_are_shown_and_reverted(visit, api, switches):
    name, row = max(switches.items(), key=lambda item: item[1]["entries"])
    budget = row["entries"] - 20
    with visit("/budgets?tab=policy", size="phone", scheme="dark") as watched:
        page = watched.page
        page.get_by_role("radio", name="fa-pb").check()
        page.get_by_role("button", name="Save").click()
        watched.accessible()
        page.get_by_role("button", name="Change method").click()
        expect(page.get_by_text("No unsaved changes")).to_be_visible()

        page.goto(f"{watched.base}/budgets?row={name}")
        watched.until_live()
        panel = page.get_by_role("dialog", name=name)
        panel.get_by_role("button", name="Set budget…").click()
        fill_budget(page, budget)
        expect(page.get_by_text("The budget is large enough.")).to_be_visible()
        expect(page.locator("[data-check-result]")).to_contain_text("merged to fit the budget")
        page.get_by_role("dialog", name=f"Budget of {name}").get_by_role("button", name="Set budget").click()
        expect(panel.get_by_text("merging saves")).to_be_visible()
        watched.accessible()
        watched.screenshot("budgets-switch-phone", full=False)
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0

        page.goto(f"{watched.base}/budgets?tab=runs&method=fa-lb")
        page.get_by_role("button", name="Run and install").click()
        panel = page.get_by_role("dialog")
        expect(panel.get_by_text("user", exact=True)).to_be_visible()
        over = panel.locator('[data-state="succeeded"], [data-state="skipped"], [data-state="failed"]')
        expect(over).to_be_visible()
        run = api("GET", "aggregation/runs/?ordering=-id&limit=1")["results"][0]
        assert run["method"] == "fa-lb" and run["trigger"] == "operator"
        if run["state"] == "succeeded":
            panel.get_by_role("button", name="Revert…").click()
            page.get_by_role("button", name="Revert", exact=True).click()
            expect(page.get_by_role("dialog", name=f"Run {run['id'] + 1}")).to_be_visible()
            expect(page.get_by_role("dialog").get_by_text("revert of a run")).to_be_visible()
            expect(page.locator('[role="dialog"] [data-state="succeeded"]')).to_be_visible()


@pytest.mark.full
def test_methods_are_compared_one_after_the_other_and_a_curve_is_drawn(visit, switches):
    name = max(switches.values(), key=lambda row: row["entries"])["name"]
    with visit("/budgets?tab=compare&methods=la,fa-lb&budget=100", user="vera") as watched:
        page = watched.page
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_text("2 of 2")).to_be_visible()
        table = page.get_by_role("table", name="Comparison of methods")
        for method in ("now", "la", "fa-lb"):
            expect(table.locator(f'[data-method="{method}"]')).to_be_visible()
        expect(rows(page, "Switches by method").first).to_contain_text("100")
        watched.accessible()
        watched.screenshot("budgets-compare-desktop")
        assert page.get_by_role("button", name="Run la").count() == 0

        page.goto(f"{watched.base}/budgets?row={name}&curve=fa-lb")
        table = page.get_by_role("table", name=f"Budget curve of {name}")
        expect(table.locator("tbody tr").nth(1)).to_be_visible()
        expect(
            page.locator(f'[data-chart^="Redundant copies and false positives by budget of {name}"] canvas')
        ).to_be_visible()
        assert page.get_by_role("button", name="Set budget…").count() == 0
        watched.accessible()
        watched.screenshot("budgets-curve-desktop", full=False)


@pytest.fixture
def failed(api, switches):
    """Yield a switch, and a subscription that its full table refused; remove all objects afterwards."""
    host = next(row for row in api("GET", "hosts/?limit=50")["results"] if switches[row["switch"]]["entries"])
    switch = switches[host["switch"]]
    away = next(row for row in api("GET", "hosts/?limit=50")["results"] if row["switch"] != host["switch"])
    topic = api("POST", "topics/", TOPIC)
    publisher = api("POST", "publishers/", {"name": "gauge", "host": away["name"]})
    advert = api("POST", "advertisements/", {"publisher": "gauge", "topic": "levels", "filter": "true"})
    subscriber = api("POST", "subscribers/", {"name": "dial", "host": host["name"]})
    api("PATCH", f"switches/{switch['id']}/", {"tcam_budget": switch["entries"]})
    asked = {"subscriber": "dial", "topic": "levels", "filter": "level < 512"}
    request = api("POST", "subscriptions/", asked)
    assert request["state"] == "failed", request
    yield switch, request
    for one in api("GET", "subscriptions/?subscriber=dial")["results"]:
        api("DELETE", f"subscriptions/{one['id']}/")
    api("DELETE", f"advertisements/{advert['object']['id']}/")
    for path in (
        f"subscribers/{subscriber['id']}/",
        f"publishers/{publisher['id']}/",
        f"topics/{topic['id']}/",
    ):
        api("DELETE", path)


def test_a_failed_request_is_found_understood_and_fixed_by_keyboard_alone(visit, api, failed):
    switch, request = failed
    with visit("/requests") as watched:
        page = watched.page
        press = page.keyboard.press
        expect(rows(page, "Requests").first).to_be_visible()
        tab_to(page, "State")
        press("ArrowDown")
        expect(page.get_by_role("option", name="failed")).to_be_visible()
        page.keyboard.type("")
        for _ in range(6):
            press("ArrowDown")
            if page.locator("[role=option][data-combobox-selected]").inner_text() == "failed":
                break
        press("Enter")
        first = page.locator(f'tr[data-row="{request["id"]}"]')
        expect(rows(page, "Requests").first).to_have_attribute("data-row", str(request["id"]))
        expect(first).to_contain_text("failed")
        for _ in range(20):
            press("Tab")
            if page.evaluate("document.activeElement.dataset.row") == str(request["id"]):
                break
        press("Enter")
        panel = page.get_by_role("dialog")
        expect(panel.get_by_role("alert")).to_contain_text("needs more entries than these switches")
        tab_to(page, f"Budget of {switch['name']}")
        press("Enter")

        expect(page.get_by_role("heading", level=1)).to_have_text("Budgets")
        box = page.get_by_role("checkbox", name=f"Select {switch['name']}", exact=True)
        expect(box).to_be_checked()
        tab_to(page, "Set budget…")
        press("Enter")
        expect(page.get_by_label("Budget (entries for events)")).to_be_focused()
        press("Control+a")
        page.keyboard.type("900")
        press("Enter")
        expect(page.get_by_text("The budget is large enough.")).to_be_visible()
        press("Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)
        expect(page.locator(f'tr[data-row="{switch["name"]}"]')).to_contain_text("900")

        page.go_back()
        expect(panel.get_by_text("What to do")).to_be_visible()
        tab_to(page, "Try again")
        press("Enter")
        expect(panel.locator('[data-state="active"]')).to_be_visible()
    (made,) = api("GET", "subscriptions/?subscriber=dial")["results"]
    assert made["state"] == "active" and made["matched"]
