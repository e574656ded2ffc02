"""User actions in an installation: switches over TLS, a subscription, events, an analytics run.

The test of the guide copies this file into its machine, and runs a step with the Python of the installation:
`network`, `deliver`, `analytics`, `subscribe_later` or `is_restored`.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from mininet_labs.fabric import Fabric
from mininet_labs.topologies.generate import ring
from tercast.cli.certificate_authority import Identity, make_certificates
from tercast.topology.rest_rows import api_row

SITE = "https://tercast.example.org"
TRUST = "/etc/ssl/tercast/fullchain.pem"
TOKEN = Path("/var/lib/tercast/secrets/operator-token")
HOSTS = Path("/srv/hosts.json")
EVENTS = 20


def client() -> httpx.Client:
    headers = {"Authorization": f"Bearer {TOKEN.read_text().strip()}", "Prefer": "wait=30"}
    return httpx.Client(base_url=f"{SITE}/api/v1/", verify=TRUST, headers=headers, timeout=60)


def call(method: str, path: str, body: Any = None) -> Any:
    with client() as http:
        answer = http.request(method, path, json=body)
    assert answer.status_code < 300, f"{method} {path}: {answer.status_code} {answer.text}"
    return answer.json()


def until(condition: Callable[[], Any], what: str, seconds: float = 240) -> Any:
    end = time.monotonic() + seconds
    while True:
        try:
            found = condition()
        except (httpx.HTTPError, AssertionError) as error:
            found, what = None, f"{what.partition(' (')[0]} ({error!r})"
        if found:
            return found
        assert time.monotonic() < end, f"no {what} within {seconds:.0f} s"
        time.sleep(0.2)


def health() -> dict[str, str]:
    return {row["name"]: row["status"] for row in call("GET", "health/")["checks"]}


def network() -> None:
    """Run three switches that connect over TLS, until the machine ends."""
    folder = Path("/etc/tercast/tls")
    dpids = [row["dpid"] for row in topology()["switches"]]
    make_certificates(folder, ["fabric"], dpids={"fabric": dpids})  # one Open vSwitch has one certificate
    fabric = Fabric("/srv/f", topology(), ["ssl:127.0.0.1:6653"], tls=Identity.of(folder, "fabric"))
    with fabric:
        sockets = {host: str(found[0]) for host, found in fabric.host_sockets().items()}
        HOSTS.with_suffix(".part").write_text(json.dumps(sockets))
        HOSTS.with_suffix(".part").rename(HOSTS)
        fabric.wait()


def topology() -> dict[str, Any]:
    return ring(3, 1)


def register() -> None:
    """Register the network, a publisher and a subscriber once."""
    if call("GET", "switches/")["results"]:
        return
    for part in ("switches", "links", "hosts"):
        for row in topology()[part]:
            call("POST", f"{part}/", api_row(part, row))
    call(
        "POST",
        "topics/",
        {"name": "weather", "attributes": [{"name": "celsius", "type": "int", "min": 0, "max": 63}]},
    )
    call("POST", "publishers/", {"name": "station", "host": "h1"})
    call("POST", "subscribers/", {"name": "sauna", "host": "h3"})
    call("POST", "advertisements/", {"publisher": "station", "topic": "weather", "filter": "celsius >= 0"})
    call("POST", "subscriptions/", {"subscriber": "sauna", "topic": "weather", "filter": "celsius >= 32"})


def deliver() -> None:
    """Publish events through the switches; exactly the matching ones arrive, each once."""
    connect = until(lambda: call("GET", "connect/"), "answer of the web server")
    assert connect["reported"] and connect["tls"] and not connect["local_only"], connect
    assert all(one.startswith("ssl:") and one.endswith(":6653") for one in connect["addresses"]), connect
    until(HOSTS.exists, "network")
    register()
    for kind in ("advertisements", "subscriptions"):
        until(lambda kind=kind: states(kind) == {"active"}, f"active {kind}")
    until(lambda: set(health().values()) == {"ok"} and health(), "good health")
    sockets = json.loads(HOSTS.read_text())
    [advertisement] = call("GET", "advertisements/")["results"]
    listen = tercast(
        "listen",
        "--host",
        "h3",
        "--fabric-port",
        sockets["h3"],
        "--json",
        "--telemetry-api",
        "--for",
        "60",
        "--count",
        "10",
    )
    assert listen.stdout is not None
    until(lambda: is_listening(listen, sockets["h3"]), "listener", 60)
    file = Path("/srv/events.jsonl")
    name = f"a{advertisement['id']}"
    rows = [{"publisher": name, "values": {"celsius": 22 + n}} for n in range(EVENTS)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sent = tercast(
        "publish",
        "--advertisement",
        name,
        "--host",
        "h1",
        "--fabric-port",
        sockets["h1"],
        "--file",
        str(file),
        "--telemetry-api",
    )
    assert sent.wait(120) == 0, sent.communicate()
    said, errors = listen.communicate(timeout=120)
    lines = [json.loads(line) for line in said.splitlines()]
    values = sorted(line["values"]["celsius"] for line in lines if "values" in line)
    assert values == list(range(32, 42)), (said, errors)


def states(kind: str) -> set[str]:
    return {row["state"] for row in call("GET", f"{kind}/")["results"]}


def is_listening(process: subprocess.Popen[str], path: str) -> bool:
    """Whether the process is connected to the host's port: the switch has accepted a socket of this path."""
    assert process.poll() is None, process.communicate()
    rows = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return any(row[-1] == path and row[5] == "03" for row in rows)


def tercast(*arguments: str) -> subprocess.Popen[str]:
    api = ["--api", SITE, "--token-file", str(TOKEN)]
    return subprocess.Popen(
        ["/opt/tercast/.venv/bin/tercast", arguments[0], *api, *arguments[1:]],
        env={**os.environ, "SSL_CERT_FILE": TRUST},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def analytics() -> None:
    """Run a job now; a worker of the cluster computes it."""
    run = call("POST", "analytics/runs/", {"job": "delay", "rebuild": True})
    ended = ("succeeded", "failed", "skipped")
    row = until(lambda: ended_run(run["id"], ended), "end of the run", 600)
    assert row["state"] == "succeeded", row
    assert list(Path("/var/lib/tercast/spark").glob("app-*/0")), "no application ran on the cluster's worker"


def ended_run(number: int, ended: tuple[str, ...]) -> Any:
    row = call("GET", f"analytics/runs/{number}/")
    return row if row["state"] in ended else None


def subscribe_later() -> None:
    """Subscribe after the backup."""
    call("POST", "subscribers/", {"name": "later", "host": "h2"})
    call("POST", "subscriptions/", {"subscriber": "later", "topic": "weather", "filter": "celsius >= 60"})


def is_restored() -> None:
    """Check that the subscription after the backup is gone, and all else exists."""
    names = until(lambda: [row["name"] for row in call("GET", "subscribers/")["results"]], "subscribers")
    assert names == ["sauna"], names


STEPS = (network, deliver, analytics, subscribe_later, is_restored)

if __name__ == "__main__":
    {step.__name__: step for step in STEPS}[sys.argv[1]]()
