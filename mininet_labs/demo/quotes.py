"""Daily stock quotes of five companies, from the package bokeh_sampledata."""

from collections.abc import Iterator
from itertools import count
from typing import Any

SYMBOLS = ("AAPL", "FB", "GOOG", "IBM", "MSFT")

TOPIC: dict[str, Any] = {
    "name": "quotes",
    # Of all pairs, these two save the subscribers of the demo the most unwanted events.
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
