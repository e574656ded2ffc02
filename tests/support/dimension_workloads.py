"""Workloads for the choice of event spaces: random ones, and their scenario files."""

from typing import Any

from hypothesis import strategies as st

from tercast.dimensions.workload import Workload
from tests.support.space_strategies import events, filters, topics


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    topic = draw(topics())
    own = draw(st.lists(st.tuples(st.sampled_from("abc"), filters(topic)), min_size=1, max_size=6))
    values = draw(st.lists(events(topic), min_size=2, max_size=12))
    return Workload(topic, tuple(own), tuple(topic.check(event) for event in values))


def host(number: int) -> dict[str, Any]:
    address = {"ip": f"fd00::{number + 1}", "mac": f"02:00:00:00:00:0{number}"}
    return {"id": f"h{number}", "switch": "s", "port": number + 1, **address}


def scenario(events_of: Workload) -> dict[str, Any]:
    topology = {
        "switches": [{"id": "s", "dpid": "0000000000000001"}],
        "links": [],
        "hosts": [host(number) for number in range(9)],
    }
    subscribe = [
        {"op": "subscribe", "id": f"q{n}", "host": host, "topic": "t", "filter": str(filter_)}
        for n, (host, filter_) in enumerate(events_of.subscriptions)
    ]
    advertise = {"op": "advertise", "id": "a1", "host": "h8", "topic": "t", "filter": ""}
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16},
        "limits": {"max_dz_length": 6},
        "topology": topology,
        "topics": [events_of.topic.to_json()],
        "requests": [advertise, *subscribe],
    }
