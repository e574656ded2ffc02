"""From an empty installation to the first delivered event, and the two other ways to a network."""

import shlex
import subprocess
import sys

import pytest
from e2e_browser import watched
from e2e_running import RunningPlatform
from playwright.sync_api import expect

from mininet_labs.fabric import Fabric
from tests.waiting import LIMIT_SECONDS

pytestmark = [pytest.mark.browser, pytest.mark.fabric]

SMALL = b"seattle denver 1\ndenver houston 1\nhouston seattle 2\nhouston houston 1\n"


@pytest.fixture(scope="module")
def empty():
    platform = RunningPlatform("--empty")
    try:
        platform.wait_until_ready()
        yield platform
    finally:
        platform.close()


def test_an_empty_installation_becomes_a_network_with_events(browser, empty):
    start_the_demo(browser, empty)
    import_a_topology(browser, empty)


def start_the_demo(browser, empty):
    with watched(browser, empty.base) as page_watched:
        page = page_watched.page
        page.goto(empty.base + "/network")
        page.get_by_label("User name").fill("admin")
        page.get_by_label("Password").fill(empty.password)
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url("**/welcome")
        page_watched.until_live()
        expect(page.locator("[data-choice]")).to_have_count(3)
        page_watched.accessible()
        page_watched.screenshot("welcome-desktop")

        page.get_by_role("button", name="Connect real switches").click()
        expect(page.get_by_text("tcp:127.0.0.1:", exact=False).first).to_be_visible()
        page_watched.accessible()

        page.get_by_role("button", name="Import a topology file").click()
        chooser = page.get_by_label("File", exact=True)
        with page.expect_file_chooser() as choice:
            chooser.click()
        choice.value.set_files({"name": "weights.txt", "mimeType": "text/plain", "buffer": SMALL})
        page.get_by_role("button", name="Preview").click()
        expect(page.locator("[data-found]")).to_contain_text("3 switches")
        expect(page.locator("[data-found]")).to_contain_text("correction")
        page_watched.accessible()
        assert empty.call("GET", "switches/").json()["results"] == []

        page.get_by_role("button", name="Demo network").click()
        page.get_by_role("button", name="Start the demo network").click()
        expect(page.locator("[data-demo]")).to_have_attribute("data-demo", "running")
        send = page.get_by_role("button", name="Send the event")
        expect(send).to_be_enabled()
        send.click()
        expect(page.locator("[data-delivered]")).to_contain_text("ms")
        page_watched.accessible()
        page_watched.screenshot("welcome-delivered-desktop")
        result = empty.call("GET", "test-events/?limit=1").json()["results"][0]
        assert result["state"] == "done" and result["received"], result


def import_a_topology(browser, empty):
    with watched(browser, empty.base, "phone", "dark") as page_watched:
        page = page_watched.page
        page_watched.log_in("admin", empty.password, "/welcome?choice=import")
        page_watched.until_live()
        with page.expect_file_chooser() as choice:
            page.get_by_label("File", exact=True).click()
        choice.value.set_files({"name": "weights.txt", "mimeType": "text/plain", "buffer": SMALL})
        page.get_by_role("button", name="Preview").click()
        page.get_by_role("button", name="Import", exact=True).click()
        expect(page.locator('[data-operation="finished"]')).to_contain_text("9 of 9")
        page_watched.accessible()
        page_watched.screenshot("welcome-phone")
        page.get_by_role("link", name="Show the commands for the switches").click()
        expect(page.get_by_text("ovs-vsctl set bridge seattle", exact=False)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


PAIR = {
    "switches": [{"id": f"s{n}", "dpid": f"{n:016x}", "tcam_budget": None} for n in (1, 2)],
    "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1, "cost": 1}],
    "hosts": [
        {"id": f"h{n}", "switch": f"s{n}", "port": 3, "ip": f"fd00::{n}", "mac": f"02:00:00:00:00:0{n}"}
        for n in (1, 2)
    ],
}


def register_host(page, number):
    page.get_by_role("button", name="Register a").first.click()
    dialog = page.get_by_role("dialog", name="Register a host")
    dialog.get_by_label("Name").fill("no name")
    dialog.get_by_role("combobox", name="Switch").click()
    page.get_by_role("option", name=f"{number:016x}").click()
    dialog.get_by_label("Port").fill("3")
    dialog.get_by_label("IP address").fill(f"fd00::{number}")
    dialog.get_by_label("MAC address").fill(f"02:00:00:00:00:0{number}")
    dialog.get_by_role("button", name="Register").click()
    expect(dialog).to_contain_text("is not a valid name")
    dialog.get_by_label("Name").fill(f"h{number}")
    dialog.get_by_role("button", name="Register").click()
    expect(dialog).to_have_count(0)


def announce(page, kind, verb, host, text):
    """Register a publisher or subscriber at a host and announce, as the list of steps describes."""
    page.get_by_role("link", name=f"Register a {kind}").click()
    page.get_by_role("button", name=f"Register {kind}").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(f"my-{kind}")
    dialog.get_by_role("combobox", name="Host").click()
    page.get_by_role("option", name=host, exact=True).click()
    dialog.get_by_role("button", name=f"Register and {verb.lower()}").click()
    dialog = page.get_by_role("dialog", name="New ")
    dialog.get_by_role("combobox", name="Topic").click()
    page.get_by_role("option", name="readings").click()
    dialog.locator(".cm-content").click()
    page.keyboard.type(text)
    dialog.get_by_role("button", name=verb, exact=True).click()
    expect(dialog).to_contain_text("is active")


def tool(command, port, *more):
    """Return the command that the page shows for a host, with a port of the fabric."""
    words = shlex.split(command)
    words[words.index("--udp") : words.index("--udp") + 2] = ["--fabric-port", str(port)]
    return [sys.executable, "-m", *words, *more]


@pytest.mark.full
def test_switches_of_ones_own_lead_to_an_event_that_arrives(browser):
    own = RunningPlatform("--empty")
    try:
        own.wait_until_ready()
        with Fabric(own.folder / "fab", PAIR, []) as fabric, watched(browser, own.base) as page_watched:
            page = page_watched.page
            page_watched.log_in("admin", own.password, "/welcome?choice=connect")
            page_watched.until_live()
            command = page.locator("pre", has_text="ovs-vsctl").inner_text()
            for bridge in ("s1", "s2"):
                for part in command.replace("BRIDGE", fabric.bridge(bridge)).split("&&"):
                    fabric.vsctl(*shlex.split(part)[1:])
            expect(page.get_by_text("2 of 2 registered switches are connected.")).to_be_visible()
            page_watched.allow("status 400.*/hosts/|400 .Bad Request.*hosts")
            register_host(page, 1)
            register_host(page, 2)
            page.get_by_role("link", name="Create a topic").click()
            page.get_by_role("button", name="Create topic").first.click()
            dialog = page.get_by_role("dialog")
            dialog.get_by_label("Name").first.fill("readings")
            dialog.get_by_label("Attribute name").fill("low")
            dialog.get_by_role("button", name="Create topic").click()
            page.wait_for_url("**/topics/readings")
            page.goto(own.base + "/welcome")
            announce(page, "publisher", "Advertise", "h1", "low < 500")
            page.goto(own.base + "/welcome")
            announce(page, "subscriber", "Subscribe", "h2", "low < 100")
            page.goto(own.base + "/welcome")
            commands = page.locator("[data-own-hosts] code")
            expect(commands).to_have_count(2)
            page_watched.accessible()
            page_watched.screenshot("welcome-own-switches-desktop")
            token = str(own.run_dir / "state/secrets/operator-token")
            listen, publish = (text.replace("TOKEN", token) for text in commands.all_inner_texts())
            listener = subprocess.Popen(
                tool(listen, fabric.host_socket("h2"), "--count", "1", "--for", "120"),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert "listening" in listener.stderr.readline()
            subprocess.run(tool(publish, fabric.host_socket("h1")), check=True, timeout=LIMIT_SECONDS)
            output = listener.communicate(timeout=LIMIT_SECONDS)[0]
            assert '"low"' in output, output
            assert "expected 1" in output, output
    finally:
        own.close()
