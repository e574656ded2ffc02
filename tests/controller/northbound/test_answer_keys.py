"""The keys and types of the northbound's answers are those that the control plane and users know."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

from controller_app.northbound.routes import NorthboundApi
from tests.support.controller.controller_harness import Controller, dpid, entry, eventually, output
from tests.support.controller.fake_switch import FakeNetwork
from tests.support.controller.host_frames import PUNT, frame

A, B, GONE = 0xA1, 0xB2, 0xC3
KNOWN = Path(__file__).parent / "answer_keys.json"
"""The keys of the answer to each request. To write it again, delete it; its diff is a change of the API."""

TYPES = {str: "text", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def lines(value: Any, path: str = "") -> set[str]:
    """Every path of keys in a JSON value, with the type at its end; `[]` is an item of a list."""
    if isinstance(value, dict):
        found = {f"{path}: object"} if not value else set()
        return found.union(*(lines(item, f"{path}.{key}") for key, item in value.items()))
    if isinstance(value, list):
        return set().union(*(lines(item, f"{path}[]") for item in value)) or {f"{path}: list"}
    return {f"{path}: {TYPES[type(value)]}"}


def call_every_route(controller: Controller, network: FakeNetwork) -> dict[str, set[str]]:
    """Collect the keys of every answer, from two joined switches of which one refuses an entry."""
    network.join((A, 1), (B, 1))
    first, second = network.add(A), network.add(B)
    controller.await_switches(dpid(A), dpid(B))
    assert eventually(lambda: controller.get("/v1/links"))
    found: dict[str, set[str]] = {}

    def call(method: str, path: str, body: Any = None, name: str = "") -> Any:
        status, answer = controller.call(method, path, body)
        found[f"{method} {name or path} {status}"] = lines(answer)
        return answer

    newest = call("GET", "/v1/events", name="/v1/events (without after)")["newest"]
    heard = call("GET", "/v1/signals", name="/v1/signals (without after)")["newest"]
    call("GET", "/v1/health")
    call("GET", "/v1/listening")
    second.faults.refuse = lambda match: (5, 1)
    good = entry(
        "ff0e:4::/32", 18, output(1), {"set_dst": {"ip": "fd00::1", "mac": "02:00:00:00:00:01"}}, output(2)
    )
    switches = [{"dpid": dpid(number), "add": [good]} for number in (A, B, GONE)]
    call("POST", "/v1/changes", {"id": "x", "switches": switches})
    second.faults.refuse = lambda match: None
    sources = [{"port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}]
    checks = [{"dpid": dpid(A), "version": "1", "check": True, "links": [1], "sources": sources}]
    call("POST", "/v1/sources", {"widen": False, "switches": checks})
    call("GET", "/v1/switches")
    call("GET", f"/v1/switches/{dpid(A)}/entries", name="/v1/switches/<dpid>/entries")
    call("POST", f"/v1/switches/{dpid(A)}/repair", name="/v1/switches/<dpid>/repair")
    call("GET", "/v1/links")
    call("GET", "/v1/topology")
    call("PUT", "/v1/topology", {"id": "t", "links": [[dpid(A), 1, dpid(B), 1]], "edges": [[dpid(A), 3]]})
    first.packet_in(2, frame(b"hello"), PUNT)
    assert eventually(lambda: controller.get(f"/v1/signals?after={heard}")["signals"])
    call("GET", f"/v1/signals?after={heard}", name="/v1/signals?after=N")
    to = {"dpid": dpid(A), "port": 2, "mac": "02:00:00:00:00:01", "ip": "fd00::1", "udp_port": 5000}
    call(
        "POST",
        "/v1/signals/answers",
        {"answers": [{**to, "payload": b64encode(b"x").decode()}]},
    )
    network.part((A, 1))
    assert eventually(lambda: "link_silent" in controller.alarm_names())
    call("GET", "/v1/alarms")
    assert eventually(lambda: len(controller.get("/v1/counters")["tables"]) > 1)
    call("GET", "/v1/counters")
    call("GET", f"/v1/events?after={newest}", name="/v1/events?after=N")
    call("GET", "/v1/switches/1/entries", name="any, refused")
    call("GET", "/v1/nothing", name="any, unknown")
    return found


def test_answers_have_the_known_keys(controller: Controller, network: FakeNetwork) -> None:
    answers = call_every_route(controller, network)
    called = {name.rpartition(" ")[0].partition("?")[0].partition(" (")[0] for name in answers}
    routes = {f"{route.method} {route.path}" for route in object.__new__(NorthboundApi)._routes()}
    assert routes - called == {"GET /metrics"}  # tests/controlplane/contracts has the names of metrics
    found = {name: sorted(keys) for name, keys in sorted(answers.items())}
    if not KNOWN.exists():
        KNOWN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(KNOWN.read_text())
