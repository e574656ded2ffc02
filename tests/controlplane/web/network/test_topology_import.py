"""A topology file in one call: all of it or nothing, and every correction is reported."""

import json

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from controlplane.network import topology_import
from controlplane.network.models import Host, Link, Switch
from controlplane.requestlog.models import Operation, Request
from controlplane.web.network import import_views
from tercast.eventspace.address_plan import AddressPlan
from tercast.planner.planner import Planner
from tercast.topology.importers import limits, read_topology
from tercast.topology.rest_rows import api_row
from tests.support.controlplane.concurrent_calls import at_once

PATH = "topology/import/"
GRAPHML = b"""<?xml version="1.0" encoding="utf-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key attr.name="label" attr.type="string" for="node" id="d0" />
  <key attr.name="Latitude" attr.type="double" for="node" id="d1" />
  <key attr.name="Longitude" attr.type="double" for="node" id="d2" />
  <graph edgedefault="undirected">
    <node id="0"><data key="d0">Z&#252;rich</data><data key="d1">47.4</data><data key="d2">8.5</data></node>
    <node id="1"><data key="d0">R&amp;D</data></node>
    <node id="2"><data key="d0"></data></node>
    <edge source="0" target="1"/><edge source="0" target="1"/><edge source="1" target="2"/>
  </graph>
</graphml>"""
MININET = {
    "switches": [{"name": "m1", "dpid": "1"}, {"name": "m2"}],
    "hosts": [{"name": "g1"}, {"name": "g2", "ip": "fd00::77"}],
    "links": [
        {"a": "g1", "b": "m1", "b_port": 9},
        {"a": "m1", "b": "m2"},
        {"a": "m2", "b": "g2"},
        {"a": "g1", "b": "m2"},
    ],
}


def post(caller, data, query="", content_type="application/octet-stream", **headers):
    return caller.raw("POST", PATH + query, data, content_type=content_type, **headers)


def stored():
    models = (Switch, Link, Host, Request, Operation)
    return [list(model.objects.order_by("pk").values_list("pk", flat=True)) for model in models]


def test_everything_in_the_file_is_added_and_logged_in_order(operator):
    answer = post(operator, GRAPHML, "?hosts=1")
    assert answer.status_code == 202, answer.content
    body = answer.json()
    operation = Operation.objects.get(pk=body["id"])
    assert answer.headers["Location"] == body["url"] == f"/api/v1/operations/{operation.pk}/"
    assert operation.actor.username == "olga"
    assert (body["format"], body["items"], body["states"]["queued"]) == ("graphml", 9, 9)
    assert body["counts"] == {"switches": 3, "links": 3, "hosts": 3}
    assert body["repairs"] == ['node "2" has an empty label; its id is n2']
    logged = list(Request.objects.order_by("id"))
    assert [row.kind for row in logged] == ["add_switch"] * 3 + ["add_link"] * 3 + ["add_host"] * 3
    assert [row.index for row in logged] == list(range(9))
    assert {row.operation_id for row in logged} == {operation.pk}
    rows = [row for model in (Switch, Link, Host) for row in model.objects.order_by("id")]
    assert [row.request_id for row in rows] == [row.pk for row in logged]
    topology = read_topology(GRAPHML, hosts_per_switch=1).topology
    assert [row.payload["link"] for row in logged[3:6]] == topology["links"]
    assert [row.payload["host"] for row in logged[6:]] == [
        {**row, "standby": []} for row in topology["hosts"]
    ]


def test_names_labels_and_places(operator):
    post(operator, GRAPHML)
    rows = Switch.objects.order_by("id").values_list("name", "label", "latitude", "longitude", "dpid")
    assert list(rows) == [
        ("zurich", "Zürich", 47.4, 8.5, f"{1:016x}"),
        ("r-d", "R&D", None, None, f"{2:016x}"),
        ("n2", "", None, None, f"{3:016x}"),
    ]
    assert Request.objects.first().payload["switch"] == {
        "id": "zurich",
        "dpid": f"{1:016x}",
        "tcam_budget": None,
    }


@pytest.mark.parametrize(
    "content_type",
    [
        "application/octet-stream",
        "application/xml",
        "application/json",
        "application/graphml+xml",
        "application/x-www-form-urlencoded",
        "text/plain; charset=utf-8",
        "text/xml",
        "",
    ],
)
def test_the_bytes_may_have_any_type_that_files_have(operator, content_type):
    answer = post(operator, GRAPHML, content_type=content_type)
    assert answer.status_code == 202, answer.content
    assert Switch.objects.count() == 3


@pytest.mark.parametrize("content_type", ["image/png", "multipart/mixed; boundary=x", "audio/ogg"])
def test_other_types_are_refused_with_what_to_send(operator, problem, content_type):
    document = problem(post(operator, GRAPHML, content_type=content_type), 415)
    assert "application/octet-stream" in document["detail"] and "file" in document["detail"]
    assert not Switch.objects.exists()


def form(**fields):
    return {
        name: SimpleUploadedFile("a.graphml", value) if isinstance(value, bytes) else value
        for name, value in fields.items()
    }


def test_a_form_with_the_file(operator):
    answer = operator.post(f"{PATH}?hosts=2", form(file=GRAPHML), format="multipart")
    assert answer.status_code == 202, answer.content
    assert answer.json()["counts"] == {"switches": 3, "links": 3, "hosts": 6}
    assert Host.objects.count() == 6


@pytest.mark.parametrize(
    ("fields", "where"),
    [
        ({}, ""),
        ({"file": "no file"}, "/file"),
        ({"other": b"a b 1"}, "/other"),
        ({"file": b"a b 1", "format": "rocketfuel"}, "/format"),
        ({"file": b""}, ""),
    ],
)
def test_a_form_without_one_file_is_refused(operator, error, fields, where):
    assert error(operator.post(PATH, form(**fields), format="multipart"))["pointer"] == where
    assert not Switch.objects.exists()


def test_two_files_are_refused(operator, error):
    files = {"file": [SimpleUploadedFile("a", b"a b 1"), SimpleUploadedFile("b", b"c d 1")]}
    assert "2 files" in error(operator.post(PATH, files, format="multipart"))["detail"]


def test_a_browser_sends_the_form_with_its_token(db, make_user, problem):
    make_user("olga", "operator")
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get())
    refused = client.post(f"/api/v1/{PATH}", form(file=GRAPHML))
    problem(refused, 403)
    assert not Switch.objects.exists()
    client.cookies["csrftoken"] = "a" * 32
    large = GRAPHML + b" " * 3_000_000  # larger than the part kept in memory
    answer = client.post(f"/api/v1/{PATH}", form(file=large), headers={"X-CSRFToken": "a" * 32})
    assert answer.status_code == 202, answer.content
    assert Switch.objects.count() == 3
    answer = client.post(f"/api/v1/{PATH}?dry_run=true", form(file=b"x y 1", csrfmiddlewaretoken="a" * 32))
    assert answer.status_code == 200, answer.content


@pytest.mark.django_db(transaction=True)
def test_the_answer_waits_for_the_end(operator, end, monkeypatch):
    monkeypatch.setattr("controlplane.requestlog.append._wake", end)
    answer = post(operator, GRAPHML, HTTP_PREFER="wait=20")
    assert answer.headers["Preference-Applied"] == "wait=20"
    assert answer.json()["finished"] and answer.json()["states"]["active"] == 6
    page = operator.get(answer.json()["results"]).json()["results"]
    assert [row["object"]["type"] for row in page] == ["switch"] * 3 + ["link"] * 3
    assert operator.get(page[3]["object"]["url"]).json()["a"] == "zurich"


def test_a_dry_run_shows_the_result_and_stores_nothing(operator):
    answer = post(operator, GRAPHML, "?dry_run=true&hosts=1")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["dry_run"] and body["accepted"] and body["items"] == 9 == len(body["results"])
    assert body["counts"] == {"switches": 3, "links": 3, "hosts": 3}
    assert len(body["repairs"]) == 1 and body["entries"] == []
    assert stored() == [[], [], [], [], []]


def test_a_dry_run_finds_what_the_import_would(network, pointers):
    file = b"s1 s9 1\n"
    assert pointers(post(network, file, "?dry_run=true")) == [(None, "/switches/0/id", "not_unique")]
    assert pointers(post(network, file)) == [(None, "/switches/0/id", "not_unique")]


def test_the_planner_takes_all_of_it(operator):
    post(operator, json.dumps(MININET))
    post(operator, GRAPHML, "?hosts=2")
    planner = Planner(AddressPlan.default("ipv6"))
    for row in Request.objects.order_by("id"):
        outcome = planner.apply(row.payload)
        assert outcome.ok, (row.payload, outcome.reason)
    assert Request.objects.count() == 2 + 1 + 2 + 3 + 3 + 6


def test_hosts_of_the_file_keep_their_places(operator):
    post(operator, json.dumps(MININET))
    host = Host.objects.get(name="g1")
    assert (host.switch.name, host.port, host.standby) == ("m1", 9, [{"switch": "m2", "port": 3}])
    assert Host.objects.get(name="g2").ip == "fd00::77"


# Into an existing network.


def test_what_the_importer_gives_is_moved_to_what_is_free(network):
    answer = post(network, GRAPHML, "?hosts=1")
    assert answer.status_code == 202, answer.content
    new = Switch.objects.exclude(name__in=("s1", "s2", "s3")).order_by("id")
    assert [row.dpid for row in new] == [f"{n:016x}" for n in (4, 5, 6)]
    hosts = Host.objects.filter(name__startswith="h-").order_by("id")
    assert [row.ip for row in hosts] == ["fd00::4", "fd00::5", "fd00::6"]
    assert [row.mac[-2:] for row in hosts] == ["04", "05", "06"]
    repairs = " ".join(answer.json()["repairs"])
    assert "3 datapath ids are in use in the network" in repairs and "3 addresses are in use" in repairs


def test_what_the_file_says_is_kept_or_refused_with_all_errors(network, problem):
    before = stored()
    file = {
        "switches": [{"name": "S1"}, {"name": "x", "dpid": "2"}, {"name": "s3", "dpid": "ff"}],
        "hosts": [{"name": "h1"}, {"name": "y", "ip": "fd00::2", "mac": "02:00:00:00:00:03"}],
        "links": [{"a": "h1", "b": "x"}, {"a": "y", "b": "x"}, {"a": "S1", "b": "x"}],
    }
    document = problem(post(network, json.dumps(file)), 400)
    assert [(e["pointer"], e["value"]) for e in document["errors"]] == [
        ("/switches/0/id", "s1"),
        ("/switches/2/id", "s3"),
        ("/switches/1/dpid", f"{2:016x}"),
        ("/hosts/0/id", "h1"),
        ("/hosts/1/ip", "fd00::2"),
        ("/hosts/1/mac", "02:00:00:00:00:03"),
    ]
    assert "switch s1" in document["errors"][0]["detail"]
    assert stored() == before


def test_the_same_file_twice_is_refused(operator, problem):
    post(operator, GRAPHML, "?hosts=1")
    before = stored()
    errors = problem(post(operator, GRAPHML, "?hosts=1"), 400)["errors"]
    assert [e["pointer"] for e in errors] == [
        *(f"/switches/{n}/id" for n in range(3)),
        *(f"/hosts/{n}/id" for n in range(3)),
    ]
    assert stored() == before


def test_what_the_command_wrote_is_taken_as_it_is(operator):
    topology = read_topology(GRAPHML, hosts_per_switch=1).topology
    topology["switches"][0] |= {"tcam_budget": 7, "dpid": "00000000000000ab"}
    answer = post(operator, json.dumps(topology), "?hosts=1", content_type="application/json")
    assert answer.status_code == 400  # h-zurich-1 exists
    answer = post(operator, json.dumps(topology), content_type="application/json")
    assert (answer.status_code, answer.json()["format"], answer.json()["repairs"]) == (202, "tercast", [])
    row = Switch.objects.get(name="zurich")
    assert (row.dpid, row.tcam_budget, row.label, row.latitude) == ("00000000000000ab", 7, "Zürich", 47.4)
    assert list(Host.objects.order_by("id").values_list("ip", flat=True)) == ["fd00::1", "fd00::2", "fd00::3"]


def test_all_errors_in_our_own_form_are_reported(operator, pointers):
    topology = {
        "switches": [
            {"id": "a b", "dpid": f"{1:016x}"},
            {"id": "b", "dpid": f"{2:016x}", "name": "x" * 201, "lat": 1},
        ],
        "links": [{"a": "a b", "a_port": 1, "b": "b", "b_port": 1, "cost": 0.5}],
        "hosts": [],
    }
    assert pointers(post(operator, json.dumps(topology))) == [
        (None, "/switches/0/id", "bad_name"),
        (None, "/switches/1/name", "too_long"),
        (None, "/links/0/cost", "wrong_type"),
    ]
    topology["links"].append({"a": "b", "a_port": 2, "b": "c", "b_port": 1})
    assert pointers(post(operator, json.dumps(topology))) == [(None, "/links/1/b", "unknown_switch")]
    assert stored() == [[], [], [], [], []]


def test_a_failure_while_storing_stores_nothing(operator, monkeypatch):
    def broken(*args, **kwargs):
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Host.objects.__class__, "bulk_create", broken)
    operator.raise_request_exception = False
    assert post(operator, GRAPHML, "?hosts=1").status_code == 500
    monkeypatch.undo()
    assert stored() == [[], [], [], [], []]


@pytest.mark.django_db(transaction=True)
def test_of_equal_imports_at_once_one_wins(operator):
    codes = at_once([lambda: post(operator, GRAPHML)] * 4)
    assert codes[202] == 1 and codes.keys() <= {202, 400, 409, 503}
    assert (Switch.objects.count(), Link.objects.count(), Request.objects.count()) == (3, 3, 6)


def test_nothing_is_looked_up_item_by_item(operator):
    reads = []
    for number, size in enumerate((2, 3, 200)):  # the first call of a process also makes one-time queries
        file = b"".join(b"r%d-0 r%d-%d 1\n" % (number, number, i) for i in range(1, size))
        with CaptureQueriesContext(connection) as captured:
            assert post(operator, file, "?hosts=1").status_code == 202
        reads.append(sum(query["sql"].startswith("SELECT") for query in captured))
    assert reads[1] == reads[2] <= 10


# Refusals.


@pytest.mark.parametrize(
    ("query", "parameter"),
    [
        ("?format=svg", "format"),
        ("?format=", "format"),
        ("?hosts=101", "hosts"),
        ("?hosts=-1", "hosts"),
        ("?hosts=1e1", "hosts"),
        ("?dry_run=1", "dry_run"),
        ("?atomic=false", "atomic"),
        ("?host=1", "host"),
        ("?hosts=1&hosts=2", "hosts"),
    ],
)
def test_bad_parameters_are_named(operator, error, query, parameter):
    assert error(post(operator, GRAPHML, query))["parameter"] == parameter
    assert not Switch.objects.exists()


def test_the_format_may_be_said(operator, error):
    assert "GML" in error(post(operator, b"a b 1\n", "?format=gml"))["detail"]
    assert post(operator, b"a b 1\n", "?format=rocketfuel").json()["format"] == "rocketfuel"


def test_only_post_is_there(operator, problem):
    for method in ("GET", "PATCH", "DELETE"):
        problem(operator.raw(method, f"{PATH}?hosts=1", b""), 405)


LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><graphml>&b;</graphml>'
HOSTILE = {
    "empty": (b"", "empty"),
    "zeros": (b"\0" * 1000, "unknown format"),
    "rubbish": (bytes(range(256)) * 40, "unknown format"),
    "gzip": (b"\x1f\x8b\x08\0\0\0\0\0", "unknown format"),
    "laughs": (LAUGHS, "document type"),
    "laughs in UTF-16": (LAUGHS.encode("utf-16"), "document type"),
    "laughs in UTF-16 without a mark": (LAUGHS.encode("utf-16-be"), "document type"),
    "laughs in a declared encoding": (
        '<?xml version="1.0" encoding="utf-16le"?>'.encode("utf-16-le") + LAUGHS.encode("utf-16-le"),
        "document type",
    ),
    "external entity": ('<!DOCTYPE x SYSTEM "file:///etc/passwd"><graphml/>', "document type"),
    "deep XML": ("<graphml>" + "<graph>" * 100_000, "deeper than 100"),
    "cut off XML": (GRAPHML[:-12], "not well-formed"),
    "unknown encoding": ('<?xml version="1.0" encoding="EBCDIC-17"?><graphml/>', "not well-formed"),
    "deep JSON": ("[" * 100_000, "not JSON"),
    "deep label": (
        '{"nodes": [{"id": 1, "label": ' + "[" * 500 + "]" * 500 + '}], "links": 1}',
        "has no list",
    ),
    "huge integer": ('{"nodes": [{"id": ' + "9" * 5000 + '}], "links": []}', "not JSON"),
    "no object": ("[]", "JSON object"),
    "lone surrogate": (
        '{"nodes": [{"id": "\\ud800"}], "links": [{"source": "\\udfff", "target": 1}]}',
        "no node",
    ),
    "unknown node": (
        b'<graphml><graph><node id="a"/><edge source="a" target="b"/></graph></graphml>',
        "no node",
    ),
    "end without a name": (
        b'<graphml><graph><node id="a"/><edge source="a"/></graph></graphml>',
        "no target",
    ),
    "GML": ("graph [ node [ id 0 ] edge [ source 0 target 7 ] ]", "no node 7"),
    "deep GML": ("graph [ " + "a [ " * 20_000, "deeper than 100"),
    "no node": ('{"nodes": [], "links": []}', "no node"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused_in_the_readers_words(operator, problem, name):
    data, words = HOSTILE[name]
    document = problem(post(operator, data), 400)
    assert words in document["detail"], document
    assert all(e["detail"] and e["code"] for e in document["errors"])
    assert stored() == [[], [], [], [], []]


ODD = {
    "NaN": '{"nodes": [{"id": 1, "lat": NaN, "lon": Infinity}, {"id": 2}], "links": '
    '[{"source": 1, "target": 2, "weight": NaN}]}',
    "huge numbers": '{"nodes": [{"id": 1, "lat": 1e999, "lon": '
    + "9" * 4000
    + ', "dpid": '
    + "9" * 4000
    + "}, "
    '{"id": 2}], "links": [{"source": 1, "target": 2, "weight": ' + "9" * 4000 + "}]}",
    "huge exponent": "a b 1e999999999\n",
    "tiny exponent": "a b 1e-999\n",
    "control characters": '{"nodes": [{"id": 1, "label": "a\\u0000b\\ud800c"}], "links": []}',
    "long label": '{"nodes": [{"id": 1, "label": "' + "x" * 100_000 + '"}], "links": []}',
    "objects everywhere": '{"nodes": [{"id": 1, "label": {}, "lat": [], "lon": {}, "dpid": []}, {"id": 2}], '
    '"links": [{"source": 1, "target": 2, "weight": {}}]}',
    "flags everywhere": '{"nodes": [{"id": 1, "label": true, "lat": true, "dpid": true}], "links": []}',
    "odd ports": '{"switches": [{"name": "a"}, {"name": "b"}], "links": ['
    '{"a": "a", "b": "b", "a_port": true, "b_port": -1}, '
    '{"a": "a", "b": "b", "a_port": 4294967040, "b_port": 1e300}]}',
    "odd addresses": '{"switches": [{"name": "a"}], '
    '"hosts": [{"name": "h", "ip": "::1", "mac": "ff:ff:ff:ff:ff:ff"}], "links": [{"a": "a", "b": "h"}]}',
    "direction marks": '{"nodes": [{"id": 1, "label": "\\u202eabc"}], "links": []}',
    "UTF-16": GRAPHML.decode().replace("utf-8", "utf-16").encode("utf-16"),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_values_are_repaired_reported_and_stored(operator, name):
    answer = post(operator, ODD[name])
    assert answer.status_code == 202, answer.content
    assert answer.json()["repairs"] or name == "direction marks"
    for row in Switch.objects.all():
        assert len(row.label) <= 200 and "\0" not in row.label
        row.label.encode()
        assert 0 < int(row.dpid, 16) < 1 << 64
    assert all(1 <= row.cost < 1 << 31 for row in Link.objects.all())
    end_names = [row["name"] for row in operator.get("switches/").json()["results"]]
    assert len(end_names) == answer.json()["counts"]["switches"]


# Limits.


def test_a_large_file_is_refused_with_the_limit(operator, problem, monkeypatch):
    large = b"#" * (topology_import.MAX_BYTES + 1)
    assert str(topology_import.MAX_BYTES) in problem(post(operator, large), 413)["detail"]
    answer = operator.post(PATH, form(file=large), format="multipart")
    assert str(topology_import.MAX_BYTES) in problem(answer, 413)["detail"]
    answer = post(operator, b"a b 1", CONTENT_LENGTH=str(1 << 40))
    assert str(topology_import.MAX_BYTES) in problem(answer, 413)["detail"]


def test_a_file_at_the_limit_is_read(operator):
    file = b"a b 1\n"
    assert post(operator, file + b"#" * (topology_import.MAX_BYTES - len(file))).status_code == 202


@pytest.mark.parametrize(
    "file",
    [
        "<graphml><graph>" + "<node id='1'/>" * 100_001 + "</graph></graphml>",
        "<graphml><graph>" + "<edge source='1' target='2'/>" * 400_001 + "</graph></graphml>",
        "graph [ " + "node [ id 1 ] " * 100_001 + "]",
        '{"nodes": [' + "{}," * 100_000 + '{}], "links": []}',
        "".join(f"a b{n} 1\n" for n in range(100_001)),
    ],
    ids=["nodes", "edges", "GML", "JSON", "lines"],
)
def test_too_many_nodes_or_links_are_refused_with_the_limit(operator, problem, file):
    document = problem(post(operator, file), 413)
    assert "00000" in document["detail"] and "split" in document["detail"]


def test_more_than_a_call_takes_is_refused_with_the_limit(operator, problem, monkeypatch):
    monkeypatch.setattr(topology_import, "MAX_ITEMS", 10)
    assert post(operator, GRAPHML, "?hosts=1").status_code == 202
    document = problem(post(operator, GRAPHML, "?hosts=2"), 413)
    assert "3 switches, 3 links, 6 hosts" in document["detail"] and "10" in document["detail"]
    monkeypatch.setattr(limits, "MOST_HOSTS", 10)
    assert "hosts" in problem(post(operator, GRAPHML, "?hosts=4"), 413)["detail"]


def test_the_number_of_reported_repairs_is_bounded(operator, monkeypatch):
    monkeypatch.setattr(import_views, "MAX_REPAIRS", 2)
    file = {"nodes": [{"id": n, "label": ""} for n in range(5)], "links": []}
    repairs = post(operator, json.dumps(file)).json()["repairs"]
    assert len(repairs) == 3 and repairs[-1].startswith("and 3 more")


def test_a_large_network_goes_in_at_once(operator):
    file = b"".join(b"n%d n%d 1\n" % (i, (i * 7 + 1) % 700) for i in range(700))
    answer = post(operator, file, "?hosts=1")
    assert answer.status_code == 202 and answer.json()["counts"]["switches"] == 700
    assert [Switch.objects.count(), Host.objects.count()] == [700, 700]
    assert Request.objects.count() == answer.json()["items"] == 1400 + Link.objects.count()


def test_every_field_of_a_topology_comes_back_from_the_api(operator):
    """Import by one call for the file, and by one call for each part: the same rows, without loss."""
    switch = {"id": "s1", "dpid": f"{1:016x}", "tcam_budget": 6, "name": "Bern", "lat": 46.9, "lon": 7.4}
    host = {"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}
    topology = {
        "switches": [switch, {"id": "s2", "dpid": f"{2:016x}"}],
        "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1, "cost": 7}],
        "hosts": [{**host, "standby": [{"switch": "s2", "port": 4}]}],
    }

    def rows():
        found = {
            "switches": list(Switch.objects.order_by("id").values()),
            "links": list(Link.objects.values("a__name", "a_port", "b__name", "b_port", "cost")),
            "hosts": list(Host.objects.values("name", "switch__name", "port", "ip", "mac", "standby")),
        }
        names = ("name", "dpid", "tcam_budget", "label", "latitude", "longitude")
        found["switches"] = [{name: row[name] for name in names} for row in found["switches"]]
        return found

    assert post(operator, json.dumps(topology)).status_code == 202
    imported = rows()
    assert imported["hosts"][0]["standby"] == topology["hosts"][0]["standby"]
    assert imported["links"][0]["cost"] == 7
    assert imported["switches"][0] == {
        **{"name": "s1", "dpid": f"{1:016x}", "tcam_budget": 6, "label": "Bern"},
        **{"latitude": 46.9, "longitude": 7.4},
    }
    for model in (Host, Link, Switch):
        model.objects.all().delete()
    for part, entries in topology.items():
        answer = operator.post(f"{part}/", [api_row(part, entry) for entry in entries])
        assert answer.status_code == 202, answer.content
    assert rows() == imported


def test_what_a_platform_found_out_itself_is_not_imported(operator):
    """A scenario from a snapshot names a full table: its declared budget counts."""
    full = {"capacity": 5, "declared": 9, "tcam_budget": 5, "reserve": 1}
    topology = {"switches": [{"id": "s1", "dpid": f"{1:016x}", **full}], "links": [], "hosts": []}
    assert post(operator, json.dumps(topology)).status_code == 202
    assert Switch.objects.get().tcam_budget == 9


def test_a_file_is_validated_before_the_database_is_locked(operator, monkeypatch):
    """SQLite has one writer: the seconds for the largest file must not delay other calls."""
    outside, depths, validated = len(connection.savepoint_ids), [], import_views.read_parts

    def recorded(topology):
        depths.append(len(connection.savepoint_ids))
        with CaptureQueriesContext(connection) as queries:
            bodies = validated(topology)
        assert not queries.captured_queries
        return bodies

    monkeypatch.setattr(import_views, "read_parts", recorded)
    assert post(operator, GRAPHML, "?hosts=1").status_code == 202
    assert depths == [outside]
