"""From an empty installation to the first delivered event: the demo over the API, and test events."""

import signal

import httpx
import pytest

from tests.support.labs.demo_runs import Run, nothing_runs, run_dir
from tests.waiting import LIMIT_SECONDS, wait_until

__all__ = ["run_dir"]

pytestmark = pytest.mark.fabric

QUOTE = {"low": 24.0, "high": 25.0, "open": 24.5, "close": 24.6, "volume": 100, "symbol": "MSFT"}


class Installation:
    """The platform of a run, over its API."""

    def __init__(self, folder, *arguments):
        self.run = Run(folder, "--empty", *arguments)
        self.run.wait_for("Ctrl-C ends it")
        lines = [line.split() for line in self.run.text().splitlines()]
        page = [words[1] for words in lines if words[:1] == ["page"]][-1]
        token = (folder / "state" / "secrets" / "operator-token").read_text().strip()
        headers = {"Authorization": f"Bearer {token}", "Prefer": "wait=50"}
        self.api = httpx.Client(
            base_url=f"{page}api/v1/", headers=headers, timeout=LIMIT_SECONDS, trust_env=False
        )

    def get(self, path):
        return self.api.get(path).raise_for_status().json()

    def post(self, path, body):
        answer = self.api.post(path, json=body)
        assert answer.is_success, answer.text
        return answer.json()

    def demo_is(self, state):
        def there():
            body = self.get("demo/")
            assert body["state"] != "failed" or state == "failed", body["reason"]
            return body["state"] == state

        wait_until(f"the demo {state}", there)

    def try_out(self, advertisement, values):
        body = self.post("test-events/", {"advertisement": advertisement, "values": values})
        assert (body["state"], body["problem"]) == ("done", ""), body
        return {one["host"]: one for one in body["received"]}

    def end(self):
        self.run.process.send_signal(signal.SIGINT)
        assert self.run.end() == 0, self.run.text()


@pytest.mark.full
def test_an_empty_installation_gets_to_its_first_delivered_event(run_dir):
    """The demo, an event of one of its publishers, and one of a separate topic of a new user."""
    home = Installation(run_dir)
    body = home.get("demo/")
    assert (body["state"], body["may_start"]) == ("offered", True)
    assert home.get("connect/")["addresses"][0].startswith("tcp:127.0.0.1:")
    assert home.get("topology/") == {"switches": [], "links": [], "hosts": []}
    home.post("demo/", {"action": "start"})
    home.demo_is("running")
    picture = home.get("topology/")
    assert len(picture["switches"]) == 11 and all(row["connected"] for row in picture["switches"])
    assert all(row["x"] is not None for row in picture["switches"])

    (feed,) = home.get("advertisements/?publisher=msft-feed")["results"]
    got = home.try_out(f"a{feed['id']}", QUOTE)
    (lows,) = home.get("subscriptions/?subscriber=microsoft-lows")["results"]
    assert f"q{lows['id']}" in got[lows["host"]]["subscriptions"]

    attributes = [{"name": "celsius", "type": "float", "min": -60.0, "max": 60.0}]
    home.post("topics/", {"name": "weather", "attributes": attributes})
    home.post("publishers/", {"name": "station", "host": feed["host"]})
    home.post("subscribers/", {"name": "sauna", "host": lows["host"]})
    sent = home.post("advertisements/", {"publisher": "station", "topic": "weather", "filter": "true"})
    wanted = home.post(
        "subscriptions/", {"subscriber": "sauna", "topic": "weather", "filter": "celsius >= 30"}
    )
    assert sent["state"] == wanted["state"] == "active"
    got = home.try_out(sent["object"]["name"], {"celsius": 31.5})
    assert got.keys() == {lows["host"]}
    assert got[lows["host"]]["wanted"] and got[lows["host"]]["delay_ms"] < 60_000
    assert home.try_out(sent["object"]["name"], {"celsius": -5.0}) == {}

    wait_until("counters", lambda: home.get(f"subscriptions/{lows['id']}/")["delivered"])
    home.post("demo/", {"action": "stop"})
    home.demo_is("offered")
    assert home.get("traffic/totals/")["lost"] == 0
    home.end()
    wait_until("the end of all", lambda: nothing_runs(run_dir))


@pytest.mark.full
def test_the_demo_goes_on_after_the_launcher_was_killed(run_dir):
    home = Installation(run_dir)
    home.post("demo/", {"action": "start"})
    home.demo_is("running")
    home.run.process.kill()
    home.run.process.wait()
    wait_until("the end of all", lambda: nothing_runs(run_dir))
    again = Installation(run_dir)
    again.demo_is("running")
    again.post("demo/", {"action": "stop"})
    again.demo_is("offered")
    again.end()
