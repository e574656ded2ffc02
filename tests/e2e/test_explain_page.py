"""The page that explains events: published ones, past ones, and events that are not sent."""

import json
import re
import subprocess
import sys
from urllib.parse import urlencode

import pytest
from e2e_dock import Dock
from playwright.sync_api import expect

from tests.waiting import LIMIT_SECONDS, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

TOPIC = {
    "name": "tides",
    "attributes": [
        {"name": "level", "type": "int", "min": 0, "max": 1023},
        {"name": "rising", "type": "bool"},
    ],
}
SENDER, WANTS, OTHER = "h-sea-2", "h-atl-2", "h-hou-2"


@pytest.fixture
def tides(running):
    """Yield a topic, a publisher in Seattle, and two different subscribers; remove all afterwards."""

    def call(method, path, body=None):
        answer = running.call(method, path, body)
        assert answer.status_code < 400, answer.text
        return answer.json() if answer.content else None

    topic = call("POST", "topics/", TOPIC)
    gone = [f"topics/{topic['id']}/"]
    for name, host, wants in (("harbour", WANTS, "level < 512"), ("river", OTHER, "level >= 512")):
        row = call("POST", "subscribers/", {"name": name, "host": host})
        made = call("POST", "subscriptions/", {"subscriber": name, "topic": "tides", "filter": wants})
        gone = [f"subscriptions/{made['object']['id']}/", f"subscribers/{row['id']}/", *gone]
    row = call("POST", "publishers/", {"name": "buoy", "host": SENDER})
    made = call("POST", "advertisements/", {"publisher": "buoy", "topic": "tides", "filter": "level < 900"})
    gone = [f"advertisements/{made['object']['id']}/", f"publishers/{row['id']}/", *gone]
    yield made["object"]["name"]
    for path in sorted(gone, key=lambda path: path.split("/")[0] not in ("subscriptions", "advertisements")):
        call("DELETE", path)


def host_command(running, what, host, *more):
    """Return the command `tercast WHAT` at a host of the demo."""
    return [
        *(sys.executable, "-m", "tercast", what, "--api", running.base),
        *("--token-file", str(running.run_dir / "state/secrets/operator-token"), "--host", host),
        *("--fabric-port", str(running.run_dir / "hosts" / f"{host}.sock"), *more),
    ]


def events_of(path):
    """Return the events that a listener has printed."""
    return [row for row in map(json.loads, path.read_text().splitlines()) if "values" in row]


def published(running, advertisement, folder):
    """Publish level 100 until the subscriber has it; return the events that both hosts got."""
    files = {host: folder / host for host in (WANTS, OTHER)}
    listeners = []
    for host, path in files.items():
        command = host_command(
            running, "listen", host, "--topic", "tides", "--filter", "true", "--all", "--json"
        )
        with path.open("w") as out:
            listeners.append(subprocess.Popen(command, stdout=out))
    send = host_command(
        *(running, "publish", SENDER, "--advertisement", advertisement),
        *("--value", "level=100", "--value", "rising=true"),
    )

    def arrived():
        subprocess.run(send, check=True, capture_output=True, timeout=LIMIT_SECONDS)
        return bool(events_of(files[WANTS]))

    try:
        wait_until("the event", arrived)
    finally:
        for one in listeners:
            one.terminate()
            one.wait(LIMIT_SECONDS)
    return {host: events_of(path) for host, path in files.items()}


def expect_summary(page, text):
    expect(page.locator("[data-summary]")).to_contain_text(text)


def host_row(page, host):
    return page.get_by_role("table", name="Hosts").locator(f'tr[data-row="{host}"]')


def test_a_typed_event_is_explained_as_it_really_went(visit, running, tides, tmp_path):
    got = published(running, tides, tmp_path)
    assert got[WANTS] and not got[OTHER]
    with visit("/explain") as watched:
        page = watched.page
        page.get_by_role("combobox", name="Publisher").fill("buoy")
        page.get_by_role("option", name="buoy").click()
        page.get_by_label("level").fill("100")
        page.get_by_role("combobox", name="rising").click()
        page.get_by_role("option", name="true").click()
        page.get_by_role("button", name="Explain", exact=True).click()

        expect_summary(page, "1 host with a matching subscription receives the event.")
        expect(page.locator('[data-real="true"]')).to_contain_text("match the plan")
        expect(host_row(page, WANTS).locator('[data-reason="match"]')).to_be_visible()
        expect(host_row(page, WANTS)).to_contain_text("yes")
        expect(host_row(page, OTHER).locator('[data-reason="no_match"]')).to_be_visible()
        way = page.locator("[data-way]")
        expect(way.locator("[data-hop]").first).to_have_attribute("data-hop", "sea")
        expect(way.locator('[data-hop="atl"]').get_by_text(WANTS)).to_be_visible()
        watched.accessible()
        watched.screenshot("explain-desktop")
        shared = page.url

        page.get_by_label("level").fill("950")
        page.get_by_role("button", name="Explain", exact=True).click()
        expect_summary(page, "The event is not sent: it is outside the advertisement.")
        expect(page.locator("[data-way]")).to_have_count(0)
        page.get_by_label("level").fill("2000")
        watched.allow("status 400|status of 400")
        page.get_by_role("button", name="Explain", exact=True).click()
        expect(page.get_by_label("level")).to_have_attribute("aria-invalid", "true")
        expect(page.get_by_label("level")).to_have_value("2000")

    with visit("/explain", user="vera", size="phone", scheme="dark") as watched:
        watched.page.goto(shared)
        expect(host_row(watched.page, WANTS)).to_contain_text("yes")
        expect(watched.page.get_by_label("level")).to_have_value("100")
        watched.accessible()
        watched.screenshot("explain-phone")
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert watched.page.evaluate(overflow) <= 0


def test_a_past_event_is_picked_and_every_host_has_its_reason(visit, running):
    def kept():
        return running.call("GET", "traffic/samples/events/?limit=1").json()["results"]

    wait_until("a sample", kept)
    with visit("/explain") as watched:
        page = watched.page
        page.get_by_role("button", name="Select a past event…").click()
        row = page.get_by_role("table", name="Past events").locator("tr[data-row]").first
        expect(row).to_contain_text("symbol")
        watched.accessible()
        number = row.get_attribute("data-row")
        row.focus()
        page.keyboard.press("Enter")
        expect(page.locator("[data-summary]")).to_be_visible()
        (event,) = running.call("GET", f"traffic/samples/events/?id={number}").json()["results"]
        question = {"publisher": event["advertisement"], "values": json.dumps(event["values"])}
        answer = running.call("GET", f"explain/?{urlencode(question)}").json()
        for verdict in answer["received"]:
            reason = host_row(page, verdict["host"]).locator(f'[data-reason="{verdict["reason"]}"]')
            expect(reason).to_be_visible()
        page.get_by_role("checkbox", name="without a subscription").check()
        hosts = len(answer["received"]) + len(answer["not_received"])
        expect(page.get_by_text(re.compile(rf"Total: {hosts}(?!\d)"))).to_be_visible()


@pytest.fixture
def dock(running):
    """Yield a separate switch with the hosts h-quay and h-pier, and a partly indexed topic."""
    made = Dock(running)
    gone: list[str] = []

    def declare(resource, body):
        found = made.api("POST", f"{resource}/", body)
        gone.append(f"{resource}/{found['object']['id'] if 'object' in found else found['id']}/")

    policy = made.api("GET", "aggregation/")["method"]
    try:
        made.add()
        declare("topics", {**TOPIC, "name": "berths", "indexed": ["level"]})
        for name, filters in BERTHS.items():
            declare("subscribers", {"name": name, "host": f"h-{name}"})
            for text in filters:
                declare("subscriptions", {"subscriber": name, "topic": "berths", "filter": text})
        declare("publishers", {"name": "crane", "host": SENDER})
        declare("advertisements", {"publisher": "crane", "topic": "berths", "filter": ""})
        yield made
    finally:
        made.api("PATCH", "aggregation/", {"method": policy})
        for path in sorted(
            gone, key=lambda path: path.split("/")[0] not in ("subscriptions", "advertisements")
        ):
            made.api("DELETE", path)
        made.remove()


BERTHS = {
    "quay": ["level < 256 and rising = true", "level in [512, 543]", "level in [640, 671]"],
    "pier": ["level < 256"],
}


def look_until(page, wanted, before=lambda: None):
    """Explain the event again, after `before`, until the page shows `wanted`."""

    def there():
        before()
        with page.expect_response(re.compile("/api/v1/explain/")):
            page.get_by_role("button", name="Trace again").click()
        expect(page.get_by_role("button", name="Trace again")).to_be_enabled()
        return wanted.is_visible()

    wait_until("the expected text", there)


@pytest.mark.full
def test_each_fault_and_each_false_positive_has_its_reason(visit, dock):
    """Truncation, a missing entry, a host and a switch that are down, a merged table (real switch)."""

    def address(**values):
        return (
            f"/explain?{urlencode({'publisher': 'crane', 'topic': 'berths', 'values': json.dumps(values)})}"
        )

    def reason(page, name, why):
        return host_row(page, f"h-{name}").locator(f'[data-reason="{why}"]')

    with visit(address(level=100, rising=False)) as watched:
        page = watched.page
        expect_summary(page, "1 host with a matching subscription receives the event.")
        expect_summary(page, "1 host receives it as a false positive.")
        expect(reason(page, "quay", "truncation")).to_be_visible()
        expect(reason(page, "pier", "match")).to_be_visible()
        expect(page.locator('[data-real="true"]')).to_be_visible()

        look_until(page, reason(page, "pier", "entry_missing"), before=dock.forget_entries)
        expect(page.locator('[data-real="false"]')).to_contain_text("switch dock has no entry")
        expect(host_row(page, "h-pier")).to_contain_text("no")
        expect_summary(page, "1 host with a matching subscription does not receive the event.")
        watched.accessible()
        watched.screenshot("explain-entry-missing-desktop")
        dock.api("POST", "audits/", {"switches": ["dock"]})
        look_until(page, page.locator('[data-real="true"]'))

        dock.set_port("h-pier", "down")
        look_until(page, reason(page, "pier", "host_down"))
        dock.set_port("h-pier", "up")
        look_until(page, reason(page, "pier", "match"))

        dock.change(up=False)
        look_until(page, reason(page, "pier", "switch_down"))
        expect_summary(page, "The event reaches no host with a matching subscription.")
        dock.change(up=True)
        look_until(page, reason(page, "pier", "match"))

        dock.api("PATCH", "aggregation/", {"method": "la"})
        dock.change(tcam_budget=1)
        page.goto(watched.base + address(level=520, rising=True))
        expect(reason(page, "quay", "match")).to_be_visible()
        look_until(page, reason(page, "pier", "aggregation"))
        expect(host_row(page, "h-pier")).to_contain_text("false positive: aggregation")
        expect(page.locator('[data-real="true"]')).to_be_visible()
