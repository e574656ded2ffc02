"""Networks, subscriptions and events for the figures on aggregation, from seeded generators.

A workload has a topic, advertisements, an endless sequence of subscriptions, and events. Two sets of events
from one source with different seeds are past events and unseen events.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mininet_labs.figures.workloads.synthetic import (
    DOMAIN,
    Filters,
    TopologyBuilder,
    eighths,
    random_graph,
    topic,
)
from tercast.requests.kinds import ADVERTISE, SUBSCRIBE

Object = dict[str, Any]

ATTRIBUTES = 5
HOT_SPOTS = 8
PUBLISHERS = 8
SPREAD = 40
"""Standard deviation of filters and of events around their hot spot, in an attribute of 1,024 values."""

SIDES = {"zipf": (16, 32, 64, 128), "uniform": (128, 256, 512)}
FINE = 2
"""Number of attributes whose boxes use half of the grid."""

SYMBOLS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")


def regular_tree(arity: int, depth: int, hosts: int) -> Object:
    """Return a tree whose inner switches have `arity` children; the leaves get hosts in turn."""
    net = TopologyBuilder()
    level = [net.switch("s0")]
    for _ in range(depth):
        below = []
        for parent in level:
            for _ in range(arity):
                below.append(net.switch(f"s{len(net.switches)}"))
                net.link(parent, below[-1])
        level = below
    for number in range(hosts):
        net.host(level[number % len(level)])
    return net.topology()


def random_network(size: int, hosts: int, seed: int = 1) -> Object:
    """Return a connected random graph with mean degree 3; all switches get hosts in turn."""
    network = random_graph(size, seed, hosts_per_switch=0)
    net = TopologyBuilder()
    for switch in network["switches"]:
        net.switch(switch["id"])
    for link in network["links"]:
        net.link(link["a"], link["b"])
    for number in range(hosts):
        net.host(network["switches"][number % size]["id"])
    return net.topology()


class TrafficSource(Protocol):
    """A source of advertisements, subscriptions and events."""

    @property
    def topic(self) -> Object:
        """Return the topic, as in a scenario."""

    def advertisements(self, hosts: list[str]) -> list[Object]:
        """Return the advertisements."""

    def subscriptions(self, hosts: list[str]) -> Iterator[Object]:
        """Yield subscriptions without end."""

    def events(self, number: int, seed: int) -> list[Object]:
        """Return events, as in a file of events."""


class _SquareBoxes(Filters):
    """Boxes whose sides have one length, on a grid of that length.

    The length is a power of two; two attributes use half of the grid.

    Such a filter is exactly one, two or four dz. So exact tables make no redundant copies, and all redundant
    copies come from aggregation, as in the paper.
    """

    def __init__(self, kind: str, seed: int, scale: int = 1, exponent: float = 1.0) -> None:
        super().__init__(kind, ATTRIBUTES, seed)
        self.scale = scale
        spots = random.Random(98)
        self.spots = [[spots.randrange(DOMAIN) for _ in range(ATTRIBUTES)] for _ in range(HOT_SPOTS)]
        self.weights = [rank**-exponent for rank in range(1, HOT_SPOTS + 1)]

    def draw(self) -> str:
        """Draw a filter: small boxes around a hot spot, or (uniform) large ones anywhere."""
        rng = self.rng
        side = self.scale * rng.choice(SIDES[self.kind])
        tests = []
        for n, centre in enumerate(self.point(rng)):
            unit = side // 2 if n < FINE else side
            low = min(max(0, round((centre - side / 2) / unit) * unit), DOMAIN - side)
            tests.append(f"x{n} in [{low}, {low + side - 1}]")
        return " and ".join(tests)

    def point(self, rng: random.Random) -> list[int]:
        """Draw the values of an event, or the centre of a box."""
        if self.kind == "uniform":
            return [rng.randrange(DOMAIN) for _ in range(ATTRIBUTES)]
        (spot,) = rng.choices(self.spots, self.weights)
        return [min(DOMAIN - 1, max(0, round(rng.gauss(centre, SPREAD)))) for centre in spot]


@dataclass(frozen=True, slots=True)
class Synthetic:
    """Attributes 0..1023, `uniform` or `zipf`; each publisher has a part of the space.

    `zipf` has 8 hot spots. `scale` multiplies the widths of filters, and `exponent` is that of the hot spots.
    """

    kind: str
    seed: int
    scale: int = 1
    exponent: float = 1.0
    publishers: int = PUBLISHERS

    @property
    def topic(self) -> Object:
        """Return a topic whose attributes are all indexed."""
        return topic(ATTRIBUTES)

    def advertisements(self, hosts: list[str]) -> list[Object]:
        """Return advertisements of an equal part of the space each, at distant hosts."""
        step = max(1, len(hosts) // self.publishers)
        return eighths(hosts[::step][: self.publishers], self.publishers)

    def subscriptions(self, hosts: list[str]) -> Iterator[Object]:
        """Yield subscriptions at random hosts."""
        boxes, rng = self._boxes(), random.Random(self.seed + 7)
        number = 0
        while True:
            yield _subscribe(number, rng.choice(hosts), boxes.draw())
            number += 1

    def events(self, number: int, seed: int) -> list[Object]:
        """Return events from the publishers of their parts of the space."""
        boxes, rng = self._boxes(), random.Random(f"{self.seed} {seed}")
        found: list[Object] = []
        for _ in range(number):
            point = boxes.point(rng)
            values = {f"x{n}": value for n, value in enumerate(point)}
            found.append({"publisher": f"a{point[0] * self.publishers // DOMAIN}", "values": values})
        return found

    def _boxes(self) -> _SquareBoxes:
        return _SquareBoxes(self.kind, self.seed, self.scale, self.exponent)


@dataclass(frozen=True, slots=True)
class Stocks:
    """Daily stock quotes: a publisher per symbol, subscriptions to ranges around quotes.

    `quotes` come from `read_quotes` or `packaged_quotes`. Events are random days of the whole history. Events
    of even and of odd seeds have no day in common.
    """

    quotes: list[Object] = field(repr=False)
    seed: int = 0

    @property
    def topic(self) -> Object:
        """Return the topic, whose symbol and close are indexed."""
        symbols = sorted({quote["symbol"] for quote in self.quotes})
        prices = [{"name": name, "type": "float", "min": 0.0, "max": 1024.0} for name in PRICES]
        return {
            "name": "t",
            "code": 2,
            "indexed": ["symbol", "close"],
            "attributes": [
                {"name": "symbol", "type": "enum", "values": symbols},
                *prices,
                {"name": "volume", "type": "int", "min": 0, "max": (1 << 30) - 1},
            ],
        }

    def advertisements(self, hosts: list[str]) -> list[Object]:
        """Return advertisements of all quotes of a symbol each."""
        symbols = sorted({quote["symbol"] for quote in self.quotes})
        step = max(1, len(hosts) // len(symbols))
        places = hosts[::step][: len(symbols)]
        return [
            {"op": ADVERTISE, "id": symbol, "host": host, "topic": "t", "filter": f'symbol = "{symbol}"'}
            for symbol, host in zip(symbols, places, strict=True)
        ]

    def subscriptions(self, hosts: list[str]) -> Iterator[Object]:
        """Yield subscriptions to a symbol and a range of its close."""
        rng = random.Random(self.seed + 7)
        number = 0
        while True:
            quote = rng.choice(self.quotes)
            width = quote["close"] * rng.uniform(0.002, 0.03)
            low, high = quote["close"] - width, min(quote["close"] + width, 1024.0)
            text = f'symbol = "{quote["symbol"]}" and close in [{low:.2f}, {high:.2f}]'
            yield _subscribe(number, rng.choice(hosts), text)
            number += 1

    def events(self, number: int, seed: int) -> list[Object]:
        """Return random days of half of the history."""
        rng = random.Random(f"{self.seed} {seed}")
        half = self.quotes[seed % 2 :: 2]
        return [{"publisher": quote["symbol"], "values": quote} for quote in rng.choices(half, k=number)]


PRICES = ("open", "high", "low", "close")


def packaged_quotes() -> list[Object]:
    """Return the quotes of five companies in the package bokeh_sampledata, by day."""
    from bokeh_sampledata import stocks  # noqa: PLC0415 - the import reads its data

    found: list[Object] = []
    for symbol in SYMBOLS:
        columns = getattr(stocks, symbol)
        for day in range(len(columns["date"])):
            prices = {name: float(columns[name][day]) for name in PRICES}
            found.append({"symbol": symbol, **prices, "volume": int(columns["volume"][day])})
    return [quote for quote in found if max(quote[name] for name in PRICES) <= 1024.0]


def read_quotes(path: Path) -> list[Object]:
    """Read quotes of a CSV file with columns Ticker (or symbol), Open, High, Low, Close, Volume."""
    found: list[Object] = []
    with path.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            fields = {name.lower(): value for name, value in row.items() if name}
            prices = {name: float(fields[name]) for name in PRICES}
            symbol = fields.get("ticker") or fields["symbol"]
            if max(prices.values()) <= 1024.0:
                found.append({"symbol": symbol, **prices, "volume": int(float(fields["volume"]))})
    return found


def _subscribe(number: int, host: str, text: str) -> Object:
    return {"op": SUBSCRIBE, "id": f"q{number}", "host": host, "topic": "t", "filter": text}
