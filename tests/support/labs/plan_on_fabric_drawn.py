"""Random test scenarios: networks, filters and requests, equal for equal seeds."""

from __future__ import annotations

import random

from tests.support.labs.plan_on_fabric_scenes import (
    IPV4,
    IPV6,
    LINE,
    QUOTES,
    Object,
    Scene,
    adv,
    link,
    network,
    off,
    scenario,
    sub,
    switch,
)


class Draw:
    """Draws a test scenario: a connected graph of 4 to 12 switches with hosts, and requests in three stages.

    In a `failing` scenario, links, switches and ports of hosts go down and up between the requests, and hosts
    move. Sometimes the indexed attributes of a topic change.
    """

    def __init__(self, seed: int, failing: bool = False) -> None:
        self.seed, self.failing = seed, failing
        self.rng = random.Random(seed)
        self.live: list[str] = []
        self.count = 0

    def scene(self) -> Scene:
        rng, size = self.rng, self.rng.randint(4, 12)
        family = rng.choice(["ipv6", "ipv6", "ipv4"])
        self.hosts = self.places(size)
        self.topology = network(self.graph(size), self.hosts, family)
        self.at = {host["id"]: (host["switch"], host["port"]) for host in self.topology["hosts"]}
        address = IPV6 if family == "ipv6" else {**IPV4, "topic_bits": 4}
        limits = {
            "max_dz_length": rng.choice([8, 12, 19]),
            "max_dz_per_filter": rng.choice([2, 4, 16]),
            "max_trees": rng.choice([1, 2, 64]),
        }
        shape = scenario(self.topology, QUOTES, LINE, address=address, **limits)
        stages = tuple(tuple(self.requests(number)) for number in (16, 10, 10))
        return Scene(f"seed {self.seed}", shape, stages, "joined" if self.failing else "patch")

    def graph(self, size: int) -> str:
        """Return a random tree with half as many more links, one of them parallel to another."""
        rng = self.rng
        links = [(rng.randint(1, n - 1), n) for n in range(2, size + 1)]
        links += [tuple(rng.sample(range(1, size + 1), 2)) for _ in range(size // 2)]
        links += rng.sample(links, 1)
        return " ".join(f"s{a}-s{b}/{rng.randint(1, 3)}" for a, b in links)

    def places(self, size: int) -> dict[str, str]:
        """Return 5 to 9 hosts: on all switches in turn, some at shared ports, some with a second port."""
        rng = self.rng
        switches = [f"s{n}" for n in range(1, size + 1)]
        rng.shuffle(switches)
        hosts: dict[str, str] = {}
        for n in range(1, rng.randint(5, 9) + 1):
            here, there = switches[n % size], rng.choice(switches)
            if n > 3 and rng.random() < 0.3:
                hosts[f"h{n}"] = f"={rng.choice(list(hosts))}"
            else:
                hosts[f"h{n}"] = f"{here} {there}" if here != there and rng.random() < 0.3 else here
        return hosts

    def requests(self, number: int) -> list[Object]:
        found: list[Object] = []
        for _ in range(number):
            self.count += 1
            kind = self.rng.random()
            if self.failing and kind < 0.2 and self.count > 10:
                found.append(self.event())
            elif kind < 0.23 and self.count > 10:
                found.append(self.indexing())
            elif kind < 0.4 and len(self.live) > 8:
                found += off(self.live.pop(self.rng.randrange(len(self.live))))
            else:
                found.append(self.registration(advertise=self.count <= 4 or kind < 0.6))
        return found

    def registration(self, advertise: bool) -> Object:
        topic = self.rng.choice(["quotes", "quotes", "line"])
        host = self.rng.choice(list(self.hosts))
        name = f"{'a' if advertise else 'q'}{self.count}"
        self.live.append(name)
        text = self.filter(topic, 0.5 if advertise else 0.2)
        return (adv if advertise else sub)(name, host, text, topic)

    def event(self) -> Object:
        """Return a failure, a recovery, or the move of a host to a separate or a shared port."""
        rng, up, kind = self.rng, self.rng.random() < 0.4, self.rng.random()
        if kind < 0.2:
            return switch(rng.choice(self.topology["switches"])["id"], up)
        if kind < 0.4:
            own = rng.choice(self.topology["switches"])["id"], 60 + self.count
            host, other = rng.sample(list(self.at), 2)
            self.at[host] = place = own if rng.random() < 0.7 else self.at[other]
            return {"op": "host_move", "host": host, "switch": place[0], "port": place[1]}
        links = [(end["a"], end["a_port"]) for end in self.topology["links"]]
        return link(*rng.choice(links * 3 + list(self.at.values())), up)

    def indexing(self) -> Object:
        names = ["low", "volume"]
        self.rng.shuffle(names)
        return {"op": "set_indexed", "topic": "quotes", "indexed": names[: self.rng.randint(1, 2)]}

    def filter(self, topic: str, share: float) -> str:
        """Return a range of about a share of an attribute, sometimes with more; sometimes everything."""
        rng = self.rng
        width = max(1, int(1023 * share * rng.uniform(0.3, 1.7)))
        start = rng.randint(0, max(0, 1023 - width))
        text = f"low in [{start}, {start + width}]"
        if topic == "quotes" and rng.random() < 0.6:
            text += f" and volume {rng.choice(['<', '>='])} {rng.randint(5, 95)}"
        if rng.random() < 0.2:
            text += f" or low = {rng.randint(0, 1023)}"
        return "true" if rng.random() < 0.07 else text


def drawn(seed: int, failing: bool = False) -> Scene:
    """Return the scenario of a seed."""
    return Draw(seed, failing).scene()
