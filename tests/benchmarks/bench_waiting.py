"""Measure the planner's session while requests wait for a disconnected switch; print JSON.

    python tests/benchmarks/bench_waiting.py [--waiting 0 2000 4000 6000 12000] [--rules 10000] [-o FILE]

The controller is a fake that only stores tables. One switch, which every subscription needs, loses its
channel during a change and stays disconnected. At each number of waiting requests, `batch` is a session that
plans 2,000 more, and `single` are sessions that plan one more each (medians). The report has elapsed time,
CPU time of this process, the share of the controller, and the longest write transaction. Another process
writes through the REST API all the time; the report has its slowest POST and its errors. At the end the
switch reconnects.

The database is a separate SQLite file, or the database that TERCAST_DATABASE_URL names, which must be empty.
"""
# ruff: noqa: PLC0415 - modules of Django are imported after the environment names the database

import argparse
import json
import logging
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "platform"), str(ROOT), str(ROOT / "tests/support/controlplane")]

from bench_rest import HEADERS, opened, own_installation  # noqa: E402

SWITCHES = 5
CELLS = 4
BITS = 24
"""Bits of cells that are so narrow that hardly any two are equal: each subscription has own entries."""

BATCH = 2000
SINGLES = 5
WRITER_PAUSE = 0.05  # s


class Clock:
    """Seconds of the measured work since the last `take`."""

    def __init__(self) -> None:
        self.controller = 0.0
        self.transactions: list[float] = []

    def install(self) -> None:
        """Measure all outermost transactions of this process, and its calls of the controller."""
        from django.db.transaction import Atomic

        from controlplane.network.controller_client import ControllerClient

        enter, leave, change = Atomic.__enter__, Atomic.__exit__, ControllerClient.change
        began: list[float] = []

        def entered(atomic: Any) -> Any:
            result = enter(atomic)
            began.append(time.perf_counter())
            return result

        def left(atomic: Any, *error: Any) -> Any:
            try:
                return leave(atomic, *error)
            finally:
                took = time.perf_counter() - began.pop()
                if not began:
                    self.transactions.append(took)

        def changed(northbound: Any, changes: Any) -> Any:
            started = time.perf_counter()
            try:
                return change(northbound, changes)
            finally:
                self.controller += time.perf_counter() - started

        Atomic.__enter__, Atomic.__exit__, ControllerClient.change = entered, left, changed

    def measure(self, act: Callable[[], Any]) -> dict[str, float]:
        """Return the times of `act`."""
        self.controller, self.transactions = 0.0, []
        started, cpu = time.perf_counter(), time.process_time()
        act()
        took = time.perf_counter() - started
        return {
            "seconds": round(took, 3),
            "cpu_s": round(time.process_time() - cpu, 3),
            "controller_s": round(self.controller, 3),
            "longest_transaction_s": round(max(self.transactions, default=0.0), 3),
            "transactions": len(self.transactions),
        }


def subscribe(rng: random.Random, count: int) -> None:
    """Log `count` subscriptions of random hosts, each with different cells."""
    from django.db import transaction

    from controlplane.registry.models import Subscriber, Subscription, Topic
    from controlplane.requestlog.append import LogEntry, submit

    topic = Topic.objects.get()
    named = Subscriber.objects.filter(name__startswith="s-").select_related("host")
    subscribers = {row.host.name: row for row in named}
    first = (Subscription.objects.order_by("-pk").values_list("pk", flat=True).first() or 0) + 1
    rows, entries = [], []
    for n in range(first, first + count):
        host = f"h{rng.randint(1, SWITCHES)}"
        dz = sorted({format(rng.getrandbits(BITS), f"0{BITS}b") for _ in range(CELLS)})
        entries.append(
            LogEntry({"op": "subscribe", "id": f"q{n}", "host": host, "topic": topic.name, "dz": dz})
        )
        rows.append(Subscription(pk=n, filter="", dz=dz, topic=topic, subscriber=subscribers[host]))
    with transaction.atomic():
        for row, request in zip(rows, submit(entries), strict=True):
            row.request = request
        Subscription.objects.bulk_create(rows, batch_size=2000)


def deploy(rng: random.Random, controller: Any, rules: int) -> None:
    """Create a ring, a publisher of everything at s1, and subscriptions with `rules` confirmed entries."""
    import network_world as world

    from controlplane.deployment import session
    from controlplane.network.models import Host, InstalledEntry
    from controlplane.registry.models import Subscriber

    for n in range(1, SWITCHES + 1):
        controller.connect(world.dpid(n), keep=False)
    world.line(SWITCHES)
    world.add_link(f"s{SWITCHES}", 1, "s1", 2)
    world.advertise("h1", [""])
    for host in Host.objects.all():
        Subscriber.objects.create(name=f"s-{host.name}", host=host)
    while InstalledEntry.objects.count() < rules:
        subscribe(rng, 200)
        while session.run(seconds=60):
            pass


def waiting() -> int:
    """Return the number of requests that wait for a switch."""
    from controlplane.requestlog.models import Request

    return Request.objects.filter(state="deploying").count()


def level(rng: random.Random, clock: Clock, wanted: int, cut: Callable[[], None]) -> dict[str, Any]:
    """Return the figures with `wanted` waiting requests."""
    from controlplane.deployment import session

    def step() -> None:
        session.run(seconds=0.0)

    if wanted:
        cut()
    while (more := wanted - waiting()) > 0:
        subscribe(rng, min(more, BATCH))
        step()
    found = waiting()
    singles = []
    for _ in range(SINGLES):
        subscribe(rng, 1)
        singles.append(clock.measure(step))
    cut()
    subscribe(rng, BATCH)
    batch = clock.measure(step)
    names = ("seconds", "cpu_s", "longest_transaction_s")
    single = {name: statistics.median_low(one[name] for one in singles) for name in names}
    return {"waiting": found, "single": single, "batch": batch}


@contextmanager
def writer(path: Path) -> Iterator[None]:
    """Run a process that calls the API until the block ends, and writes its report to `path`."""
    arguments = [sys.executable, __file__, "--writer", HEADERS["authorization"], "-o", str(path)]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()  # after its first call
    try:
        yield
    finally:
        process.communicate()


def write(authorization: str) -> dict[str, Any]:
    """POST subscribers until standard input ends; return the slowest time and the errors."""
    import threading

    import django

    django.setup()
    from django.test import Client

    from controlplane.requestlog import append

    append._wake = lambda: None
    logging.disable(logging.WARNING)
    client = Client(headers={"host": "localhost", "authorization": authorization})
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    times, answers = [], Counter[int]()
    client.get("/api/v1/subscribers/?limit=1")
    print("ready", flush=True)
    while not times or not ended.wait(WRITER_PAUSE):
        body = json.dumps({"name": f"w-{os.getpid()}-{len(times)}", "host": "h1"})
        started = time.perf_counter()
        answer = client.post("/api/v1/subscribers/", body, content_type="application/json")
        times.append(time.perf_counter() - started)
        answers[answer.status_code] += 1
    last = len(times) - 1
    return {
        "posts": len(times),
        "answers": {str(status): number for status, number in answers.items()},
        "p50_ms": round(1000 * sorted(times)[last // 2], 1),
        "p99_ms": round(1000 * sorted(times)[int(0.99 * last)], 1),
        "slowest_s": round(max(times), 3),
    }


def measure(levels: Sequence[int], rules: int, folder: Path) -> dict[str, Any]:
    """Return all figures."""
    opened()
    from django.conf import settings
    from django.db import connection
    from fake_northbound import running

    from controlplane.deployment import session
    from controlplane.network.models import InstalledEntry
    from controlplane.requestlog.models import SwitchSync

    logging.disable(logging.WARNING)
    rng, clock, found = random.Random(7), Clock(), []
    with running(settings.NORTHBOUND_TOKEN) as controller:
        settings.NORTHBOUND_URL = controller.url
        deploy(rng, controller, rules)
        entries = InstalledEntry.objects.count()
        clock.install()
        cut_off = "0000000000000001"

        def cut() -> None:
            controller.before_change = lambda: controller.disconnect(cut_off)

        for wanted in levels:
            report = folder / "writer.json"
            with writer(report):
                found.append(level(rng, clock, wanted, cut))
            found[-1]["writer"] = json.loads(report.read_text())
            print(json.dumps(found[-1]), file=sys.stderr)
        controller.before_change = lambda: None
        controller.connect(cut_off)
        SwitchSync.objects.update(retry_at=None)
        number = waiting()

        def come_back() -> None:
            while waiting():
                session.run(seconds=0.0)

        with writer(report):
            back = clock.measure(come_back)
        back = {"waiting": number, **back, "writer": json.loads(report.read_text())}
    return {"database": connection.vendor, "rules": entries, "levels": found, "return": back}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--waiting", type=int, nargs="+", default=[0, 2000, 4000, 6000, 12000])
    parser.add_argument("--rules", type=int, default=10_000)
    parser.add_argument("--writer", help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    if given.writer:
        given.output.write_text(json.dumps(write(given.writer)))
        return
    with own_installation():
        report = measure(given.waiting, given.rules, Path(os.environ["TERCAST_STATE_DIR"]))
    load = [round(value, 2) for value in os.getloadavg()]
    report["machine"] = {"cpus": os.cpu_count(), "python": platform.python_version(), "load": load}
    text = json.dumps(report, indent=2) + "\n"
    if given.output:
        given.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
