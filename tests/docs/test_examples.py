"""The files of examples/ agree with each other, and the two programs deliver what the scenario promises."""

import json
from collections import deque
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise

from tercast.cli.main import main
from tercast.client.metadata_sources import ScenarioSource
from tercast.client.subscriber import Subscriber
from tercast.wire.packets import pack_ip
from tests.support.docs.page_blocks import ROOT

EXAMPLES = ROOT / "examples"
SCENARIO = json.loads((EXAMPLES / "scenario.json").read_text(encoding="utf-8"))


def program(name):
    spec = spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Wire:
    """Carries what one host sends to another one, in memory."""

    def __init__(self, source):
        self.source, self.waiting = pack_ip(source), deque()

    def send(self, dst_ip, payload):
        self.waiting.append(payload)

    def receive(self, timeout=None):
        return self.waiting.popleft() if self.waiting else None

    def receive_from(self, timeout=None):
        payload = self.receive()
        return None if payload is None else (payload, self.source)

    def fileno(self):
        return -1

    def close(self):
        pass


def test_the_import_writes_the_topology_that_the_scenario_has(tmp_path):
    written = tmp_path / "topology.json"
    assert main(["import", str(EXAMPLES / "topology.graphml"), "-o", str(written), "--hosts", "1"]) == 0
    assert written.read_text() == (EXAMPLES / "topology.json").read_text()
    assert json.loads(written.read_text()) == SCENARIO["topology"]


def test_the_programs_deliver_the_event_that_the_host_asks_for():
    source = ScenarioSource(SCENARIO)
    wire = Wire(source.host("h-seattle-1").ip)
    publisher, subscriber = program("publisher"), program("subscriber")
    assert publisher.publish(source, wire, "a1") == len(publisher.EVENTS) == len(wire.waiting)
    host = source.host("h-atlanta-1")
    filters = {one.name: one.filter for one in source.subscriptions(host.name)}
    receiver = Subscriber(
        filters, source.topic("weather"), wire, origins=source.origins(["weather"], host.ip)
    )
    found = [(one.event.values, one.subscriptions) for one in subscriber.receive(receiver, 1.0)]
    assert found == [({"city": "Seattle", "celsius": 33}, ("q1",))]
    assert receiver.counters.unwanted == 1 and receiver.counters.rejected == 0


def test_the_events_are_of_both_advertisements_and_some_are_for_nobody():
    lines = [json.loads(line) for line in (EXAMPLES / "events.jsonl").read_text().splitlines()]
    assert {line["publisher"] for line in lines} == {"a1", "a2"}
    assert len({json.dumps(line) for line in lines}) == len(lines) == 8
    assert all(a["publisher"] <= b["publisher"] for a, b in pairwise(lines))
