"""Errors of the northbound: every bad request gets a code for its error, and none gets a 500."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any

import pytest

from controller_app.source_check.request import parse_checks
from tercast.errors import Refused, format_path
from tests.support.controller.controller_harness import TOKEN, Controller, dpid, entry, output, set_dst

A = dpid(0xA1)
GOOD = entry("ff0e:4::/32", 18, output(1))


def post(controller: Controller, body: Any = None, **options: Any) -> tuple[int, Any]:
    return controller.call("POST", "/v1/changes", body, **options)


def change(**switch: Any) -> dict[str, Any]:
    return {"id": "test", "switches": [{"dpid": A, **switch}]}


def rows(entries: list[Any], *actions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the compact form of additions."""
    return {"actions": [list(listed) for listed in actions] or [[output(1)]], "entries": entries}


def refused(answer: tuple[int, Any]) -> dict[str, Any]:
    """Return the first error of a 400."""
    status, problem = answer
    assert status == 400, problem
    assert problem["status"] == 400
    assert problem["detail"]
    first = problem["errors"][0]
    assert first.keys() == {"pointer", "code", "detail", "value"}
    return first


@pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "x", "\xe9" * 20])
@pytest.mark.parametrize("path", ["/v1/switches", "/v1/nothing"])
def test_everything_but_health_asks_for_the_token(controller, token, path) -> None:
    status, problem = controller.call("GET", path, token=token)
    assert (status, problem["code"]) == (401, "unauthorised")


def test_health_is_open(controller) -> None:
    assert controller.call("GET", "/v1/health", token=None) == (200, {"status": "ok"})


def test_other_schemes_of_authorisation_do_not_count(controller) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", controller.northbound)
    for value in (TOKEN, f"bearer{TOKEN}", f"Basic {TOKEN}", f"Bearer  {TOKEN}"):
        connection.request("GET", "/v1/switches", headers={"Authorization": value})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1/switches/", "/v2/switches", "/v1/switches/x"])
def test_unknown_paths_are_404(controller, path) -> None:
    status, problem = controller.call("GET", path)
    assert (status, problem["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/v1/switches"), ("DELETE", "/v1/links"), ("GET", "/v1/changes"), ("PUT", "/v1/changes")],
)
def test_wrong_methods_are_405(controller, method, path) -> None:
    status, problem = controller.call(method, path, {})
    assert (status, problem["code"]) == (405, "method_not_allowed")


BAD_DPIDS = [
    *(1, True, None, -1, 1.5, [], {}, "", "1", "0x1", "000001", "00:00:00:00:00:00:00:01", "0" * 16),
    *("f" * 17, "f" * 300, "g" * 16, "-000000000000001", " 00000000000001", "0000000000000001\n", 1 << 64),
    "١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦",
]


@pytest.mark.parametrize("bad", BAD_DPIDS)
def test_bad_datapath_ids_are_refused(controller, bad) -> None:
    error = refused(post(controller, {"id": "x", "switches": [{"dpid": bad}]}))
    assert error["pointer"] == "/switches/0/dpid"


@pytest.mark.parametrize("bad", ["1", "0x1", "000001", "f" * 17, "f" * 300, "0" * 16, "-1", "%00", "%ff"])
def test_bad_datapath_ids_in_a_path_are_refused(controller, bad) -> None:
    error = refused(controller.call("GET", f"/v1/switches/{bad}/entries"))
    assert (error["pointer"], error["code"]) == ("/dpid", "bad_dpid")


def test_a_switch_that_is_not_connected_is_503(controller) -> None:
    status, problem = controller.call("GET", f"/v1/switches/{A}/entries")
    assert (status, problem["code"]) == (503, "switch_unreachable")


BAD_ENTRIES = [
    # dst
    *(({"dst": dst}, "dst") for dst in (None, 5, "", "ff0e::", "ff0e::/", "/32", "ff0e::/x", "ff0e::/032")),
    *(({"dst": dst}, "dst") for dst in ("ff0e::/129", "ff0e::/-1", "ff0e::1/64", "ff0e::/15", "::/0")),
    *(({"dst": dst}, "dst") for dst in ("ff1e::25/128", "ff0f::/16", "2001:db8::/32", "ff0e::%eth0/16")),
    *(({"dst": dst}, "dst") for dst in ("225.0.0.37/32", "225.128.0.0/8", "224.0.0.0/9", "10.0.0.0/24")),
    *(({"dst": dst}, "dst") for dst in ("225.128.0.0/255.128.0.0", "225.128/9", "0225.128.0.0/9")),
    *(({"dst": dst}, "dst") for dst in ("ff0e::/16 ", "ff0e::/1６", "f" * 5000)),
    # priority
    *(({"priority": value}, "priority") for value in (None, True, "18", 18.0, -1, 0, 1, 60001, 1 << 80)),
    # in_port
    *(({"in_port": value}, "in_port") for value in (0, -1, "3", "000003", True, 1.0, 0xFFFFFF01, 1 << 64)),
    # actions
    *(({"actions": value}, "actions") for value in (None, {}, "drop", 5)),
    *(
        ({"actions": [value]}, "actions/0")
        for value in (None, 3, "output:3", {}, {"output": 1, "set_dst": 1})
    ),
    *(
        ({"actions": [{"output": value}]}, "actions/0/output")
        for value in (0, -1, "3", "IN_PORT", True, None)
    ),
    *(({"actions": [{"output": value}]}, "actions/0/output") for value in (0xFFFFFFFD, 0xFFFFFFF8, 1 << 33)),
    ({"actions": [{"flood": 1}]}, "actions/0/flood"),
    ({"actions": [{"output": 1}] * 1001}, "actions"),
    ({"actions": [set_dst("fd00::1", "02:00:00:00:00:01")]}, "actions"),
    *(
        ({"actions": [set_dst(ip, "02:00:00:00:00:01"), output(3)]}, "actions/0/set_dst/ip")
        for ip in ("10.0.0.1", "ff0e::1", "::", "fd00::1/128", "", "x", None, 7)
    ),
    *(
        ({"actions": [set_dst("fd00::1", mac), output(3)]}, "actions/0/set_dst/mac")
        for mac in ("02:00:00:00:00", "02-00-00-00-00-01", "33:33:00:00:00:01", "00:00:00:00:00:00", "", None)
    ),
    ({"actions": [{"set_dst": "h2"}, output(3)]}, "actions/0/set_dst"),
    ({"actions": [{"set_dst": {"ip": "fd00::1"}}, output(3)]}, "actions/0/set_dst/mac"),
    # keys
    ({"match": "x"}, "match"),
    ({"packets": 5}, "packets"),
]


@pytest.mark.parametrize("part", ["add", "modify"])
@pytest.mark.parametrize(("change_of", "pointer"), BAD_ENTRIES)
def test_bad_entries_are_refused_with_their_place(controller, part, change_of, pointer) -> None:
    error = refused(post(controller, change(**{part: [GOOD, {**GOOD, **change_of}]})))
    assert error["pointer"] == f"/switches/0/{part}/1/{pointer}"
    assert len(json.dumps(error)) < 1000


@pytest.mark.parametrize("missing", ["dst", "priority", "actions"])
def test_missing_keys_of_an_entry_are_named(controller, missing) -> None:
    lacking = {name: value for name, value in GOOD.items() if name != missing}
    assert refused(post(controller, change(add=[lacking])))["pointer"].endswith(f"/add/0/{missing}")


def test_a_removal_takes_no_actions(controller) -> None:
    error = refused(post(controller, change(remove=[GOOD])))
    assert error["pointer"] == "/switches/0/remove/0/actions"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (None, ""), ([], ""), ("x", ""), ({}, "/id"), ({"id": 5, "switches": []}, "/id"),
        ({"id": "", "switches": []}, "/id"), ({"id": "x" * 201, "switches": []}, "/id"),
        ({"id": "x"}, "/switches"), ({"id": "x", "switches": {}}, "/switches"),
        ({"id": "x", "switches": [5]}, "/switches/0"), ({"id": "x", "switches": [{}]}, "/switches/0/dpid"),
        ({"id": "x", "switches": [], "dry_run": True}, "/dry_run"),
        (change(add=None), "/switches/0/add"), (change(remove={}), "/switches/0/remove"),
        (change(add=[None]), "/switches/0/add/0"), (change(adds=[]), "/switches/0/adds"),
        ({"id": "x", "switches": [{"dpid": A}, {"dpid": A.upper()}]}, "/switches/1/dpid"),
        (change(add=[GOOD, GOOD]), "/switches/0/add/1"),
        (change(add=[GOOD], modify=[GOOD]), "/switches/0/modify/0"),
        ({"id": "x", "switches": [], "order": "none"}, "/order"),
        ({"id": "x", "switches": [], "order": None}, "/order"),
        ({"id": "x", "switches": [], "order": ["any"]}, "/order"),
        (change(atomic=1), "/switches/0/atomic"), (change(atomic=None), "/switches/0/atomic"),
        (change(add=[GOOD], limit=5), "/switches/0/limit"),
        (change(atomic=True, limit=-1), "/switches/0/limit"),
        (change(atomic=True, limit=True), "/switches/0/limit"),
        (change(atomic=True, limit=0, add=[GOOD]), "/switches/0/limit"),
        (change(add={}), "/switches/0/add/actions"), (change(add={"actions": []}), "/switches/0/add/entries"),
        (change(add=rows([["ff0e:4::/32", 18]])), "/switches/0/add/entries/0"),
        (change(add=rows([["ff0e:4::/32", 18, 1]])), "/switches/0/add/entries/0/2"),
        (change(add=rows([["ff0e:4::/32", 18, -1]])), "/switches/0/add/entries/0/2"),
        (change(add=rows([["ff0e:4::/32", 18, True]])), "/switches/0/add/entries/0/2"),
        (change(add=rows([["ff0e:4::/32", 1, 0]])), "/switches/0/add/entries/0/priority"),
        (change(add=rows([["ff0e:4::/32", 18, 0, 0]])), "/switches/0/add/entries/0/in_port"),
        (change(add=rows([GOOD])), "/switches/0/add/entries/0"),
        (
            change(add=rows([["ff0e:4::/32", 18, 0]], [output(0)])),
            "/switches/0/add/entries/0/actions/0/output",
        ),
        (change(add=rows([["ff0e:4::/32", 18, 0]] * 2)), "/switches/0/add/entries/1"),
        (change(remove=[["ff0e:4::/32"]]), "/switches/0/remove/0"),
        (change(remove=[["ff0e:4::/32", 18, 5, 0]]), "/switches/0/remove/0"),
        (change(remove=[["ff0e:4::/32", 18, 0]]), "/switches/0/remove/0/in_port"),
        (change(add=[GOOD], remove=[["ff0e:4::/32", 18]]), "/switches/0/remove/0"),
        (change(steps=[{"add": [GOOD]}], add=[]), "/switches/0/steps"),
        (change(steps=[]), "/switches/0/steps"),
        (change(steps={}), "/switches/0/steps"), (change(steps=[{"adds": []}]), "/switches/0/steps/0/adds"),
        (change(steps=[{}, {"add": [GOOD, {**GOOD, "priority": 1}]}]), "/switches/0/steps/1/add/1/priority"),
        (change(steps=[{}, {"add": [GOOD], "modify": [GOOD]}]), "/switches/0/steps/1/modify/0"),
        (
            change(add=[GOOD], remove=[{"dst": "ff0e:0004::/32", "priority": 18}]),
            "/switches/0/remove/0",
        ),
    ],
)  # fmt: skip
def test_bad_bodies_are_refused_with_their_place(controller, body, pointer) -> None:
    assert refused(post(controller, raw=json.dumps(body).encode()))["pointer"] == pointer


@pytest.mark.parametrize(
    "raw",
    [
        *(
            b"",
            b"{",
            b"\xff\xfe",
            b"nonsense",
            b"[" * 100_000,
            b'{"a":' * 100_000,
            b'{"id": NaN}',
            b"1" * 5000,
        ),
        *(b'{"id": Infinity}', b'{"id": "x", "switches": [], "y": 1e999', b'"\\ud800', b"\0"),
    ],
)
def test_invalid_json_is_refused(controller, raw) -> None:
    assert refused(post(controller, raw=raw))["code"] in ("bad_json", "wrong_type")


def test_a_change_has_a_largest_number_of_entries(controller) -> None:
    _, problem = post(controller, change(remove=[0] * 500_001, add=[{**GOOD, "priority": 1}]))
    errors = [(error["pointer"], error["code"]) for error in problem["errors"]]
    assert errors == [("/switches/0/add/0/priority", "out_of_range"), ("/switches/0/remove", "too_many")]


@pytest.mark.parametrize(
    ("body", "pointer", "code"),
    [
        ({"switches": [{}] * 10_001}, "switches", "too_many"),
        (
            {"switches": [{"dpid": "1" * 16, "version": "v", "check": True, "sources": [{}] * 100_001}]},
            "switches[0].sources",
            "too_many",
        ),
        (
            {"switches": [{"dpid": "1" * 16, "version": "v", "check": False}] * 2},
            "switches[1].dpid",
            "repeated",
        ),
    ],
)
def test_source_checks_have_a_largest_number(body, pointer, code) -> None:
    with pytest.raises(Refused) as found:
        parse_checks(body)
    assert (format_path(found.value.path), found.value.code) == (pointer, code)


def test_a_repeated_key_is_reported_at_its_place_with_other_errors(controller) -> None:
    _, problem = post(controller, change(add=[{**GOOD, "priority": 1}, GOOD, GOOD]))
    pointers = [error["pointer"] for error in problem["errors"]]
    assert pointers == ["/switches/0/add/0/priority", "/switches/0/add/2"]


def test_errors_of_an_answer_are_limited(controller) -> None:
    bad = [{**GOOD, "priority": n - 60} for n in range(60)]
    status, problem = post(controller, change(add=bad))
    assert status == 400
    assert len(problem["errors"]) == 50
    assert [error["pointer"] for error in problem["errors"][:2]] == [
        "/switches/0/add/0/priority",
        "/switches/0/add/1/priority",
    ]


def test_nothing_of_a_refused_change_is_carried_out(controller, network) -> None:
    fake = network.add(0xA1)
    controller.await_switches(A)
    status, _ = post(controller, change(add=[GOOD, {**GOOD, "priority": 1}]))
    assert status == 400
    assert fake.own() == []


def test_a_body_that_is_too_large_is_413(controller) -> None:
    status, problem = post(controller, raw=b" " * (32 * 1024 * 1024 + 1))
    assert (status, problem["code"]) == (413, "too_large")


def test_chunked_body_is_limited(controller) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", controller.northbound)
    chunks = (b" " * 1024 * 1024 for _ in range(34))
    headers = {"Authorization": f"Bearer {TOKEN}", "Transfer-Encoding": "chunked"}
    connection.request("POST", "/v1/changes", chunks, headers, encode_chunked=True)
    assert connection.getresponse().status == 413


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        *((f"/v1/events?after={bad}", "/after") for bad in ("", "-1", "x", "1.0", "%2B1", "9" * 300, "1_0")),
        *((f"/v1/events?after=1&wait={bad}", "/wait") for bad in ("", "-1", "61", "NaN", "1e3", "0x1")),
        ("/v1/events?after=1&after=2", "/after"),
        ("/v1/events?since=1", "/since"),
        ("/v1/switches?page=2", "/page"),
        ("/v1/events?" + "&".join(f"x{n}=1" for n in range(50)), ""),
        ("/v1/events?after", ""),
    ],
)
def test_invalid_query_names_the_parameter(controller, path, pointer) -> None:
    assert refused(controller.call("GET", path))["pointer"] == pointer


def test_events_without_an_id_return_the_newest_number(controller) -> None:
    page = controller.get("/v1/events")
    assert page["events"] == [] and not page["gap"]
    assert controller.get(f"/v1/events?after={page['newest']}")["events"] == []


@pytest.mark.parametrize("after", [0, 1, (1 << 53) - 1])
def test_an_id_that_is_not_of_this_ring_is_a_gap(controller, after) -> None:
    assert controller.get(f"/v1/events?after={after}&wait=30")["gap"]


@pytest.mark.parametrize(
    "raw",
    [
        b"GARBAGE\r\n\r\n",
        b"POST /v1/changes HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        b"POST /v1/changes HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        b"GET /" + b"a" * 20000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * 70000 + b"\r\n\r\n",
    ],
)
def test_invalid_http_gets_an_error(controller, raw) -> None:
    with socket.create_connection(("127.0.0.1", controller.northbound), 10) as peer:
        peer.sendall(raw)
        answer = b"".join(iter(lambda: peer.recv(4096), b""))
    assert b" 4" in answer[:16] or b"Error code: 400" in answer
    assert controller.get("/v1/links") == []
    assert controller.get("/v1/topology") == {"id": None, "links": 0, "edges": 0}
