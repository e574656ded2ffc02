"""Content of the demo: quotes, publishers, and subscribers with filters of every operator.

The events are daily stock quotes of five companies, from the package bokeh_sampledata.

Indices name hosts by their switch: 1 is the first host of the second switch of the topology.
"""

from collections.abc import Iterator
from itertools import count
from typing import Any

from mininet_labs.demo.errors import DemoError

SYMBOLS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")

TOPIC: dict[str, Any] = {
    "name": "quotes",
    # Of all pairs, these two save the subscribers of the demo the most false positives.
    "indexed": ["symbol", "close"],
    "attributes": [
        {"name": "symbol", "type": "string"},
        {"name": "open", "type": "float", "min": 0.0, "max": 1024.0},
        {"name": "high", "type": "float", "min": 0.0, "max": 1024.0},
        {"name": "low", "type": "float", "min": 0.0, "max": 1024.0},
        {"name": "close", "type": "float", "min": 0.0, "max": 1024.0},
        {"name": "volume", "type": "int", "min": 0, "max": 1000000000},
    ],
}

PUBLISHER_PLACES = (0, 2, 5, 6, 10)
"""Indices of the switches whose first hosts publish: one for each symbol, spread over the network."""

SUBSCRIBERS: dict[str, tuple[int, tuple[str, ...]]] = {
    "apple-desk": (1, ('symbol = "AAPL"',)),
    "ibm-volume": (3, ('symbol == "IBM" and volume >= 10000000',)),
    "all-but-microsoft": (4, ('symbol != "MSFT" and close > 600',)),
    "pennies": (7, ("close < 20",)),
    "microsoft-lows": (8, ('symbol = "MSFT" and low <= 25.5',)),
    "highs": (9, ("high > 700",)),
    "round-hundred": (1, ("close in [90, 110]", "open in [100, 200) and volume < 5000000")),
    "two-symbols": (3, ('symbol in ("AAPL", "FB")',)),
    "search-engines": (4, ('symbol prefix "GO"',)),
    "neither-nor": (7, ('not (symbol prefix "A" or close < 100)',)),
    "extremes": (8, ("close < 15 or close > 750", "close > 740")),
    "archive": (9, ("",)),
    "seattle-itself": (0, (f'symbol = "{SYMBOLS[0]}" and volume != 0',)),
}
"""By name: the index of the switch whose first host it uses, and its filters; some overlap deliberately."""


def host_at(topology: dict[str, Any], place: int) -> str:
    """Return the first host of a switch, by an index modulo the number of switches with hosts."""
    firsts: dict[str, str] = {}
    for host in topology.get("hosts", ()):
        firsts.setdefault(host["switch"], host["id"])
    homes = [firsts[switch["id"]] for switch in topology["switches"] if switch["id"] in firsts]
    if not homes:
        raise DemoError("the topology has no host; add at least one, which publishes and subscribes")
    return homes[place % len(homes)]


def publishers(topology: dict[str, Any]) -> list[dict[str, str]]:
    """Return a publisher per symbol: `name`, `host`, `symbol`, `filter` of its advertisement."""
    return [
        {
            "name": f"{symbol.lower()}-feed",
            "host": host_at(topology, place),
            "symbol": symbol,
            "filter": f'symbol = "{symbol}"',
        }
        for symbol, place in zip(SYMBOLS, PUBLISHER_PLACES, strict=True)
    ]


def subscribers(topology: dict[str, Any]) -> list[dict[str, str]]:
    """Return all subscribers: `name`, `host`."""
    return [{"name": name, "host": host_at(topology, place)} for name, (place, _) in SUBSCRIBERS.items()]


def subscriptions() -> list[dict[str, str]]:
    """Return all subscriptions: `subscriber`, `filter`."""
    return [
        {"subscriber": name, "filter": text} for name, (_, filters) in SUBSCRIBERS.items() for text in filters
    ]


def replay(symbol: str, start: int = 0) -> Iterator[dict[str, Any]]:
    """Yield the quotes of a symbol by day, from day `start` on, again and again."""
    from bokeh_sampledata import stocks  # noqa: PLC0415 - the import reads its data

    columns = getattr(stocks, symbol)
    days = len(columns["date"])
    for day in count(start):
        yield {
            "symbol": symbol,
            **{name: float(columns[name][day % days]) for name in ("open", "high", "low", "close")},
            "volume": int(columns["volume"][day % days]),
        }
