"""Scenarios, plans and faults in plans for the simulator."""

from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import strategies as st

from tercast.eventspace.topic import Topic
from tercast.offline.plan_file import PlanFile, plan_json, read_plan
from tercast.offline.scenario import Scenario, read_scenario
from tercast.tables.entries import IN_PORT, Action, Entry, Output, SetDst, Table
from tests.support.networks import TOPICS, dense_scene, planner_of, topologies
from tests.support.space_strategies import events, filters, topics

Document = dict[str, Any]


@st.composite
def scenarios(draw: st.DrawFn) -> tuple[Document, list[Document]]:
    """A network of either family, one to three topics of any kind, requests, and events."""
    network = draw(topologies())
    spaces = [replace(draw(topics()), name=f"t{i}", code=i) for i in range(draw(st.integers(1, 3)))]
    family = draw(st.sampled_from(["ipv4", "ipv6"]))
    if family == "ipv4":
        for i, host in enumerate(network["hosts"], 1):
            host["ip"] = f"10.0.0.{i}"
    address = {"ipv4": ("225.128.0.0/9", 2), "ipv6": ("ff0e::/16", draw(st.sampled_from([2, 16])))}[family]
    requests, sent = draw(requests_and_events(network, spaces))
    depth = draw(st.sampled_from([3, 8, 21] if family == "ipv4" else [3, 12, 63, 64, 96]))
    scenario = {
        "format": "scenario/1",
        "address": {"family": family, "prefix": address[0], "topic_bits": address[1]},
        "topology": network,
        "topics": [topic.to_json() for topic in spaces],
        "limits": {"max_dz_length": depth, "max_dz_per_filter": draw(st.sampled_from([1, 4, 30]))},
        "requests": requests,
    }
    return scenario, sent


@st.composite
def requests_and_events(
    draw: st.DrawFn, network: Document, spaces: list[Topic]
) -> tuple[list[Document], list[Document]]:
    hosts = [host["id"] for host in network["hosts"]]
    requests: list[Document] = []
    sent: list[Document] = []
    for i in range(draw(st.integers(1, 9))):
        topic = draw(st.sampled_from(spaces))
        filter_ = draw(filters(topic))
        op = "subscribe" if i % 3 else "advertise"
        name = f"r{i}"
        wide = op == "advertise" and draw(st.booleans())
        request = {"op": op, "id": name, "host": draw(st.sampled_from(hosts)), "topic": topic.name}
        requests.append({**request, "filter": "" if wide else str(filter_)})
        if op == "advertise":
            for values in draw(st.lists(events(topic), max_size=8)):
                if wide or filter_.matches(topic.check(values)):
                    sent.append({"publisher": name, "values": topic.values_json(values)})
    if network["links"] and draw(st.integers(0, 3)) == 0:
        link = draw(st.sampled_from(network["links"]))
        requests.append({"op": "link_down", "switch": link["a"], "port": link["a_port"]})
    return requests, draw(st.permutations(sent))


def planned(document: Document) -> tuple[Scenario, PlanFile]:
    planner = planner_of(document)
    for outcome in planner.apply_all(document["requests"]):
        assert outcome.ok, outcome
    return read_scenario(document), read_plan(plan_json(planner))


def dense(random: Random) -> tuple[Document, list[Document]]:
    """A network with cycles, in which most is advertised and wanted, and events from all hosts."""
    network = dense_scene(random.randrange(1 << 30))[0]
    hosts = [host["id"] for host in network["hosts"]]
    ipv4 = random.random() < 0.5
    if ipv4:
        for i, host in enumerate(network["hosts"], 1):
            host["ip"] = f"10.0.0.{i}"
    requests: list[Document] = []
    for i in range(random.randint(4, 12)):
        low, high = sorted(random.choices(range(16), k=2))
        text = random.choice(["", f"x in [{low}, {high}]", f"x < {low + 1} or x >= {high}"])
        op = "subscribe" if i % 3 else "advertise"
        request = {"op": op, "id": f"r{i}", "host": random.choice(hosts), "topic": random.choice("aab")}
        requests.append({**request, "filter": "" if op == "advertise" else text})
    publishers = [request["id"] for request in requests if request["op"] == "advertise"]
    sent = [
        {"publisher": random.choice(publishers), "values": {"x": random.randrange(16)}} for _ in range(25)
    ]
    return {
        "format": "scenario/1",
        "address": {"family": "ipv4", "prefix": "225.128.0.0/9", "topic_bits": 4}
        if ipv4
        else {"family": "ipv6", "prefix": "ff0e::/16"},
        "topology": network,
        "topics": TOPICS,
        "limits": {"max_dz_length": random.choice([2, 4])},
        "requests": requests,
    }, sent


def spoiled(scenario: Scenario, plan: PlanFile, random: Random) -> PlanFile:
    """The plan without some entries, and with invented ones."""
    topology = scenario.final.topology
    flows = dict(plan.flows)
    for _ in range(random.randint(1, 8)):
        switch = random.choice(sorted(topology.switches))
        table = list(flows.get(switch, ()))
        if table and random.random() < 0.3:
            table.pop(random.randrange(len(table)))
        if random.random() < 0.8:
            table.insert(random.randint(0, len(table)), made_up(scenario, switch, table, random))
        flows[switch] = tuple(table)
    if random.random() < 0.3:
        flood(scenario, flows, random)
    return replace(plan, flows=flows)


def flood(scenario: Scenario, flows: dict[str, Table], random: Random) -> None:
    """Let most switches send half of a topic's events over two links, in addition to other entries."""
    topology = scenario.final.topology
    code = random.choice([topic.code for topic in scenario.final.topics.values()])
    for switch in topology.switches:
        links = [port for name, port in topology.links if name == switch]
        actions: list[Action] = [Output(port) for port in random.sample(links, min(2, len(links)))]
        for host in topology.hosts:
            place = topology.live_attachment(host)
            if place is not None and place.switch == switch and random.random() < 0.5:
                actions += [SetDst(host), Output(place.port)]
        if random.random() < 0.8:
            entry = Entry(scenario.address.match(code, 2), None, 2000, tuple(actions))
            flows[switch] = (*flows.get(switch, ()), entry)


def made_up(scenario: Scenario, switch: str, table: list[Entry], random: Random) -> Entry:
    """An entry of any priority that floods, sends back, rewrites wrongly, or repeats another."""
    topology = scenario.final.topology
    ports = sorted({port for name, port in (*topology.links, *topology.attached) if name == switch})
    links = [port for name, port in topology.links if name == switch]
    codes = [topic.code for topic in scenario.final.topics.values()]
    choices: list[Action] = [*map(Output, [*ports, 99]), Output(IN_PORT)]
    choices += map(SetDst, [*topology.hosts, "nobody"])
    actions = random.choices(choices, k=random.randint(0, 5))
    at_home = [
        host
        for host in topology.hosts
        if (place := topology.live_attachment(host)) and place.switch == switch
    ]
    match random.randrange(5):
        case 0 | 1:
            actions = [Output(port) for port in random.sample(links, random.randint(0, len(links)))]
        case 2 if at_home:
            host = random.choice(at_home)
            port = topology.live_attachment(host).port  # type: ignore[union-attr]
            actions = [*map(Output, links), SetDst(host), Output(random.choice([port, IN_PORT]))]
        case 3 if table:
            actions = list(random.choice(table).actions)
    dst = scenario.address.match(random.choice(codes), random.choice([1, 2, 3, 5, 17]))
    if table and random.random() < 0.4:
        dst = random.choice(table).dst
    in_port = random.choice([None, None, random.choice([*ports, 99])])
    priority = random.choice([random.randint(2, 40), random.randint(1000, 1060), 22])
    return Entry(random.choice([dst, dst, dst, "ff05::/32"]), in_port, priority, tuple(actions))
