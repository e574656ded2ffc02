"""The demo's network with tight budgets: everything that can be merged without cost is merged."""

import json
from itertools import islice
from pathlib import Path

from mininet_labs.demo import content
from mininet_labs.demo.content import TOPIC, replay
from tercast.encoding.limits import Limits
from tercast.eventspace.address_plan import AddressPlan
from tercast.eventspace.topic import Topic
from tercast.optimizer.what_if import curve
from tercast.planner.planner import Planner
from tercast.topology.reader import read_topology

ABILENE = Path(content.__file__).parents[1] / "topologies" / "abilene.json"
ADDRESS = AddressPlan.from_json({"family": "ipv6", "prefix": "ff0e::/16", "topic_bits": 16}, ())


def test_a_budget_that_the_exact_answers_fit_into_costs_nothing():
    network = json.loads(ABILENE.read_text())
    topic = Topic.from_json({**TOPIC, "code": 0})
    planner = Planner(ADDRESS, Limits(), read_topology(network, ADDRESS.family), [topic])
    feeds = content.publishers(network)
    homes = {row["name"]: row["host"] for row in content.subscribers(network)}
    asked = [("advertise", f"a{n}", row["host"], row["filter"]) for n, row in enumerate(feeds)]
    wishes = enumerate(content.subscriptions())
    asked += [("subscribe", f"q{n}", homes[row["subscriber"]], row["filter"]) for n, row in wishes]
    for op, name, host, text in asked:
        row = {"op": op, "id": name, "host": host, "topic": "quotes", "filter": text}
        assert planner.apply(row).ok
    events = [
        {"publisher": f"a{n}", "values": dict(values)}
        for n, row in enumerate(feeds)
        for values in islice(replay(row["symbol"]), 400)
    ]
    for point in curve(planner, "den", "optimal", events, budgets=[45, 48, 50]):
        assert point.entries is not None and point.entries <= 45 and (point.copies, point.unwanted) == (0, 0)
