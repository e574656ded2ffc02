"""Figures on federation: PLEROMA 7(g) and 7(h), and exchanged sets against forwarded requests.

`measure(size)` returns all series, and `claims(result)` judges them: a list of pairs of a sentence and a
boolean. A registry of figures can call both.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from tercast.encoding.encoder import encode
from tercast.eventspace.topic import Topic
from tercast.federation.world.fault_run import FaultRun
from tercast.federation.world.faults import CUT, Fault
from tercast.federation.world.federated_plan import settle
from tercast.federation.world.federated_world import TREE_MESSAGES, FederatedWorld, WorldOptions
from tercast.federation.world.request_forwarding import RequestForwarding
from tercast.filters.filter import Filter
from tercast.offline.scenario import read_scenario

SWITCHES = 20
PUBLISHERS = 4
SUBSCRIPTIONS = (100, 200, 400)
WIDEST = 256
"""Largest width of a range of 0 to 1023; the paper does not say."""

CELLS = 8
PARTITIONS = {"tiny": (1, 2, 3), "quick": (1, 2, 4, 7, 10), "full": tuple(range(1, 11))}
SEEDS = {"tiny": 1, "quick": 3, "full": 10}
ROUND_TRIP = 0.055
"""Seconds of a request and its answer over a border of the simulation: twice the mean delay."""

TOPIC = {
    "name": "t",
    "code": 4,
    "attributes": [{"name": name, "type": "int", "min": 0, "max": 1023} for name in ("x", "y")],
}


def ring_links() -> list[tuple[int, int]]:
    """Return the links of a ring; each switch has a host."""
    return [(i, (i + 1) % SWITCHES) for i in range(SWITCHES)]


def fat_tree_links() -> list[tuple[int, int]]:
    """Return a fat tree of four pods: 16 switches in pods, listed pod by pod, then 4 core switches."""
    links = []
    for pod in range(4):
        first = 4 * pod
        links += [(first + up, first + 2 + down) for up in (0, 1) for down in (0, 1)]
        links += [(first + up, 16 + 2 * up + core) for up in (0, 1) for core in (0, 1)]
    return links


NETWORKS = {
    "ring": (ring_links, range(SWITCHES)),
    "fat-tree": (fat_tree_links, [i for i in range(16) if i % 4 > 1]),
}


def parts_of(count: int) -> list[list[int]]:
    """Divide the switches into parts of nearly equal size, in their order."""
    return [list(range(SWITCHES * i // count, SWITCHES * (i + 1) // count)) for i in range(count)]


def tree_of(count: int, links: Iterable[tuple[int, int]]) -> list[tuple[str, str]]:
    """Return a breadth-first tree of the partitions, from the first one."""
    owner = {switch: i for i, part in enumerate(parts_of(count)) for switch in part}
    near: dict[int, list[int]] = {i: [] for i in range(count)}
    for a, b in links:
        if owner[a] != owner[b]:
            near[owner[a]].append(owner[b])
            near[owner[b]].append(owner[a])
    order, edges = [0], []
    for node in order:
        for far in sorted(set(near[node])):
            if far not in order:
                order.append(far)
                edges.append((f"p{node}", f"p{far}"))
    return edges


def filters(random: Random, count: int, widest: int = WIDEST) -> list[str]:
    """Draw ranges of both attributes, uniformly."""
    texts = []
    for _ in range(count):
        terms = []
        for name in ("x", "y"):
            width = random.randint(1, widest)
            low = random.randint(0, 1024 - width)
            terms.append(f"{name} in [{low}, {low + width - 1}]")
        texts.append(" and ".join(terms))
    return texts


def forwarded(network: str, partitions: int, subscriptions: int, seed: int) -> RequestForwarding:
    """Forward the requests of one run as the paper does."""
    random = Random(seed)
    links, homes = NETWORKS[network]
    owner = {switch: f"p{i}" for i, part in enumerate(parts_of(partitions)) for switch in part}
    run = RequestForwarding([f"p{i}" for i in range(partitions)], tree_of(partitions, links()))
    topic = Topic.from_json(TOPIC)
    for _ in range(PUBLISHERS):
        run.advertise(owner[random.choice(list(homes))], (1,))
    for text in filters(random, subscriptions):
        cells = encode(Filter.parse(text, topic), 20, CELLS).dz
        run.subscribe(owner[random.choice(list(homes))], cells)
    return run


def control_load(extent: str) -> list[dict[str, Any]]:
    """Measure figures 7(g) and 7(h): requests a controller, and all requests, relative to one controller."""
    rows = []
    for network in NETWORKS:
        for subscriptions in SUBSCRIPTIONS:
            for partitions in PARTITIONS[extent]:
                seeds = range(SEEDS[extent])
                runs = [forwarded(network, partitions, subscriptions, seed) for seed in seeds]
                alone = PUBLISHERS + subscriptions
                total = sum(sum(run.received.values()) for run in runs) / len(runs)
                rows.append(
                    {
                        "network": network,
                        "subscriptions": subscriptions,
                        "controllers": partitions,
                        "received_a_controller": round(total / partitions / alone, 3),
                        "all_requests": round(total / alone, 3),
                    }
                )
    return rows


def scenario(partitions: int, subscriptions: int, seed: int, widest: int = WIDEST) -> dict[str, Any]:
    """Return a ring with a host at each switch, in partitions, with the requests of a run."""
    random = Random(seed)
    switches = [{"id": f"s{i}", "dpid": f"{i + 1:016x}"} for i in range(SWITCHES)]
    links = [{"a": f"s{a}", "a_port": 2, "b": f"s{b}", "b_port": 1} for a, b in ring_links()]
    hosts = [
        {
            "id": f"h{i}",
            "switch": f"s{i}",
            "port": 3,
            "ip": f"fd00::{i + 1:x}",
            "mac": f"02:00:00:00:01:{i:02x}",
        }
        for i in range(SWITCHES)
    ]
    requests = [
        {
            "op": "advertise",
            "id": f"a{i}",
            "host": f"h{random.randrange(SWITCHES)}",
            "topic": "t",
            "filter": "",
        }
        for i in range(PUBLISHERS)
    ]
    requests += [
        {
            "op": "subscribe",
            "id": f"q{i}",
            "host": f"h{random.randrange(SWITCHES)}",
            "topic": "t",
            "filter": text,
        }
        for i, text in enumerate(filters(random, subscriptions, widest))
    ]
    return {
        "format": "scenario/1",
        "address": {"family": "ipv6", "prefix": "ff0e::/16"},
        "topology": {"switches": switches, "links": links, "hosts": hosts},
        "topics": [TOPIC],
        "limits": {"max_dz_length": 20, "max_dz_per_filter": CELLS},
        "requests": requests,
        "partitions": {f"p{i}": [f"s{one}" for one in part] for i, part in enumerate(parts_of(partitions))},
    }


def exchanged(partitions: int, subscriptions: int, seed: int, together: bool) -> dict[str, Any]:
    """Run one federation with exchanged sets: messages, entries, and the gap after a cut.

    With `together`, all subscriptions come together; otherwise each one is complete before the next.
    """
    read = read_scenario(scenario(partitions, subscriptions, seed))
    world = FederatedWorld(read, WorldOptions(seed=seed))
    settle(world)
    for request in read.requests:
        world.request(request)
        if not together:
            world.run_until(world.time.now + 1.0)
    settle(world)
    sets = sum(n for kind, n in world.sent.items() if kind not in TREE_MESSAGES and kind != "Acknowledge")
    entries = world.tables.count()
    row = {"set_messages": sets, "entries": entries}
    pairs = sorted({one.partitions for one in world.divided.border_links})
    if partitions > 2:
        run = FaultRun(world, [Fault(CUT, pairs[0], 1.0, 30.0)], Random(seed)).run()
        first = run.gaps[0]
        row["gap_seconds"] = first.recovery
        row["lost_at_rest"] = run.lost_at_rest
        row["holds"] = run.holds
    return row


def sets_against_requests(extent: str) -> list[dict[str, Any]]:
    """Measure messages, entries and the gap after a cut, with exchanged sets and forwarded requests."""
    subscriptions = 40 if extent == "tiny" else SUBSCRIPTIONS[-1]
    rows = []
    for partitions in PARTITIONS[extent]:
        apart, together = (exchanged(partitions, subscriptions, 1, how) for how in (False, True))
        run = forwarded("ring", partitions, subscriptions, 1)
        requests = sum(run.forwarded.values())
        longest = max(run.forwarded.values(), default=0)
        gap = apart.get("gap_seconds")
        rows.append(
            {
                "partitions": partitions,
                "subscriptions": subscriptions,
                "messages_forwarded_requests": requests,
                "messages_sets_one_at_a_time": apart["set_messages"],
                "messages_sets_together": together["set_messages"],
                "entries": apart["entries"],
                "gap_sets_seconds": gap,
                "gap_requests_seconds": None if gap is None else round(gap + longest * ROUND_TRIP, 3),
                "holds": apart.get("holds", True),
            }
        )
    return rows


def measure(extent: str = "quick") -> dict[str, Any]:
    """Measure all figures on federation; `extent` is tiny, quick or full."""
    return {"control_load": control_load(extent), "sets_against_requests": sets_against_requests(extent)}


def claims(result: dict[str, Any]) -> list[tuple[str, bool]]:
    """Judge the words of the paper and our own claims."""
    found = []
    for network in NETWORKS:
        rows = [row for row in result["control_load"] if row["network"] == network]
        most = max(row["controllers"] for row in rows)
        last = {row["subscriptions"]: row for row in rows if row["controllers"] == most}
        for figure, key, falls in (("7(g)", "received_a_controller", True), ("7(h)", "all_requests", False)):
            series = [[row[key] for row in rows if row["subscriptions"] == n] for n in SUBSCRIPTIONS]
            trends = [_falls(one if falls else one[::-1]) for one in series]
            verb = "fall" if falls else "rise"
            found.append((f"{figure} {network}: requests {verb} with the number of controllers", all(trends)))
            ends = [last[n][key] for n in SUBSCRIPTIONS]
            words = f"{figure} {network}: with {most} controllers, more subscriptions have a smaller share"
            found.append((words, ends == sorted(ends, reverse=True)))
    ours = result["sets_against_requests"]
    one = ours[0]["entries"]
    words = "entries: at most 1 % more than one undivided planner"
    found.append((words, all(row["entries"] <= one * 1.01 for row in ours)))
    many = [row for row in ours if row["partitions"] > 1]
    found.append(
        (
            "sets: together, they need fewer messages than forwarded requests",
            all(row["messages_sets_together"] < row["messages_forwarded_requests"] for row in many),
        )
    )
    found.append(
        (
            "no event was duplicated, and none was lost at rest or inside a partition",
            all(row["holds"] for row in ours),
        )
    )
    return found


def _falls(values: list[float]) -> bool:
    """Return whether values fall: rank correlation at most -0.8, and the last below the first."""
    ranks = {value: place for place, value in enumerate(sorted(values))}
    pairs = [(place, ranks[value]) for place, value in enumerate(values)]
    count = len(values)
    distance = sum((a - b) ** 2 for a, b in pairs)
    return values[-1] < values[0] and 1 - 6 * distance / (count * (count**2 - 1)) <= -0.8
