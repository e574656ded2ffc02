"""Measure pages of long lists: filtered, searched, ordered, first and last; print one JSON object.

    python tests/benchmarks/bench_lists.py [--subscriptions 200000] [--entries 50000] [--repeat 9]

It runs in this process, with its own database (SQLite in a temporary folder, or `TERCAST_DATABASE_URL`, which
must name an empty database: `scripts/with_servers.sh python tests/benchmarks/bench_lists.py`). For each page
it reports p50 and p95 in milliseconds, from the request to the end of the answer.
"""
# ruff: noqa: PLC0415 - modules of Django are imported after the environment names the database

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT)]

from bench_rest import HEADERS, network, opened, own_installation, subscriptions  # noqa: E402

STATES = ("active",) * 97 + ("withdrawn", "withdrawn", "failed")
BUDGET_MS = 500


def fill(client, arguments):
    """Create subscriptions in all states, and a switch with many entries."""
    from django.utils import timezone

    from controlplane.network.entry_match import meaning
    from controlplane.network.models import InstalledEntry, Switch
    from controlplane.registry.models import Subscriber, Subscription, Topic
    from controlplane.requestlog.models import Request

    network(client)
    topic, asked = Topic.objects.get(), Request.objects.earliest("id")
    owners = dict(Subscriber.objects.values_list("name", "pk"))
    rows = (
        Subscription(
            subscriber_id=owners[body["subscriber"]],
            topic=topic,
            filter=body["filter"],
            dz=["0110", "0111101"],
            state=STATES[n % 100],
            matched=n % 1000 != 0,
            request=asked,
        )
        for n, body in enumerate(subscriptions(arguments.subscriptions))
    )
    Subscription.objects.bulk_create(rows, batch_size=5000)
    now, switch = timezone.now(), Switch.objects.get(name="s1")
    entries = (
        InstalledEntry(
            switch=switch,
            dst=dst,
            code=code,
            dz=dz,
            priority=48 + n % 5,
            actions=[{"port": n % 12}],
            confirmed_at=now,
        )
        for n, dst in enumerate(matches(arguments.entries))
        for code, dz in (meaning(dst),)
    )
    InstalledEntry.objects.bulk_create(entries, batch_size=5000)
    return switch.pk


def matches(count):
    """Return matches of a topic: dz of 32 bits, in groups of 256 with equal first 16 bits."""
    return [f"ff0e:0:{n >> 8:x}:{n & 255:x}::/64" for n in range(count)]


def paths(switch):
    """Return the requested paths, by name."""
    listed = {
        "first": "",
        "state": "&state=active",
        "few of a state": "&state=failed",
        "topic": "&topic=quotes",
        "topic and state": "&topic=quotes&state=withdrawn",
        "subscriber": "&subscriber=u7",
        "without a match": "&matched=false",
        "search": "&q=AAPL",
        "search for what is rare": "&q=8999.25",
        "search for what is not there": "&q=nothing",
        "search in a state": "&q=GOOG&state=failed",
        "by state": "&ordering=state",
        "by state, from the end": "&ordering=-state",
        "last": "&ordering=-id",
        "counted": "&count=true",
    }
    entries = {
        "first": "",
        "last": "&ordering=-id",
        "priority": "&priority__gte=52",
        "in port": "&in_port=3",
        "topic": "&topic=quotes",
        "below a dz": f"&topic=quotes&dz={0xC3:016b}",
        "below a short dz": "&dz=00000000",
        "meeting a long dz": f"&dz={0xC34F:032b}{0:032b}",
        "below a dz, counted": "&dz=00000000&count=true",
        "below a dz, last": "&dz=00000000&ordering=-id",
        "search": "&q=:c3:4f",
        "counted": "&count=true",
    }
    return {
        **{f"subscriptions: {name}": f"subscriptions/?limit=100{query}" for name, query in listed.items()},
        **{
            f"entries: {name}": f"tables/{switch}/entries/?limit=100{query}"
            for name, query in entries.items()
        },
        "switches": "switches/?limit=1000",
        "subscribers": "subscribers/?limit=100",
        "topics": "topics/",
        "topology": "topology/",
    }


def measured(client, path, repeat):
    """Return p50 and p95 in milliseconds."""
    took = []
    for _ in range(repeat):
        start = time.perf_counter()
        answer = client.get(f"/api/v1/{path}", headers=HEADERS)
        took.append((time.perf_counter() - start) * 1000)
        assert answer.status_code == 200, (path, answer.content[:500])
    took.sort()
    p50, p95 = (round(took[min(repeat - 1, int(repeat * share))], 1) for share in (0.5, 0.95))
    return {"p50_ms": p50, "p95_ms": p95}


def middle(client, repeat):
    """Return cursors to a page in the middle, and to the last page."""
    from controlplane.registry.models import Subscription
    from controlplane.rest.cursor_pagination import Position

    last = Subscription.objects.latest("id").pk
    cursors = {"from the middle": last // 2, "last by cursor": last - 100}
    found = {}
    for name, pk in cursors.items():
        cursor = Position("id", (pk,), back=False).text("/api/v1/subscriptions/")
        path = f"subscriptions/?limit=100&state=active&cursor={cursor}"
        found[f"subscriptions: {name}"] = measured(client, path, repeat)
    return found


def measure(arguments):
    """Return the figures."""
    client = opened()
    from django.db import connection

    switch = fill(client, arguments)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    pages = {name: measured(client, path, arguments.repeat) for name, path in paths(switch).items()}
    pages |= middle(client, arguments.repeat)
    return {
        "subscriptions": arguments.subscriptions,
        "entries": arguments.entries,
        "database": connection.vendor,
        "repeat": arguments.repeat,
        "pages": pages,
        "slow": {name: one["p95_ms"] for name, one in pages.items() if one["p95_ms"] > BUDGET_MS},
        "machine": {"cpus": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()},
    }


def main(description, measure):
    """Run a measurement in its own installation; print the result as JSON."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--subscriptions", type=int, default=200_000)
    parser.add_argument("--entries", type=int, default=50_000)
    parser.add_argument("--repeat", type=int, default=9)
    arguments = parser.parse_args()
    with own_installation():
        print(json.dumps(measure(arguments), indent=2))


if __name__ == "__main__":
    main(__doc__, measure)
