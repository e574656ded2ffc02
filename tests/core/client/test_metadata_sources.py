"""What the host tools take from a scenario file, and what they refuse in it."""

import copy
import json

import pytest

from tercast.client.metadata_sources import AnnouncedFilter, HostRecord, ScenarioSource, load_json
from tercast.errors import Refused, TercastError
from tercast.eventspace.address_plan import AddressPlan

SCENARIO = {
    "format": "scenario/1",
    "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
    "topology": {
        "switches": [{"id": "s1", "dpid": "0000000000000001"}],
        "links": [],
        "hosts": [{"id": "h1", "switch": "s1", "port": 3, "ip": "fd00::1", "mac": "02:00:00:00:00:01"}],
    },
    "topics": [
        {
            "name": "quotes",
            "code": 4,
            "attributes": [
                {"name": "low", "type": "int", "min": 0, "max": 1023},
                {"name": "on", "type": "bool"},
            ],
        }
    ],
    "limits": {"max_dz_length": 20},
    "requests": [
        {"op": "advertise", "id": "a1", "host": "h1", "topic": "quotes", "filter": "low < 512"},
        {"op": "subscribe", "id": "q1", "host": "h1", "topic": "quotes", "filter": "low < 9"},
        {"op": "subscribe", "id": "q2", "host": "h1", "topic": "quotes", "filter": "low > 9"},
        {"op": "subscribe", "id": "q3", "host": "h2", "topic": "quotes", "filter": ""},
        {"op": "advertise", "id": "a2", "host": "h1", "topic": "quotes", "filter": ""},
        {"op": "unsubscribe", "id": "q2"},
        {"op": "unadvertise", "id": "a2"},
        {"op": "link_down", "switch": "s1", "port": 1},
        {"op": "set_indexed", "topic": "quotes", "indexed": ["on"]},
    ],
}


@pytest.fixture
def scenario():
    return copy.deepcopy(SCENARIO)


def test_it_has_what_hosts_need(scenario):
    source = ScenarioSource(scenario)
    assert source.topic("quotes").code == 4
    assert source.topic("quotes").indexed == ("on",)
    assert source.host("h1") == HostRecord("h1", "fd00::1", "02:00:00:00:00:01")
    assert source.subscriptions("h1") == [AnnouncedFilter("q1", "quotes", "low < 9")]
    assert source.advertisement("a1") == AnnouncedFilter("a1", "quotes", "low < 512")
    assert source.address("ipv6") == AddressPlan("ipv6", "ff0e::/16", 16)
    assert source.depth() == 20


def test_address_and_depth_may_be_left_out(scenario):
    del scenario["address"], scenario["limits"]
    source = ScenarioSource(scenario)
    assert source.address("ipv4") == AddressPlan.default("ipv4")
    assert source.depth() is None


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda source: source.topic("q"), 'topic: unknown topic "q"; use one of quotes'),
        (lambda source: source.host("h9"), 'host: unknown host "h9"; use one of h1'),
        (
            lambda source: source.advertisement("a2"),
            'advertisement: unknown advertisement "a2"; use one of a1',
        ),
        (
            lambda source: source.advertisement("q1"),
            'advertisement: unknown advertisement "q1"; use one of a1',
        ),
    ],
)
def test_what_is_not_there_is_refused_with_what_is(scenario, ask, message):
    with pytest.raises(Refused) as caught:
        ask(ScenarioSource(scenario))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("place", "value", "path"),
    [
        (("format",), "scenario/2", "format"),
        (("topics",), {}, "topics"),
        (("topics", 0, "code"), "4", "topics[0].code"),
        (("requests",), None, "requests"),
        (("requests", 1), [], "requests[1]"),
        (("requests", 0, "filter"), None, "requests[0].filter"),
        (("requests", 5, "id"), 7, "requests[5].id"),
        (("requests", 8, "indexed"), ["nothing"], "requests[8].indexed[0]"),
    ],
)
def test_a_bad_scenario_is_refused_with_the_place(scenario, place, value, path):
    *outer, last = place
    target = scenario
    for step in outer:
        target = target[step]
    target[last] = value
    with pytest.raises(Refused) as caught:
        ScenarioSource(scenario)
    assert str(caught.value).startswith(path + ": ")


@pytest.mark.parametrize(
    "content", ["", "{", '{"a": NaN}', "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")]
)
def test_a_file_that_is_no_json_is_one_line(tmp_path, content):
    file = tmp_path / "scenario.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TercastError, match="cannot read ") as caught:
        load_json(file)
    assert "\n" not in str(caught.value)
    with pytest.raises(TercastError, match="No such file"):
        load_json(tmp_path / "nowhere")


def test_a_file_is_read(tmp_path, scenario):
    file = tmp_path / "scenario.json"
    file.write_text(json.dumps(scenario))
    assert ScenarioSource.load(file).topic("quotes").name == "quotes"
