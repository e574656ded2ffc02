"""A client generated from the schema makes a round trip through every resource of a running platform.

It uses real switches, controller, web server and worker, on the database of the tests: SQLite, or PostgreSQL
with Redis.
"""

import importlib
import shutil
import tempfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from load_platform import Many

from tests.support.controlplane.generated_client import PACKAGE, Generated, generate, operation_ids
from tests.support.controlplane.own_database import migrated_database

pytestmark = [pytest.mark.fabric, pytest.mark.servers]

PASSWORD = "correct horse battery"
CREATE_ROWS = """
from controlplane.requestlog import outbox
from controlplane.network.models import FoundLink, Switch
from controlplane.signalling.models import Refusal
from django.utils import timezone
outbox.alarm("something is wrong")
sender = {"dpid": "1" * 16, "port": 1, "mac": "02:00:00:00:00:01", "ip": "fd00::1"}
Refusal.objects.create(reason="bad_cell", detail="no dz", **sender)
s1, s2 = Switch.objects.get(name="s1"), Switch.objects.get(name="s2")
for port in (91, 92):
    ends = {"a": s1, "a_port": port, "b": s2, "b_port": port}
    FoundLink.objects.create(**ends, reason="policy", detail="", seen_at=timezone.now())
"""
"""What only the network itself can cause: an alarm, a control message that was refused, and found links."""


@pytest.fixture
def platform(django_db_setup):
    folder = Path(tempfile.mkdtemp(prefix="tcg-", dir="/tmp"))
    with migrated_database(folder) as url:
        own = {"TERCAST_DATABASE_URL": url, "TERCAST_SETTLING_SECONDS": "0"}
        running = Many(folder / "r", webs=1, workers=1, switches=3, more=own)
        try:
            running.rest = running.start()
            yield running
        finally:
            running.stop()
            shutil.rmtree(folder, ignore_errors=True)


def round_trip(api, resource, body, change=None):
    """Create, read, list and change an object; return its id."""
    made = api.call(f"{resource}_create", body=body)
    if "progress" in made:
        assert made["state"] == "active", made
    pk = made["object"]["id"] if "object" in made else made["id"]
    read = api.call(f"{resource}_read", pk)
    assert {key: read[key] for key in body if key in read and key != "filter"}.items() <= read.items()
    assert pk in [row["id"] for row in api.rows(f"{resource}_list", limit=1000)]
    if change:
        changed = api.call(f"{resource}_update", pk, body=change)
        assert changed.get("state", "active") == "active", changed
        assert api.call(f"{resource}_read", pk).items() >= change.items()
    return pk


def gone(api, resource, pk):
    """Delete an object, and check that it no longer exists."""
    api.call(f"{resource}_delete", pk)
    api.call(f"{resource}_read", pk, expect=404)


def accounts(api, _at):
    pk = round_trip(
        api, "users", {"username": "rita", "role": "viewer", "password": PASSWORD}, {"role": "operator"}
    )
    token = api.call("tokens_create", body={"name": "hers", "user": "rita", "scopes": ["read", "write"]})
    rita = api.of(token["token"])
    assert rita.call("me")["username"] == "rita"
    rita.call("me_password", body={"current": PASSWORD, "password": PASSWORD + "!"})
    api.used |= rita.used
    assert api.call("tokens_read", token["id"])["name"] == "hers"
    assert token["id"] in [row["id"] for row in api.rows("tokens_list")]
    api.call("tokens_revoke", token["id"])
    rita.call("me", expect=401)
    newest = api.rows("actions_list", ordering="-id")[0]
    assert api.call("actions_read", newest["id"])["outcome"] == "denied"  # the last call
    addresses = {row["address"] for row in api.rows("actions_list") if row["method"] != "command"}
    assert addresses == {"127.0.0.1"}  # whatever a caller claims
    assert api.call("users_read", pk)["role"] == "operator"


def network(api, at):
    at.s9 = round_trip(api, "switches", {"name": "s9", "dpid": f"{9:016x}"}, {"label": "far"})
    link = {"a": "s9", "a_port": 1, "b": "s1", "b_port": 9}
    at.link = round_trip(api, "links", link, {"up": False})
    host = {"name": "h9", "switch": "s9", "port": 5, "ip": "fd00::99", "mac": "02:00:00:00:00:99"}
    at.h9 = round_trip(api, "hosts", host, {"port": 6})
    for resource, pk in (("switches", at.s9), ("links", at.link), ("hosts", at.h9)):
        assert api.call(f"{resource}_affected", pk)["complete"]
    assert api.call("hosts_key_create", at.h9)["key"]
    api.call("hosts_key_delete", at.h9)
    done = api.call("switches_budgets", body={"budgets": {"s9": 7}})
    assert done["states"]["active"] == 1 and api.call("switches_read", at.s9)["tcam_budget"] == 7
    assert {row["name"] for row in api.call("topology")["switches"]} == {"s1", "s2", "s3", "s9"}
    api.call("topology_layout", body={"moved_too": True})
    assert api.call("topology_import", body=edges(), dry_run=True)
    api.call("topology_import", body=edges())
    at.imported = [row["id"] for row in api.rows("switches_list") if row["name"] in ("n1", "n2")]
    assert len(at.imported) == 2
    assert api.call("connect")["waiting"]


def edges():
    """Return a file with one link."""
    types = importlib.import_module(f"{PACKAGE}.types")
    return types.File(payload=BytesIO(b"n1 n2 1.5\n"))


def announcements(api, at):
    attributes = [{"name": name, "type": "int", "min": 0, "max": 1023} for name in ("low", "high")]
    topic = {"name": "quotes", "attributes": attributes, "indexed": ["low"]}
    at.topic = round_trip(api, "topics", topic, {"automatic_indexing": False})
    at.publisher = round_trip(api, "publishers", {"name": "exchange", "host": "h1"})
    at.subscriber = round_trip(api, "subscribers", {"name": "alice", "host": "h2"})
    announced = {"publisher": "exchange", "topic": "quotes", "filter": "low < 512"}
    at.ad = round_trip(api, "advertisements", announced)
    wanted = {"subscriber": "alice", "topic": "quotes", "filter": "low < 7"}
    at.subscription = round_trip(api, "subscriptions", wanted)
    many = [{**wanted, "filter": f"low in [{n}, {n + 31}]"} for n in range(64, 512, 64)]
    bad = {**wanted, "filter": "nonsense < 1"}
    done = api.call("subscriptions_create", body=[*many, bad], atomic=False)
    assert done["refused"] == 1
    assert done["id"] in [row["id"] for row in api.rows("operations_list")]
    assert api.call("operations_read", done["id"])["states"]["active"] == len(many)
    results = api.rows("operations_results", done["id"])
    assert {row["state"] for row in results} == {"active"} and len(results) == len(many)
    assert len(api.rows("operations_refused", done["id"])) == 1
    newest = api.rows("requests_list", ordering="-id")[0]
    assert api.call("requests_read", newest["id"])["kind"] == "subscribe"
    for resource, pk in (
        ("topics", at.topic),
        ("publishers", at.publisher),
        ("subscribers", at.subscriber),
        ("advertisements", at.ad),
        ("subscriptions", at.subscription),
    ):
        assert api.call(f"{resource}_affected", pk)["complete"]
    lease = api.call("advertisements_lease", at.ad, body={"holder": "me", "version": None})
    assert lease["version"] >= 0
    api.call("advertisements_release", at.ad, holder="me")
    cells = api.call("filters_preview", body={"topic": "quotes", "filter": "low < 7", "subscriber": "alice"})
    assert cells["valid"] and cells["cost"]
    assert not api.call("filters_preview", body={"topic": "quotes", "filter": "low <"})["valid"]
    assert api.call("topics_space", at.topic)["subscriptions"]["total"] == 8
    assert at.ad in [row["id"] for row in api.rows("topics_sources", at.topic)]
    side = [{"name": "side", "type": "bool"}]
    sealed = api.call("topics_create", body={"name": "sealed", "attributes": side, "seal": True})["id"]
    assert api.call("topics_rotate_keys", sealed)["number"] > 0
    api.call("topics_delete", sealed)


def tables(api, at):
    """Check the announcements, and the entries that merging made of them."""
    s1 = next(row for row in api.rows("tables_list") if row["switch"] == "s1")
    assert api.call("tables_read", s1["id"])["entries"] > 1
    entries = api.rows("tables_entries", s1["id"])
    origin = api.call("tables_entry_origin", s1["id"], entries[0]["id"])
    assert origin["subscriptions"]
    assert api.call("tables_counters", s1["id"], id_in=str(entries[0]["id"]))
    tree = api.rows("trees_list")[0]
    assert api.call("trees_read", tree["id"])["topic"] in ("load", "quotes")
    experiments = api.call("experiments_list")["experiments"]
    assert api.call("experiments_read", experiments[0]["name"])["panels"]
    assert api.call("explain", publisher=f"a{at.ad}", values='{"low": 3, "high": 5}')
    audit = api.call("audits_create", body={"switches": ["s1"], "repair": True})
    assert audit["state"] == "done" and audit["id"] in [row["id"] for row in api.rows("audits_list")]
    assert api.call("audits_read", audit["id"])["switches"] == {"equal": 1}
    assert [row["state"] for row in api.rows("audits_checks", audit["id"])] == ["equal"]
    assert api.rows("audits_drift", audit["id"]) == []


def traffic(api, at):
    counters = dict.fromkeys(("published", "wanted", "delivered", "lost", "doubled", "unwanted"), 1)
    row = api.call("traffic_report", body={"reporter": "h1", **counters})
    assert api.call("traffic_read", row["id"])["reporter"] == "h1"
    assert [one["id"] for one in api.rows("traffic_list")] == [row["id"]]
    assert api.call("traffic_totals")["published"] == 1
    events = [
        {"publisher": f"a{at.ad}", "values": {"low": low, "high": 1023 - low}} for low in range(0, 512, 4)
    ]
    api.call("samples_report", body=events)
    assert api.call("samples_read")
    assert api.rows("samples_events")
    now = datetime.now(UTC).isoformat()
    rows = [{"topic": "quotes", "publisher": f"a{at.ad}", "seq": 1, "published_at": now}]
    writer = {"name": "h1", "host": "h1", "started_at": now, "told_at": now, "period_s": 1.0, "closed": False}
    counts = ("taken", "written", "lost", "pending", "batches", "lost_batches", "retries")
    writer |= {"error": None, **dict.fromkeys(counts, 0)}
    api.call("telemetry_add", body={"id": "one", "dataset": "published", "rows": rows, "writer": writer})
    assert api.call("telemetry_read")


def stand_for(api, switch):
    """Read the subscriptions of a merged entry. The worker also measures, and then the id changes."""
    for _ in range(30):
        merged = api.rows("aggregated_list", switch)[0]
        if api.call("aggregated_subscriptions", switch, merged["id"], expect=(200, 404)).get("results"):
            return
    raise AssertionError("its id is another each time")


def aggregation(api, at):
    assert api.call("aggregation_update", body={"method": "la"})["state"] == "active"
    assert api.call("aggregation_update", body={"gain": 0.0})["gain"] == 0.0
    s1 = next(row for row in api.rows("switches_list") if row["name"] == "s1")
    api.call("switches_update", s1["id"], body={"tcam_budget": 4})
    assert api.call("aggregation_read")["method"] == "la"
    assert api.call("what_if", body={"method": "fa-pb", "budget": 4})
    assert api.call("budget_curve", s1["id"], method="fa-pb", budgets="2,4")["points"]
    assert at.platform.manage("attribute").returncode == 0
    stand_for(api, s1["id"])
    run = api.call("runs_create", body={"method": "optimal"})
    assert run["state"] == "succeeded", run
    assert run["id"] in [row["id"] for row in api.rows("runs_list")]
    assert api.call("runs_read", run["id"])["method"] == "optimal"
    assert api.call("runs_revert", run["id"])["state"] == "succeeded"
    api.call("switches_update", s1["id"], body={"tcam_budget": None})


def analytics(api, at):
    run = api.call("analytics_runs_create", body={"job": "delay"}, prefer="wait=0")
    assert run["id"] in [row["id"] for row in api.rows("analytics_runs_list")]
    api.call("analytics_runs_cancel", run["id"])
    assert api.call("analytics_runs_read", run["id"])["state"] == "cancelled"
    assert api.call("analytics_runs_log", run["id"])
    schedule = api.rows("analytics_schedules_list")[0]
    api.call("analytics_schedules_update", schedule["id"], body={"enabled": False})
    assert api.call("analytics_schedules_read", schedule["id"])["enabled"] is False
    for chart in CHARTS:
        assert api.call(chart)
    assert api.call("topics_update", at.topic, body={"indexed": ["high"]})["state"] == "active"
    proposal = api.call("analytics_proposals_create", body={"topic": "quotes"})
    assert proposal["id"] in [row["id"] for row in api.rows("analytics_proposals_list")]
    assert api.call("analytics_proposals_read", proposal["id"])["topic"] == "quotes"
    assert api.call("analytics_proposals_apply", proposal["id"])["state"] == "active"
    assert api.call("analytics_proposals_revert", proposal["id"])["state"] == "active"
    move = api.rows("moves_list")[0]
    assert api.call("moves_read", move["id"])["stage"] == "done"


CHARTS = (
    "analytics_delay",
    "analytics_dimension_selection",
    "analytics_false_positives",
    "analytics_needless_copies",
    "analytics_publisher_load",
    "analytics_request_latency",
    "analytics_table_size",
)


def first_use(api, at):
    """Act as a launcher: read the orders, and report the results."""
    switches = [row["name"] for row in api.rows("switches_list")]
    launcher = {"name": "it", "state": "offered", "fixed": False, "hosts": ["h1"], "switches": switches}
    api.call("demo_launcher", body=launcher)
    assert api.call("demo_ask", body={"action": "start"})["state"] == "starting"
    launcher["state"] = "running"
    api.call("demo_launcher", body=launcher)
    sent = {"advertisement": f"a{at.ad}", "values": {"low": 3, "high": 5}}
    event = api.call("testevents_send", body=sent, prefer="wait=0")
    (order,) = api.call("demo_launcher", body=launcher)["tests"]
    got = {"id": order["id"], "seq": 7, "problem": "", "received": [{"host": "h2", "delay_ms": 1.5}]}
    api.call("demo_launcher", body={**launcher, "tested": [got]})
    assert api.call("testevents_read", event["id"])["state"] == "done"
    assert [row["id"] for row in api.rows("testevents_list")] == [event["id"]]
    assert api.call("demo_ask", body={"action": "stop"})["state"] == "stopping"
    assert api.call("demo_read")["state"] in ("stopping", "absent")


def system(api, at):
    assert api.call("health")["status"] in ("ok", "degraded")
    assert at.platform.manage("shell", "-c", CREATE_ROWS).returncode == 0
    alarm = api.rows("alarms_list")[0]
    assert api.call("alarms_read", alarm["id"])["text"]
    api.call("alarms_standing")
    api.call("signalling_update", body={"sealed_only": True})
    assert api.call("signalling_read")["sealed_only"] is True
    assert [row["reason"] for row in api.rows("refusals_list")] == ["bad_cell"]
    first, second = api.rows("found_links_list")
    assert api.call("found_links_reject", second["id"])["state"] == "rejected"
    assert api.call("found_links_read", second["id"])["decided_by"] == "admin"
    assert api.call("found_links_approve", first["id"])["state"] == "active"


def end(api, at):
    """Delete the created objects in an order in which none is in use."""
    for row in api.rows("subscriptions_list", limit=1000):
        api.call("subscriptions_delete", row["id"])
        assert api.call("subscriptions_read", row["id"])["state"] == "withdrawn"
    api.call("advertisements_delete", at.ad)
    assert api.call("advertisements_read", at.ad)["state"] == "withdrawn"
    gone(api, "publishers", at.publisher)
    gone(api, "subscribers", at.subscriber)
    gone(api, "topics", at.topic)
    gone(api, "hosts", at.h9)
    for link in api.rows("links_list", limit=1000):
        if "s9" in (link["a"], link["b"]) or "n1" in (link["a"], link["b"]):
            gone(api, "links", link["id"])
    for pk in (at.s9, *at.imported):
        gone(api, "switches", pk)


STEPS = (accounts, network, announcements, tables, traffic, aggregation, analytics, first_use, system, end)


def test_every_operation_of_the_schema(platform, tmp_path):
    modules = generate(tmp_path)
    output = platform.manage("token", "admin", "--name", "generated")
    headers = {"X-Forwarded-For": "203.0.113.9"}
    api = Generated(modules, platform.base_url, output.stdout.split()[-1], **headers)
    at = SimpleNamespace(platform=platform)
    for step in STEPS:
        step(api, at)
    assert sorted(operation_ids() - api.used) == []
