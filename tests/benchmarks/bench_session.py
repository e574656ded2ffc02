"""Subscriptions from the log to confirmed tables, with a controller that only keeps them: prints JSON.

    python tests/benchmarks/bench_session.py [--subscriptions 25000] [--cells 4] [--bits 16]

The database is an SQLite file of its own, or the one that TERCAST_DATABASE_URL names, which is emptied.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT / "tests/controlplane/control")]
STATE = tempfile.mkdtemp(dir="/tmp", prefix="bench-")
os.environ["TERCAST_STATE_DIR"] = STATE
os.environ["DJANGO_SETTINGS_MODULE"] = "controlplane.config.settings"

import django  # noqa: E402

django.setup()

import logging  # noqa: E402

import control_world as world  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from fake_northbound import running  # noqa: E402

from controlplane.control import session  # noqa: E402
from controlplane.control.log import Entry, submit  # noqa: E402
from controlplane.control.models import Request  # noqa: E402
from controlplane.network.models import Host, InstalledEntry, Switch  # noqa: E402
from controlplane.registry.models import Subscriber, Subscription, Topic  # noqa: E402


def ring(switches: int) -> None:
    world.line(switches)
    world.add_link(f"s{switches}", 1, "s1", 2)


def subscribe(count: int, cells: int, bits: int, switches: int) -> None:
    """Narrow filters, spread evenly over the event space: nearly each one changes tables."""
    rng = random.Random(7)
    topic = Topic.objects.get()
    for host in Host.objects.all():
        Subscriber.objects.create(name=f"s-{host.name}", host=host)
    subscribers = {row.host.name: row for row in Subscriber.objects.select_related("host")}
    rows, entries = [], []
    for n in range(1, count + 1):
        host = f"h{rng.randint(1, switches)}"
        dz = sorted({format(rng.getrandbits(bits), f"0{bits}b") for _ in range(cells)})
        entries.append(Entry({"op": "subscribe", "id": f"q{n}", "host": host, "topic": topic.name, "dz": dz}))
        rows.append(Subscription(pk=n, filter="", dz=dz, topic=topic, subscriber=subscribers[host]))
    with transaction.atomic():
        for row, request in zip(rows, submit(entries), strict=True):
            row.request = request
        Subscription.objects.bulk_create(rows, batch_size=2000)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--subscriptions", type=int, default=25_000)
    parser.add_argument("--cells", type=int, default=4)
    parser.add_argument("--bits", type=int, default=16)
    parser.add_argument("--switches", type=int, default=11)
    options = parser.parse_args()
    logging.disable(logging.INFO)
    call_command("migrate", verbosity=0)
    call_command("flush", interactive=False, verbosity=0)
    with running(settings.NORTHBOUND_TOKEN) as controller:
        settings.NORTHBOUND_URL = controller.url
        for n in range(1, options.switches + 1):
            controller.connect(world.dpid(n))
        ring(options.switches)
        for n in range(1, options.switches + 1, 3):
            world.advertise(f"h{n}", [""])
        session.run(seconds=60)
        started = time.perf_counter()
        subscribe(options.subscriptions, options.cells, options.bits, options.switches)
        logged = time.perf_counter()
        while session.run(seconds=5):
            pass
        ended = time.perf_counter()
        states = {
            state: Request.objects.filter(kind="subscribe", state=state).count()
            for state in ("active", "failed")
        }
        print(
            json.dumps(
                {
                    **vars(options),
                    "logged_s": round(logged - started, 2),
                    "session_s": round(ended - logged, 2),
                    "requests": states,
                    "entries": InstalledEntry.objects.count(),
                    "flow_mods": controller.mods,
                    "switches": Switch.objects.count(),
                }
            )
        )


main()
