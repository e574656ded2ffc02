"""Publisher and subscriber at the ports of real Open vSwitch, which rewrites addresses and checksums."""

import tempfile
from pathlib import Path

import pytest

from mininet_labs.fabric import Fabric
from tercast.client.publisher import Publisher
from tercast.client.subscriber import Subscriber
from tercast.client.transports import FabricPort
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Int, String, Topic

pytestmark = pytest.mark.fabric

MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")


@pytest.mark.parametrize(
    ("family", "ips", "code", "match", "rewrite"),
    [
        ("ipv6", ("fd00::1", "fd00::2"), 4, "ipv6,ipv6_dst", "ipv6_dst"),
        ("ipv4", ("10.0.0.1", "10.0.0.2"), 0, "ip,nw_dst", "ip_dst"),
    ],
)
def test_events_of_all_sizes_come_through_two_switches(family, ips, code, match, rewrite):
    topology = {
        "switches": [{"id": "s1", "dpid": "0000000000000001"}, {"id": "s2", "dpid": "0000000000000002"}],
        "links": [{"a": "s1", "a_port": 1, "b": "s2", "b_port": 1}],
        "hosts": [
            {"id": f"h{n}", "switch": f"s{n}", "port": 3, "ip": ips[n - 1], "mac": MACS[n - 1]}
            for n in (1, 2)
        ],
    }
    topic = Topic("quotes", code, (Int("low", 0, 1023), String("note")))
    plan = AddressPlan.default(family)
    half = plan.match(code, 0b10)  # low < 512
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as folder,
        Fabric(Path(folder) / "f", topology) as fabric,
        FabricPort(fabric.host_socket("h1"), ips[0], MACS[0]) as near,
        FabricPort(fabric.host_socket("h2"), ips[1], MACS[1]) as far,
    ):
        fabric.ofctl("s1", "add-flow", f"{match}={half},actions=output:1")
        to_host = f"set_field:{ips[1]}->{rewrite},set_field:{MACS[1]}->eth_dst,output:3"
        fabric.ofctl("s2", "add-flow", f"{match}={half},actions={to_host}")
        publisher = Publisher(topic, "", near, plan, "a1")
        subscriber = Subscriber({"q1": "low < 256", "q2": "low < 300"}, topic, far)
        wanted = []
        for low in range(0, 1024, 8):
            values = {"low": low, "note": "é" * (low // 2)}
            seq = publisher.publish(values)
            if low < 512:
                delivery = subscriber.receive_any(10)
                assert (delivery.event.seq, delivery.event.values) == (seq, values)
                assert delivery.wanted == (low < 300)
                wanted += delivery.subscriptions
        assert subscriber.receive_any(0.1) is None
        assert (wanted.count("q1"), wanted.count("q2")) == (32, 38)
        counters = subscriber.counters
        assert (counters.received, counters.wanted, counters.unwanted) == (64, 38, 26)
        assert not far.ignored
