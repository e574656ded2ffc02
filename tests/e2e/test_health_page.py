"""Health and audit: problems and remedies, drift of real tables, alarms, signalling."""

import csv
import io
import subprocess
import threading
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from mininet_labs.fabric import FrameSocket

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

FOUND = "/health?tab=found-links"


def test_each_part_is_shown_and_has_a_link_for_the_keyboard(visit):
    with visit("/health", size="phone", scheme="dark") as watched:
        page = watched.page
        expect(page.locator("[data-check]")).to_have_count(13)
        expect(page.locator('[data-check="database"]')).to_have_attribute("data-status", "ok")
        watched.accessible()
        more = page.locator('[data-check="switches"]').get_by_role("link", name="More")
        more.focus()
        page.keyboard.press("Enter")
        expect(page.locator('[data-row="atl"]')).to_contain_text("connected")
        watched.accessible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_an_entry_that_somebody_added_is_found_and_removed(visit, running):
    """ovs-ofctl adds the entry with the platform's cookie, but without the platform."""
    with visit("/health?tab=audits&trigger=sign", user="otto") as watched:
        page = watched.page
        strange_entry(running, "den")
        newest = page.locator('table[aria-label="Audits"] tbody tr[data-row]').first
        expect(newest).to_contain_text("repaired: 1")
        newest.click()
        found = page.locator('table[aria-label^="Entries of audit"] tbody tr[data-row]')
        expect(found.first).to_contain_text("not in the plan")
        expect(page.get_by_role("dialog")).to_contain_text("Reason: switch den: its table has")
        watched.accessible()
        watched.screenshot("health-audit-desktop", full=False)
        page.keyboard.press("Escape")
        assert "ff0e:7:7::/48" not in ofctl(running, "dump-flows", "den", "ipv6")

        page.get_by_role("tab", name="Alarms").click()
        alarm = page.locator('table[aria-label="Alarms"] tbody tr[data-row]').first
        expect(alarm).to_contain_text("den")
        alarm.get_by_role("button", name="Learn more").click()
        expect(page.get_by_role("dialog")).to_contain_text("An audit reads every table back")
        watched.accessible()


def test_an_operator_audits_one_switch_or_all(visit):
    with visit("/health?tab=audits", user="otto") as watched:
        page = watched.page
        page.get_by_role("button", name="Audit tables…").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Switches").fill("den")
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        dialog.get_by_role("switch", name="Repair differences").click()
        watched.accessible()
        dialog.get_by_role("button", name="Audit", exact=True).click()
        checks = page.locator('table[aria-label^="Switches of audit"] tbody tr[data-row]')
        expect(checks).to_have_count(1)
        expect(checks).to_contain_text("matches the plan")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Audit tables…").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Audit and repair").click()
        expect(checks).to_have_count(11)
        expect(checks.filter(has_text="waiting")).to_have_count(0)


def test_hosts_may_be_kept_from_registering_themselves(visit, running):
    with visit("/health?tab=signalling", user="otto", scheme="dark") as watched:
        page = watched.page
        switch = page.get_by_role("switch", name="Unknown hosts can register themselves")
        expect(switch).to_be_checked()
        switch.click()
        expect(switch).not_to_be_checked()
        watched.accessible()
        assert running.call("GET", "signalling/").json()["self_registration"] is False
        switch.click()
        expect(switch).to_be_checked()


@pytest.mark.full
def test_an_operator_rejects_a_link_that_two_hosts_pretend_on_a_phone(visit, running):
    """The hosts forward each other's probes; the page shows the reason, also on a narrow screen."""
    with relaying(running, "h-sea-2", "h-nyc-2"), visit(FOUND, user="otto", size="phone") as watched:
        page = watched.page
        reason = page.get_by_text("port 12 of nyc has host h-nyc-2").locator("visible=true")
        expect(reason).to_have_count(1, timeout=90_000)
        watched.accessible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        watched.screenshot("health-found-links-phone", full=False)
        page.get_by_role("button", name="Approve nyc:12 to sea:12").click()
        expect(page.get_by_role("alert")).to_contain_text("h-nyc-2")
        page.get_by_role("button", name="Reject nyc:12 to sea:12").click()
        expect(page.get_by_text("rejected by otto")).to_be_visible()
        expect(page.get_by_role("button", name="Reject")).to_have_count(0)
        watched.allow("409")


@contextmanager
def relaying(running, *hosts):
    """Forward each LLDP frame between two hosts."""
    sockets = [FrameSocket(running.run_dir / "hosts" / f"{host}.sock") for host in hosts]
    ends = threading.Event()

    def relay():
        while not ends.is_set():
            for one, other in (sockets, reversed(sockets)):
                frame = one.recv(0.05)
                if frame is not None and frame[12:14] == b"\x88\xcc":
                    other.send(frame)

    thread = threading.Thread(target=relay, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
        for each in sockets:
            each.close()


def test_administrators_see_and_download_who_did_what(visit, running):
    assert running.call("PATCH", "signalling/", {"self_registration": True}).status_code in (200, 202)
    with visit("/health?tab=actions&actor=operator&q=signalling") as watched:
        page = watched.page
        newest = page.locator('table[aria-label="Actions"] tbody tr[data-row]').first
        expect(newest).to_contain_text("signalling")
        watched.accessible()
        with page.expect_download() as found:
            page.get_by_role("link", name="Download CSV").click()
        rows = list(csv.DictReader(io.StringIO(found.value.path().read_text())))
        assert {(one["actor"], one["resource"]) for one in rows} == {("operator", "signalling")}
        assert rows[0]["outcome"] == "done", rows[0]


def strange_entry(running, name):
    """Add an unplanned entry with the platform's cookie to the switch with this name."""
    dump = ofctl(running, "dump-flows", name, "ipv6")
    content = "cookie=0x7ec0a57e00000001"
    assert content in dump
    ofctl(running, "add-flow", name, f"{content},priority=77,ipv6,ipv6_dst=ff0e:7:7::/48,actions=drop")


def ofctl(running, command, name, *rest):
    socket = next(running.run_dir.rglob(f"{name}.mgmt"))
    call = ["ovs-ofctl", "-O", "OpenFlow13", command, f"unix:{socket}", *rest]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout
