"""Cases that users of other systems reported: unusual ids, ports and values, single switches, long texts."""

import json

from django.db import connection

from controlplane.network.models import Link, Switch
from controlplane.planning import planner_state
from controlplane.telemetry.models import EventSample

LONE = {"name": "s9", "dpid": "0000000000000009"}
HOST = {"name": "h9", "switch": "s9", "port": 1, "ip": "fd00::9", "mac": "02:00:00:00:00:09"}


BAD_PORTS = ["1", "0x1", "000003", "", None, True, 1.5, [], 0, -1, 2**32, 2**80, "\u0663"]


def test_ports_and_ids_that_are_none_are_refused(world, pointers):
    for port in BAD_PORTS:
        host = {**HOST, "switch": "s1", "port": port}
        assert pointers(world.post("hosts/", host))[0][1] == "/port", port
        link = {"a": "s1", "a_port": port, "b": "s3", "b_port": 7}
        assert pointers(world.post("links/", link))[0][1] == "/a_port", port
    first = Switch.objects.order_by("id")[0].pk
    for key in (f"00000{first}", f"0x{first}", f"{first}.0", f" {first}", "1" * 300, "-1"):
        answer = world.get(f"switches/{key}/")
        assert answer.status_code in (400, 404) or answer.json()["id"] == first, key


def test_the_largest_dpids_survive_database_and_json(world, end):
    for name, dpid in (("half", "8000000000000000"), ("last", "ffffffffffffffff")):
        assert world.post("switches/", {"name": name, "dpid": dpid}).status_code == 202
        end()
        assert Switch.objects.get(name=name).dpid == dpid
        assert planner_state.load().planner.topology.switches[name].dpid == dpid
        assert json.loads(world.get(f"switches/?name={name}").content)["results"][0]["dpid"] == dpid


def test_a_host_at_a_switch_without_links_is_no_fault(world, end):
    assert world.post("switches/", LONE).status_code == 202
    assert world.post("hosts/", HOST).status_code == 202
    assert world.post("subscribers/", {"name": "lone", "host": "h9"}).status_code == 201
    assert world.post("publishers/", {"name": "far", "host": "h9"}).status_code == 201
    subscription = {"subscriber": "lone", "topic": "quotes", "filter": "low < 512"}
    dry = world.post("subscriptions/?dry_run=true", subscription)
    assert dry.status_code == 200, dry.content
    for resource, body in (
        ("subscriptions", subscription),
        ("advertisements", {"publisher": "exchange", "topic": "quotes", "filter": "true"}),
        ("advertisements", {"publisher": "far", "topic": "quotes", "filter": "low < 9"}),
    ):
        assert world.post(f"{resource}/", body).status_code == 202
    end()
    planner = planner_state.load().planner
    assert planner.table("s9") and not planner.table("s2")
    pk = Switch.objects.get(name="s9").pk
    for path in (f"switches/{pk}/", f"tables/{pk}/", "topology/", "trees/", f"switches/{pk}/affected/"):
        assert world.get(path).status_code == 200, path


def test_links_name_what_exists_once(world, pointers):
    good = {"a": "s1", "a_port": 7, "b": "s3", "b_port": 7}
    for change, pointer in (({"b": "s77"}, "/b"), ({"b_port": 10}, "/b_port"), ({"a_port": 1}, "/a_port")):
        assert pointers(world.post("links/", {**good, **change}))[0][1] == pointer
    assert pointers(world.post("links/", {"a": "s1", "a_port": 7}))
    assert not Link.objects.filter(a_port=7).exists()


def test_values_that_look_like_nothing_are_values_and_nothing_is_none(world, end, pointers):
    number = advertised(world, end)
    for text in ("null", "undefined", "None", ""):
        sample = {"publisher": number, "values": {**EVENT, "symbol": text}}
        assert world.post("traffic/samples/", [sample]).status_code == 201
        assert EventSample.objects.latest("id").values["symbol"] == text
    for values in ({**EVENT, "symbol": None}, {key: EVENT[key] for key in EVENT if key != "symbol"}):
        found = pointers(world.post("traffic/samples/", [{"publisher": number, "values": values}]))
        assert found[0][1].endswith("/values/symbol")


def test_doubles_come_back_as_they_were(world, end):
    number = advertised(world, end)
    for value in (31.333846775201351, -0.0, 1e-310, 5e-324, 0.1 + 0.2, 99.99999999999999):
        body = f'[{{"publisher": "{number}", "values": {json.dumps({**EVENT, "high": value})}}}]'
        assert world.raw("POST", "traffic/samples/", body).status_code == 201
        kept = EventSample.objects.latest("id").values["high"]
        unsigned = connection.vendor == "postgresql" and value == 0  # its jsonb has no negative zero
        assert repr(kept) == repr(0.0 if unsigned else value)
        subscription = {"subscriber": "alice", "topic": "quotes", "filter": f"high = {value!r}"}
        answer = world.post("subscriptions/", subscription)
        assert answer.status_code == 202
        assert world.get(answer.json()["object"]["url"]).json()["filter"] == f"high = {value!r}"


def test_long_selectors_are_taken_or_refused_by_name(world, error):
    tests = " or ".join(f"(low = {n % 1024} and high > {n % 100})" for n in range(1500))
    for text in (tests, " and ".join(f"low != {n % 1000}" for n in range(3000))):
        body = {"subscriber": "alice", "topic": "quotes", "filter": text}
        answer = world.post("subscriptions/?dry_run=true", body)
        assert answer.status_code == 200 or error(answer)["code"] == "too_complex"


EVENT = {"low": 92, "high": 1.5, "open": True, "side": "buy", "symbol": "IBM"}


def advertised(world, end):
    """Return the name of an active advertisement of all events."""
    body = {"publisher": "exchange", "topic": "quotes", "filter": "true"}
    number = world.post("advertisements/", body).json()["object"]["id"]
    end()
    return f"a{number}"
