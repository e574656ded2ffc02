"""Measure bulk calls and pages of the REST API; print one JSON object.

    python tests/benchmarks/bench_rest.py [--items 25000] [--rows 200000]

It runs in this process, with its own database (SQLite in a temporary folder, or `TERCAST_DATABASE_URL`, which
must name an empty database). `seconds` is elapsed time, `cpu` is the CPU time of this process.
"""
# ruff: noqa: PLC0415 - modules of Django are imported after the environment names the database

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]
HEADERS = {}
PRICES = ("open", "high", "low", "close")
TOPIC = {
    "name": "quotes",
    "attributes": [
        {"name": "symbol", "type": "string"},
        *(
            {"name": name, "type": "float", "min": 0.0, "max": 1e4}
            for name in ("open", "high", "low", "close")
        ),
        {"name": "volume", "type": "int", "min": 0, "max": 1_000_000_000},
    ],
    "indexed": ["symbol", "close"],
}


@contextmanager
def own_installation():
    """Set up a separate state directory, which is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tercast-bench-") as folder:
        os.environ["TERCAST_STATE_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "controlplane.config.settings"
        yield


def opened():
    """Return a client of a new control plane in this process without worker; `HEADERS` log in."""
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    from controlplane.accounts.tokens import issue_token
    from controlplane.requestlog import append

    append._wake = lambda: None
    call_command("migrate", verbosity=0)
    HEADERS["authorization"] = "Bearer " + issue_token(User.objects.create_superuser("bench"), "bench")
    return Client(headers={"host": "localhost"})


def timed(call):
    """Return the result of `call` and its time."""
    clock, cpu = time.perf_counter(), time.process_time()
    result = call()
    return result, {
        "seconds": round(time.perf_counter() - clock, 3),
        "cpu": round(time.process_time() - cpu, 3),
    }


def send(client, path, body, status):
    """POST `body`; exit if the answer is not as expected."""
    data = body if isinstance(body, str) else json.dumps(body)
    answer = client.post(f"/api/v1/{path}", data, content_type="application/json", headers=HEADERS)
    if answer.status_code != status:
        sys.exit(f"{path}: {answer.status_code} {answer.content[:500]!r}")
    return answer.json()


def subscriptions(count):
    """Return subscriptions to a symbol and a range of prices each, all different."""
    symbols = ("AAPL", "GOOG", "IBM", "MSFT", "FB")
    return [
        {
            "subscriber": f"u{n % 40}",
            "topic": "quotes",
            "filter": f'symbol = "{symbols[n % 5]}" and close in '
            f"[{n % 9000}.25, {n % 9000 + 12}.5{n // 9000}]",
        }
        for n in range(count)
    ]


def network(client):
    """Create ten switches in a row with four hosts each, and a subscriber per host."""
    names = [f"s{n}" for n in range(10)]
    send(client, "switches/", [{"name": s, "dpid": f"{n + 1:016x}"} for n, s in enumerate(names)], 202)
    ends = pairwise(names)
    send(client, "links/", [{"a": a, "a_port": 1, "b": b, "b_port": 2} for a, b in ends], 202)
    hosts = [
        {
            "name": f"h{n}",
            "switch": names[n % 10],
            "port": 10 + n,
            "ip": f"fd00::{n + 1:x}",
            "mac": f"02:00:00:00:00:{n:02x}",
        }
        for n in range(40)
    ]
    send(client, "hosts/", hosts, 202)
    send(client, "topics/", TOPIC, 201)
    send(client, "publishers/", {"name": "exchange", "host": "h0"}, 201)
    send(client, "advertisements/", {"publisher": "exchange", "topic": "quotes", "filter": "true"}, 202)
    send(client, "subscribers/", [{"name": f"u{n}", "host": f"h{n}"} for n in range(40)], 201)


def pages(client, rows):
    """Measure the first and the last page of the log with `rows` more rows."""
    from controlplane.requestlog.models import Request
    from controlplane.rest.cursor_pagination import Position

    payload = {"op": "subscribe", "id": "q1"}
    for start in range(0, rows, 20_000):
        count = min(20_000, rows - start)
        Request.objects.bulk_create(Request(kind="subscribe", payload=payload) for _ in range(count))

    def page(path):
        return client.get(path, headers=HEADERS).json()

    last = Request.objects.latest("id").pk
    cursor = Position("id", (last - 100,), back=False).text("/api/v1/requests/")
    _, first_time = timed(lambda: page("/api/v1/requests/?limit=100"))
    rows_read, last_time = timed(lambda: page(f"/api/v1/requests/?limit=100&cursor={cursor}"))
    assert rows_read["next"] is None and len(rows_read["results"]) == 100
    return {"rows": Request.objects.count(), "first": first_time, "last": last_time}


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=25_000)
    parser.add_argument("--rows", type=int, default=200_000)
    arguments = parser.parse_args()
    with own_installation():
        print(json.dumps(measure(arguments), indent=2))


def measure(arguments):
    """Return the figures."""
    client = opened()
    from django.db import connection

    network(client)
    body = json.dumps(subscriptions(arguments.items))
    _, dry = timed(lambda: send(client, "subscriptions/?dry_run=true", body, 200))
    _, bulk = timed(lambda: send(client, "subscriptions/", body, 202))
    return {
        "items": arguments.items,
        "bytes": len(body),
        "database": connection.vendor,
        "bulk": bulk,
        "dry_run": dry,
        "pages": pages(client, arguments.rows),
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()},
    }


if __name__ == "__main__":
    main()
