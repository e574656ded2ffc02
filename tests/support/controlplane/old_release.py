"""A program that upgrades an installation of an earlier release to this one; prints JSON.

    python old_release.py SUBSCRIPTIONS [--by-backup FILE]
    python old_release.py --restore FILE

It creates the tables of `RELEASE`, and fills them with a ring of 11 switches and SUBSCRIPTIONS confirmed
subscriptions. Then it migrates them (or restores a backup of them into another database), and runs a session.

With `--restore`, it restores a backup that an earlier release wrote. `backup-acb6309.zip` is such a file: the
code of the commit acb6309 wrote it with `manage.py backup`, after `manage.py prepare`, for a line of three
switches, two topics, and subscriptions with filters of which one is withdrawn.
"""

# ruff: noqa: E402 - Django is set up before its models are imported
import json
import os
import random
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "platform"), str(Path(__file__).parent)]
os.environ["DJANGO_SETTINGS_MODULE"] = "controlplane.config.settings"

import django

django.setup()

import logging

from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from fake_northbound import FakeNorthbound, running

from controlplane.deployment import replay_check, session
from controlplane.operations.backup import backup, restore
from controlplane.planning import planner_state
from controlplane.registry.models import Subscription
from controlplane.requestlog.models import Request
from tercast.planner.planner import Planner

RELEASE = {
    "accounts": "0001_initial",
    "aggregation": "0001_initial",
    "control": "0001_initial",
    "network": "0003_exact_entries",
    "registry": "0001_initial",
    "telemetry": "0002_samples",
}
"""Last migrations of the commit e607a97, before in-band registration of hosts."""

OTHERS = ("admin", "auth", "contenttypes", "sessions", "django_celery_beat")
SWITCHES, BITS, CELLS = 11, 11, 4


def old_tables():
    """Create the tables of `RELEASE`, and return its models."""
    executor = MigrationExecutor(connection)
    leaves = [key for key in executor.loader.graph.leaf_nodes() if key[0] in OTHERS]
    targets = [*leaves, *RELEASE.items()]
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


class Filler:
    """Writes rows of the old models, each with its confirmed request."""

    def __init__(self, apps) -> None:
        self.apps = apps
        self.position = 0

    def model(self, app: str, name: str):
        return self.apps.get_model(app, name)

    def logged(self, payloads: list[dict]) -> list:
        now, rows = timezone.now(), []
        for payload in payloads:
            self.position += 1
            times = dict.fromkeys(("started_at", "computed_at", "confirmed_at"), now)
            at = {"position": self.position, "state": "active", "matched": True}
            rows.append(self.model("control", "Request")(kind=payload["op"], payload=payload, **at, **times))
        return self.model("control", "Request").objects.bulk_create(rows, batch_size=1000)

    def fill(self, subscriptions: int) -> None:
        names = [f"s{n}" for n in range(1, SWITCHES + 1)]
        switch, host = self.model("network", "Switch"), self.model("network", "Host")
        at = {}
        for n, name in enumerate(names, 1):
            facts = {"id": name, "dpid": f"{n:016x}", "tcam_budget": None}
            (row,) = self.logged([{"op": "add_switch", "switch": facts}])
            at[name] = switch.objects.create(name=name, dpid=facts["dpid"], request=row)
        for a, b in zip(names, [*names[1:], names[0]], strict=True):
            facts = {"a": a, "a_port": 1, "b": b, "b_port": 2, "cost": 1}
            (row,) = self.logged([{"op": "add_link", "link": facts}])
            ends = {"a": at[a], "a_port": 1, "b": at[b], "b_port": 2}
            self.model("network", "Link").objects.create(request=row, **ends)
        hosts = []
        for n, name in enumerate(names, 1):
            facts = {"ip": f"fd00::{n:x}", "mac": f"02:00:00:00:00:{n:02x}", "port": 3}
            payload = {"id": f"h{n}", "switch": name, "standby": [], **facts}
            (row,) = self.logged([{"op": "add_host", "host": payload}])
            hosts.append(host.objects.create(name=f"h{n}", switch=at[name], request=row, **facts))
        self.announce(hosts, subscriptions)

    def announce(self, hosts: list, subscriptions: int) -> None:
        attributes = [{"name": "low", "type": "int", "min": 0, "max": 65535}]
        facts = {"name": "quotes", "code": 4, "indexed": ["low"], "attributes": attributes}
        (row,) = self.logged([{"op": "add_topic", "topic": facts}])
        topic = self.model("registry", "Topic").objects.create(request=row, **facts)
        for number, host in enumerate(hosts[::3], 1):
            who = self.model("registry", "Publisher").objects.create(name=f"p-{host.name}", host=host)
            payload = {"id": f"a{number}", "host": host.name, "topic": "quotes", "dz": [""]}
            (row,) = self.logged([{"op": "advertise", **payload}])
            facts = {"pk": number, "dz": [""], "state": "active", "topic": topic, "request": row}
            self.model("registry", "Advertisement").objects.create(publisher=who, **facts)
        subscriber = self.model("registry", "Subscriber")
        whos = [subscriber.objects.create(name=f"s-{host.name}", host=host) for host in hosts]
        rng = random.Random(7)
        payloads, rows = [], []
        for n in range(1, subscriptions + 1):
            who = rng.choice(whos)
            dz = sorted({format(rng.getrandbits(BITS), f"0{BITS}b") for _ in range(CELLS)})
            named = {"id": f"q{n}", "host": who.host.name, "topic": "quotes", "dz": dz}
            payloads.append({"op": "subscribe", **named})
            facts = {"pk": n, "dz": dz, "state": "active", "matched": True, "topic": topic}
            rows.append(self.model("registry", "Subscription")(subscriber=who, **facts))
        for row, request in zip(rows, self.logged(payloads), strict=True):
            row.request = request
        self.model("registry", "Subscription").objects.bulk_create(rows, batch_size=1000)


def through_a_backup(path: Path, apps) -> None:
    """Back up the old tables like the old release, and restore them into an empty database."""
    backup.apps, backup._check_schema = apps, lambda: None
    backup.backup(path, lambda _: None)
    connection.close()
    other = Path(connection.settings_dict["NAME"]).with_name("restored.sqlite3")
    connection.settings_dict["NAME"] = str(other)
    restore.restore(path, lambda _: None, restore.RestoreOptions())


def planned() -> dict:
    """Return the tables that the planner of this release computes from the whole log."""
    planner: Planner = planner_state.load(snapshots=False).planner
    return {name: planner.table(name) for name in planner.topology.switches}


def carry_out(controller: FakeNorthbound) -> None:
    for n in range(1, SWITCHES + 1):
        controller.connect(f"{n:016x}", keep=False)
    while session.run(seconds=30):
        pass


def main() -> None:
    logging.disable(logging.INFO)
    if sys.argv[1] == "--restore":
        started = time.perf_counter()
        restore.restore(Path(sys.argv[2]), lambda _: None, restore.RestoreOptions())
    else:
        filler = Filler(old_tables())
        with transaction.atomic():
            filler.fill(int(sys.argv[1]))
        started = time.perf_counter()
        if "--by-backup" in sys.argv:
            through_a_backup(Path(sys.argv[-1]), filler.apps)
    call_command("prepare", verbosity=0, stdout=sys.stderr)
    migrated = time.perf_counter()
    with running(settings.NORTHBOUND_TOKEN) as controller:
        settings.NORTHBOUND_URL = controller.url
        carry_out(controller)
        entries = sum(len(switch.table) for switch in controller.switches.values())
        expected = sum(map(len, planned().values()))
    differences = list(replay_check.differences())
    report = {
        "migrate_s": round(migrated - started, 2),
        "plan_s": round(time.perf_counter() - migrated, 2),
        "subscriptions": Subscription.objects.filter(state="active", by_dz=False).count(),
        "filters": list(Subscription.objects.order_by("pk").values_list("filter", "state")),
        "failed": Request.objects.filter(state="failed").count(),
        "open": Request.objects.exclude(state__in=("active", "failed")).count(),
        "entries": entries,
        "expected": expected,
        "differences": differences,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
