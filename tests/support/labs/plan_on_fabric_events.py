"""Events for a scenario: within its advertisements, near the edges of its filters, expected or not."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tercast.eventspace.topic import Topic
from tercast.offline.scenario import Scenario
from tercast.requests.registry import ADVERTISEMENT

TRIES = 400
WANTED_EACH, UNWANTED_EACH, OTHERS_EACH = 4, 6, 6

Values = dict[str, Any]


@dataclass(frozen=True)
class Event:
    """An event of the advertisement `publisher`, and the hosts that expect it."""

    publisher: str
    topic: str
    values: Values
    wanted: frozenset[str]


def draw_events(scenario: Scenario, rng: random.Random) -> list[Event]:
    """Return some events for every live advertisement, in any order.

    For each subscription to its topic there are some matching events, if possible. There are also some that
    match no subscription, and random ones.
    """
    found: list[Event] = []
    for name, ad in scenario.final.live.items():
        if ad.kind == ADVERTISEMENT:
            topic = scenario.final.topics[ad.topic]
            advertised = scenario.filters[name]
            candidates = Candidates(topic, scenario, rng)
            pool = [values for values in candidates.take(TRIES) if advertised.matches(values)]
            assert pool, f"no event found for {name}: {advertised}"
            found += _choose(name, ad.topic, pool, scenario)
    rng.shuffle(found)
    return found


def _choose(name: str, topic: str, pool: list[Values], scenario: Scenario) -> Iterator[Event]:
    wanting = [
        (reg.host, scenario.filters[sub])
        for sub, reg in scenario.final.live.items()
        if reg.topic == topic and reg.kind != ADVERTISEMENT
    ]
    left = [WANTED_EACH] * len(wanting)
    unwanted, others = UNWANTED_EACH, OTHERS_EACH
    for values in pool:
        matching = [n for n, (_, filter_) in enumerate(wanting) if filter_.matches(values)]
        if any(left[n] for n in matching):
            for n in matching:
                left[n] = max(0, left[n] - 1)
        elif not matching and unwanted:
            unwanted -= 1
        elif others:
            others -= 1
        else:
            continue
        yield Event(name, topic, values, frozenset(wanting[n][0] for n in matching))


class Candidates:
    """Values of a topic: anywhere in the domain, or at and next to values in filters."""

    def __init__(self, topic: Topic, scenario: Scenario, rng: random.Random) -> None:
        self.rng = rng
        self.attributes = [attribute.to_json() for attribute in topic.attributes]
        texts = " ".join(reg.filter or "" for reg in scenario.final.live.values() if reg.topic == topic.name)
        self.numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", texts)] or [0.0]
        self.words = re.findall(r'"([^"]*)"', texts) or [""]

    def take(self, number: int) -> Iterator[Values]:
        for _ in range(number):
            yield {attribute["name"]: self.value(attribute) for attribute in self.attributes}

    def value(self, attribute: dict[str, Any]) -> Any:
        rng = self.rng
        match attribute["type"]:
            case "bool":
                return rng.random() < 0.5
            case "enum":
                return rng.choice(attribute["values"])
            case "string":
                return rng.choice(self.words) + rng.choice(["", "", " 7", "x"])
        low, high = attribute["min"], attribute["max"]
        if attribute["type"] == "int":
            near = int(rng.choice(self.numbers)) + rng.choice([-1, 0, 1])
            return near if low <= near <= high and rng.random() < 0.5 else rng.randint(low, high)
        edge = rng.choice(self.numbers)
        close = rng.choice([edge, math.nextafter(edge, low), math.nextafter(edge, high)])
        return close if low <= close <= high and rng.random() < 0.5 else rng.uniform(low, high)
