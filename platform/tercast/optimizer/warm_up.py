"""A small network on which every kernel of aggregation runs once, to compile all of them."""

from __future__ import annotations

from typing import Any

from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.optimizer.pipeline import METHODS, aggregate
from tercast.planner.planner import Planner
from tercast.requests.kinds import ADVERTISE, SUBSCRIBE
from tercast.runtime import jit
from tercast.topology.reader import read_topology

_DOMAIN = 64


def warm_up() -> None:
    """Compile all kernels of aggregation."""
    jit.use(True)
    planner = _network()
    events: list[dict[str, Any]] = [
        {"publisher": f"a{x // 32}", "values": {"x": x, "y": i * i % _DOMAIN}}
        for i, x in enumerate(list(range(_DOMAIN)) * 4)
    ]
    for share in (2, 5):
        budgets = {name: max(2, count // share) for name, count in planner.counts().items()}
        for method in METHODS:
            aggregate(planner, method, events, budgets=budgets)


def _network() -> Planner:
    """Build a ring of three switches with hosts that publish and subscribe, two on one port."""
    ends = (("s1", 1, "s2", 2), ("s2", 1, "s3", 2), ("s3", 1, "s1", 2))
    places = (("s1", 3), ("s1", 3), ("s2", 3), ("s3", 3))
    network = {
        "switches": [{"id": f"s{i}", "dpid": f"{i:016x}"} for i in (1, 2, 3)],
        "links": [{"a": a, "a_port": p, "b": b, "b_port": q} for a, p, b, q in ends],
        "hosts": [
            {
                "id": f"h{i}",
                "switch": s,
                "port": p,
                "ip": f"fd00::{i + 1:x}",
                "mac": f"02:00:00:00:00:{i + 1:02x}",
            }
            for i, (s, p) in enumerate(places)
        ],
    }
    rows = [{"name": name, "type": "int", "min": 0, "max": _DOMAIN - 1} for name in ("x", "y")]
    topic = Topic.from_json({"name": "t", "code": 1, "attributes": rows})
    address = AddressPlan.default("ipv6")
    planner = Planner(address, Limits(), read_topology(network, "ipv6"), [topic])
    even, odd = (f"x in [{low}, {low + 31}]" for low in (0, 32))
    wanted = [f"x in [{i % 50}, {i % 50 + 7}] and y in [{i * 7 % 50}, {i * 7 % 50 + 9}]" for i in range(40)]
    requests = [(ADVERTISE, "a0", "h0", even), (ADVERTISE, "a1", "h3", odd)]
    requests += [(SUBSCRIBE, f"q{i}", f"h{i % 4}", text) for i, text in enumerate(wanted)]
    for op, name, host, text in requests:
        planner.apply({"op": op, "id": name, "host": host, "topic": "t", "filter": text})
    return planner
