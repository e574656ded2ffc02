"""Telemetry of a run on real switches: published and delivered events, row by row and in each job."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import httpx
import psutil
import pyarrow.parquet as pq
import pytest

from analytics.jobs.runner import run_job
from analytics.options import JobOptions
from analytics.subscriptions import read_subscriptions
from mininet_labs.demo import content
from mininet_labs.demo.content import TOPIC
from mininet_labs.topologies import load
from tests.waiting import LIMIT_SECONDS, wait_until

pytestmark = [pytest.mark.fabric, pytest.mark.full]

ROOT = Path(__file__).parents[3]
ABILENE = ROOT / "mininet_labs" / "topologies" / "abilene.json"
WEATHER = {
    "name": "weather",
    "attributes": [{"name": "celsius", "type": "int", "min": -60, "max": 67}],
}
WARM, COLD = 40, 20


class Run:
    """The demo in its own folder, with a weather station and a sauna as additional hosts."""

    def __init__(self, folder: Path) -> None:
        self.run = folder / "run"
        self.root = self.run / "state" / "telemetry"
        self.out = folder / "out"
        with self.out.open("w") as out:
            self.demo = subprocess.Popen(
                [
                    *python("mininet_labs"),
                    "run",
                    "--port",
                    "8500",
                    "--rate",
                    "50",
                    "--report",
                    str(folder / "r"),
                ],
                env={**os.environ, "TERCAST_RUN_DIR": str(self.run)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        wait_until("the demo", lambda: "entries" in self.out.read_text() or self.demo.poll() is not None)
        found = re.search(r"page +(http://\S+)/", self.out.read_text())
        assert found, self.out.read_text()
        self.url = found[1]
        self.token = self.run / "state" / "secrets" / "operator-token"
        self.advertisement = self.register()

    def post(self, path: str, body: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.token.read_text().strip()}", "Prefer": "wait=30"}
        url = f"{self.url}/api/v1/{path}/"
        answer = httpx.post(url, json=body, headers=headers, timeout=LIMIT_SECONDS, trust_env=False)
        assert answer.is_success, answer.text
        return answer.json()

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.token.read_text().strip()}"}
        return httpx.get(
            f"{self.url}/api/v1/{path}", headers=headers, timeout=LIMIT_SECONDS, trust_env=False
        ).json()

    def register(self) -> str:
        self.post("topics", WEATHER)
        self.post("publishers", {"name": "station", "host": "h-sea-2"})
        made = self.post("advertisements", {"publisher": "station", "topic": "weather", "filter": ""})
        self.post("subscribers", {"name": "sauna", "host": "h-atl-2"})
        made_too = self.post(
            "subscriptions", {"subscriber": "sauna", "topic": "weather", "filter": "celsius >= 30"}
        )
        assert (made["state"], made_too["state"]) == ("active", "active")
        return str(made["object"]["name"])

    def host(
        self, command: str, host: str, *arguments: str, out: IO[str] | int = subprocess.PIPE
    ) -> subprocess.Popen[str]:
        port = str(self.run / "hosts" / f"{host}.sock")
        common = ("--api", self.url, "--token-file", str(self.token), "--host", host, "--fabric-port", port)
        return subprocess.Popen(
            [*python("tercast.client"), command, *common, *arguments],
            stdout=out,
            stderr=subprocess.PIPE,
            text=True,
        )

    def publish(self, *arguments: str) -> subprocess.Popen[str]:
        return self.host("publish", "h-sea-2", "--advertisement", self.advertisement, *arguments)

    def rows(self, dataset: str, topic: str | None = None) -> list[dict[str, Any]]:
        rows = [
            row for path in self.root.glob(f"{dataset}/*/[!._]*") for row in pq.read_table(path).to_pylist()
        ]
        return [row for row in rows if topic is None or row["topic"] == topic]


def python(module: str) -> list[str]:
    return [sys.executable, "-m", module]


@pytest.fixture(scope="module")
def ran() -> Iterator[dict[str, Any]]:
    """Yield the result of a run: publishers over the API, one that is killed while it writes, and the
    demo."""
    folder = Path(tempfile.mkdtemp(prefix="tc-telemetry-", dir="/tmp"))
    run = Run(folder)
    started: list[subprocess.Popen[str]] = []
    try:
        heard = folder / "heard"
        with heard.open("w") as out:  # not a pipe: a listener stops when its pipe is full
            listener = run.host("listen", "h-atl-2", "--telemetry-api", "--json", out=out)
        started.append(listener)
        assert listener.stderr and "listening" in listener.stderr.readline()
        for celsius, count in ((35, WARM), (5, COLD)):
            value = ("--value", f"celsius={celsius}", "--count", str(count), "--rate", "100")
            station = run.publish(*value, "--telemetry-api")
            started.append(station)
            _, output = station.communicate(timeout=LIMIT_SECONDS)
            assert f"telemetry: {count} of {count} rows written, 0 lost" in output
        before = set(run.root.glob("published/*/*h-sea-2*"))
        killed = run.publish(
            "--value", "celsius=50", "--count", "100000", "--rate", "60", "--telemetry", str(run.root)
        )
        started.append(killed)
        wait_until("a file of its own", lambda: set(run.root.glob("published/*/h-sea-2-*.parquet")) - before)
        killed.kill()
        killed.wait()
        time.sleep(1.0)  # until sent events have arrived; there is no sign of their end
        listener.send_signal(signal.SIGINT)
        _, output_at_end = listener.communicate(timeout=LIMIT_SECONDS)
        counters = json.loads(heard.read_text().splitlines()[-1])["counters"]
        wait_until("snapshots and requests", lambda: run.rows("requests"))
        writers = run.get("telemetry/")
        run.demo.send_signal(signal.SIGINT)
        assert run.demo.wait(LIMIT_SECONDS) == 0, run.out.read_text()
        report = json.loads((folder / "r").read_text())
        yield {
            "run": run,
            "report": report,
            "counters": counters,
            "output": output_at_end,
            "writers": writers,
        }
    finally:
        for process in started:
            process.kill()
        for process in psutil.process_iter():
            try:
                words = [*process.cmdline(), *process.environ().values()]
            except psutil.Error:
                continue
            if process.pid != os.getpid() and any(str(run.run) in word for word in words):
                process.kill()
        shutil.rmtree(folder)


def test_every_event_and_every_copy_is_a_row_once(ran: dict[str, Any]) -> None:
    run, report = ran["run"], ran["report"]
    published, delivered = run.rows("published", "quotes"), run.rows("delivered", "quotes")
    assert len(published) == len({(row["publisher"], row["seq"]) for row in published}) == report["published"]
    assert len(delivered) == len({(row["publisher"], row["seq"], row["host"]) for row in delivered})
    assert len(delivered) == report["delivered"]
    assert sum(not row["wanted"] for row in delivered) == report["unwanted"]
    assert report["telemetry"]["taken"] == report["telemetry"]["written"] == len(published) + len(delivered)
    assert {row["topic"] for row in published} == {"quotes"}


def test_telemetry_by_the_api_has_all_events_and_a_killed_writer_whole_batches(ran: dict[str, Any]) -> None:
    run, wanted = ran["run"], ran["counters"]["wanted"]
    published, delivered = run.rows("published", "weather"), run.rows("delivered", "weather")
    values = Counter(json.loads(row["values"])["celsius"] for row in published)
    assert (values[35], values[5]) == (WARM, COLD)
    assert 0 < values[50] <= wanted - WARM  # the killed one sent more than it has reported
    assert len(delivered) == wanted == ran["counters"]["delivered"]
    assert f"telemetry: {wanted} of {wanted} rows written, 0 lost" in ran["output"]
    assert all(row["wanted"] and row["host"] == "h-atl-2" and row["subscriptions"] for row in delivered)
    ways = Counter(writer["way"] for writer in ran["writers"]["writers"])
    assert ways["api"] == 3 and ways["folder"] >= 2
    assert not list(run.root.rglob("[!.]*.part"))


def test_requests_are_those_of_the_log_and_tables_those_of_the_switches(ran: dict[str, Any]) -> None:
    run, report = ran["run"], ran["report"]
    final = {row["request"] for row in run.rows("requests") if row["status"] == "active"}
    assert len(final) == report["requests"]["active"]
    snapshots = run.rows("table_snapshots")
    assert {row["switch"] for row in snapshots} == {switch["id"] for switch in load(ABILENE)["switches"]}
    assert max(row["entries"] for row in snapshots) > 0


@pytest.mark.spark
def test_the_six_jobs_count_what_was_published_and_delivered(
    ran: dict[str, Any], spark: Any, tmp_path: Path
) -> None:

    topology = load(ABILENE)
    homes = {row["name"]: row["host"] for row in content.subscribers(topology)}
    wishes = [
        {"id": f"s{n}", "host": homes[row["subscriber"]], "topic": "quotes", "filter": row["filter"]}
        for n, row in enumerate(content.subscriptions())
    ]
    given = read_subscriptions({"topics": [{**TOPIC, "code": 2}], "subscriptions": wishes})
    options = JobOptions(str(ran["run"].root), datetime.now(UTC), subscriptions=given)

    def job(name: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        run_job(spark, name, options, str(tmp_path))
        rows = json.loads((tmp_path / f"{name}.json").read_text())
        return rows, json.loads((tmp_path / f"{name}.meta.json").read_text())

    report, wanted = ran["report"], ran["counters"]["wanted"]
    quotes = lambda rows: [row for row in rows if row["topic"] == "quotes"]  # noqa: E731
    total = lambda rows, name: sum(row[name] for row in rows)  # noqa: E731

    rows, meta = job("false_positives")
    assert meta["rejected"] == dict.fromkeys(meta["rejected"], 0)
    assert meta["writers"]["writers"] >= 6 and meta["writers"]["lost"] == 0
    for name in ("delivered", "unwanted", "lost", "doubled"):
        assert total(quotes(rows), name) == report[name]
    assert [row["delivered"] for row in rows if row["topic"] == "weather"] == [wanted]

    rows, meta = job("delay")
    assert total(quotes(rows), "events") == report["delivered"]
    found = sum(json.loads(row["values"])["celsius"] == 50 for row in ran["run"].rows("published", "weather"))
    unknown = wanted - WARM - found  # delivered events whose rows the killed publisher did not write
    assert meta["notes"].get("deliveries_of_unknown_events", 0) == unknown
    assert total(rows, "events") == report["delivered"] + wanted - unknown

    rows, _ = job("publisher_load")
    assert total(rows, "events") == report["published"] + WARM + COLD + found
    rows, _ = job("request_latency")
    assert total(rows, "requests") == report["requests"]["active"] and total(rows, "failed") == 0
    rows, _ = job("flow_table_size")
    assert {row["switch"] for row in rows} == {switch["id"] for switch in topology["switches"]}
    rows, _ = job("dimension_selection")
    assert [(row["topic"], row["events"]) for row in rows] == [("quotes", report["published"])]
