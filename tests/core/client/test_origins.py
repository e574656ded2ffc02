"""Events count from the host of their advertisement alone; forged ones suppress nothing."""

import json
import threading

import pytest

from tercast.client.event_origins import (
    MOST_WAITING,
    EventOrigin,
    FixedOrigins,
    LearnedOrigins,
    RejectionReason,
)
from tercast.client.metadata_sources import ScenarioSource
from tercast.client.origin_check import MOST_HELD
from tercast.client.subscriber import Subscriber
from tercast.wire.errors import ApiError, TransportError
from tercast.wire.packets import pack_ip
from tests.support.hosts_on_wire import (
    OTHER,
    OWN,
    QUOTES,
    network,  # noqa: F401 - fixtures
)


def numbers(host):
    return [delivery.event.seq for delivery in iter(lambda: host.receive(0), None)]


def host_with(network, origins, **options):
    return Subscriber({"q1": ""}, QUOTES, network, origins=origins, **options)


def test_an_event_from_another_address_is_rejected_counted_and_shown(network):
    seen = []
    host = host_with(network, FixedOrigins({"a6": OWN}), on_rejected=seen.append)
    network.bring(1, OTHER)
    network.bring(1, OWN)
    assert numbers(host) == [1]
    assert host.rejections == {("quotes", RejectionReason.OTHER_ADDRESS): 1}
    assert (host.counters.received, host.counters.rejected, host.counters.doubled) == (2, 1, 0)
    assert [(one.publisher, one.source) for one in seen] == [("a6", OTHER)]


@pytest.mark.parametrize("origins", [FixedOrigins({"a6": OWN}), None], ids=["checked", "unchecked"])
def test_sequence_numbers_that_another_host_sends_ahead_suppress_nothing(network, origins):
    host = host_with(network, origins)
    for seq in range(24):
        network.bring(seq, OTHER, low=1)
    for seq in range(24):
        network.bring(seq, OWN, low=2)
        network.bring(seq, OWN, low=2)
    got = [d for d in iter(lambda: host.receive(0), None) if d.event.values["low"] == 2]
    assert [d.event.seq for d in got] == list(range(24))
    assert host.counters.doubled == 24


def test_an_event_of_an_unknown_advertisement_waits_for_the_answer(network):
    answer = threading.Event()

    def fetch(topic, names):
        assert answer.wait(60)
        return {name: EventOrigin(pack_ip(OWN)) for name in names if name == "a6"}

    with LearnedOrigins(fetch) as origins:
        host = host_with(network, origins)
        network.bring(1, OWN)
        network.bring(2, OTHER)
        network.bring(3, OWN, publisher="a7")
        assert numbers(host) == [] and host.counters.held == 3
        answer.set()
        assert host.receive(60).event.seq == 1
        while host.counters.held:
            assert host.receive(0.05) is None
        reasons = {reason: count for (_, reason), count in host.rejections.items()}
    assert reasons == {RejectionReason.OTHER_ADDRESS: 1, RejectionReason.UNKNOWN_ADVERTISEMENT: 1}
    assert (host.counters.received, host.counters.rejected, host.counters.wanted) == (3, 2, 1)


def test_events_wait_while_the_platform_does_not_answer(network, monkeypatch):
    monkeypatch.setattr("tercast.client.event_origins.FIRST_PAUSE_S", 0.01)
    calls = []

    def fetch(topic, names):
        calls.append(list(names))
        if len(calls) < 3:
            raise ApiError("away")
        return {"a6": EventOrigin(pack_ip(OWN))}

    with LearnedOrigins(fetch) as origins:
        host = host_with(network, origins)
        network.bring(1, OWN)
        assert host.receive(60).event.seq == 1
    assert calls == [["a6"]] * 3


def test_what_is_known_needs_no_answer(network):
    def fetch(topic, names):
        if names is None:
            return {"a6": EventOrigin(pack_ip(OWN))}
        raise ApiError("away")

    origins = LearnedOrigins(fetch)
    origins.learn(["quotes"])
    host = host_with(network, origins)
    network.bring(1, OWN)
    network.bring(2, OTHER)
    assert numbers(host) == [1] and host.counters.held == 0
    origins.close()


def test_events_of_unknown_advertisements_use_limited_memory(network):
    release = threading.Event()

    def fetch(topic, names):
        release.wait(60)
        return {}

    with LearnedOrigins(fetch) as origins:
        host = host_with(network, origins)
        for number in range(2 * MOST_WAITING + 200):
            network.bring(1, OTHER, publisher=f"a{number}")
        assert numbers(host) == []
        assert host.rejections["quotes", RejectionReason.NOT_CHECKED] >= 100
        assert host.counters.held <= min(MOST_HELD, 2 * MOST_WAITING)
        assert host.counters.held + host.counters.rejected == host.counters.received
        release.set()


def test_a_transport_that_names_no_sender_is_refused(memory):
    with pytest.raises(TransportError, match="Memory does not report the source address of events"):
        host_with(memory, FixedOrigins({}))


def test_a_scenario_knows_where_its_advertisements_are():
    hosts = [
        {"id": f"h{n}", "switch": "s1", "port": n, "ip": f"fd00::{n}", "mac": "02:00:00:00:00:01"}
        for n in (1, 2)
    ]
    advertise = {"op": "advertise", "id": "a6", "host": "h1", "topic": "quotes", "filter": ""}
    source = ScenarioSource(
        {
            "format": "scenario/1",
            "topology": {"switches": [], "links": [], "hosts": hosts},
            "topics": [QUOTES.to_json()],
            "requests": [advertise],
        }
    )
    found = source.origins(["quotes"], "fd00::2")
    assert found.find("quotes", "a6") == EventOrigin(pack_ip(OWN)) and found.find("quotes", "a7") is None
    assert source.origins(["quotes"], "::1") is None


def test_rejections_are_in_the_writers_report(network, tmp_path):
    from tercast.client.telemetry import HostTelemetry  # noqa: PLC0415
    from tercast.telemetry.recorder import Recorder  # noqa: PLC0415
    from tercast.telemetry.sinks import FolderSink  # noqa: PLC0415

    with Recorder(FolderSink(str(tmp_path)), "h2") as recorder:
        host = host_with(network, FixedOrigins({"a6": OWN}), telemetry=HostTelemetry(recorder, "h2"))
        assert "rejected" not in recorder.report()
        for seq in range(3):
            network.bring(seq, OTHER)
        numbers(host)
        row = {"host": "h2", "topic": "quotes", "reason": "other_address", "events": 3}
        assert recorder.report()["rejected"] == [row]
    left = json.loads(next((tmp_path / "_writers").glob("*.json")).read_text())
    assert left["rejected"] == [row] and left["taken"] == 0
