"""Measure subscriptions from the log to confirmed tables, with a controller that only stores them; print
JSON.

    python tests/benchmarks/bench_session.py [--subscriptions 25000 --cells 4 --bits 11]

The bits are the length of a cell. With more bits, filters are narrower and there are more entries.

The database is a separate SQLite file, or the database that TERCAST_DATABASE_URL names, which is emptied.
"""

import argparse
import atexit
import json
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT / "tests/support/controlplane")]
STATE = tempfile.mkdtemp(dir="/tmp", prefix="bench-")
os.environ["TERCAST_STATE_DIR"] = STATE
atexit.register(shutil.rmtree, STATE, ignore_errors=True)
os.environ["DJANGO_SETTINGS_MODULE"] = "controlplane.config.settings"

import django  # noqa: E402

django.setup()

import logging  # noqa: E402

import network_world as world  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from fake_northbound import FakeNorthbound, running  # noqa: E402

from controlplane.deployment import session  # noqa: E402
from controlplane.network.models import Host, InstalledEntry  # noqa: E402
from controlplane.registry.models import Subscriber, Subscription, Topic  # noqa: E402
from controlplane.requestlog.append import LogEntry, submit  # noqa: E402
from controlplane.requestlog.models import Request  # noqa: E402


def ring(switches: int) -> None:
    world.line(switches)
    world.add_link(f"s{switches}", 1, "s1", 2)


def subscribe(count: int, cells: int, bits: int, switches: int) -> None:
    """Log narrow subscriptions all over the event space; nearly each one changes tables."""
    rng = random.Random(7)
    topic = Topic.objects.get()
    for host in Host.objects.all():
        Subscriber.objects.create(name=f"s-{host.name}", host=host)
    subscribers = {row.host.name: row for row in Subscriber.objects.select_related("host")}
    rows, entries = [], []
    for n in range(1, count + 1):
        host = f"h{rng.randint(1, switches)}"
        dz = sorted({format(rng.getrandbits(bits), f"0{bits}b") for _ in range(cells)})
        entries.append(
            LogEntry({"op": "subscribe", "id": f"q{n}", "host": host, "topic": topic.name, "dz": dz})
        )
        rows.append(Subscription(pk=n, filter="", dz=dz, topic=topic, subscriber=subscribers[host]))
    with transaction.atomic():
        for row, request in zip(rows, submit(entries), strict=True):
            row.request = request
        Subscription.objects.bulk_create(rows, batch_size=2000)


def alone(count: int, switches: int) -> list[float]:
    """Return the milliseconds of sessions with a single request, when all others are deployed."""
    rng = random.Random(11)
    times = []
    for _ in range(count):
        world.subscribe(f"h{rng.randint(1, switches)}", [format(rng.getrandbits(20), "020b")])
        started = time.perf_counter()
        session.run()
        times.append(1000 * (time.perf_counter() - started))
    return sorted(times)


def measure(controller: FakeNorthbound, subscriptions: int, cells: int, bits: int, switches: int) -> dict:
    """Measure a workload on an empty database."""
    call_command("flush", interactive=False, verbosity=0)
    for n in range(1, switches + 1):
        controller.connect(world.dpid(n), keep=False)
    ring(switches)
    for n in range(1, switches + 1, 3):
        world.advertise(f"h{n}", [""])
    session.run(seconds=60)
    started, cpu = time.perf_counter(), time.process_time()
    subscribe(subscriptions, cells, bits, switches)
    logged = time.perf_counter()
    while session.run(seconds=5):
        pass
    ended = time.perf_counter()
    states = Counter(Request.objects.filter(kind="subscribe").values_list("state", flat=True))
    entries = InstalledEntry.objects.count()
    single = alone(50, switches)
    return {
        "subscriptions": subscriptions,
        "cells": cells,
        "bits": bits,
        "switches": switches,
        "log_s": round(logged - started, 2),
        "session_s": round(ended - logged, 2),
        "cpu_s": round(time.process_time() - cpu, 2),
        "states": dict(states),
        "entries": entries,
        "single_ms": {"p50": round(single[25], 1), "max": round(single[-1], 1)},
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--subscriptions", type=int)
    parser.add_argument("--cells", type=int, default=4)
    parser.add_argument("--bits", type=int, default=11)
    parser.add_argument("--switches", type=int, default=11)
    given = parser.parse_args()
    workloads = [(25_000, 4, 11), (5_000, 4, 16)]
    if given.subscriptions:
        workloads = [(given.subscriptions, given.cells, given.bits)]
    logging.disable(logging.INFO)
    call_command("migrate", verbosity=0)
    with running(settings.NORTHBOUND_TOKEN) as controller:
        settings.NORTHBOUND_URL = controller.url
        runs = [measure(controller, *workload, given.switches) for workload in workloads]
    load = [round(value, 2) for value in os.getloadavg()]
    machine = {"cpus": os.cpu_count(), "python": platform.python_version(), "load": load}
    print(json.dumps({"database": connection.vendor, "runs": runs, "machine": machine}, indent=2))


main()
