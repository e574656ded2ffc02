"""Mix of filters: conjunctions of ranges, and a fifth with other operators and strings."""

from __future__ import annotations

import random
from typing import Any

from mininet_labs.figures.workloads.synthetic import DOMAIN, Filters, topic

SHARE = 0.2
"""Share of the filters with `or`, `in`, `not`, `!=`, strings or prefixes."""

KINDS = ("or", "in", "not", "!=", "string", "prefix")
WORDS = ("ACME", "AMZN", "GOOG", "IBM", "INTC", "MSFT", "ORCL", "SAP")


def mixed_topic(attributes: int) -> dict[str, Any]:
    """Return a topic of integer attributes x0, x1, ... and the string attribute `symbol`."""
    plain = topic(attributes)
    return {**plain, "attributes": [*plain["attributes"], {"name": "symbol", "type": "string"}]}


class MixedFilters:
    """Filters around 7 hot spots; a part of them, `share`, is drawn evenly from `KINDS`."""

    def __init__(self, attributes: int, seed: int, share: float = SHARE) -> None:
        self.boxes = Filters("zipf", attributes, seed)
        self.share = share
        self.rng = random.Random(seed + 1)

    def draw(self) -> str:
        """Draw the text of a filter."""
        if self.rng.random() >= self.share:
            return self.boxes.draw()
        return self.draw_kind(self.rng.choice(KINDS))

    def draw_kind(self, kind: str) -> str:
        """Draw the text of a filter of one of `KINDS`."""
        box = self.boxes.draw()
        values = self.rng.sample(range(DOMAIN), 3)
        word = self.rng.choice(WORDS)
        match kind:
            case "or":
                return f"{box} or {self.boxes.draw()}"
            case "in":
                _, _, others = box.partition(" and ")
                return f"x0 in ({', '.join(map(str, values))}) and {others}"
            case "not":
                low, high = sorted(values[:2])
                return f"{box} and not (x0 in [{low}, {high}])" if self._divides(box, low, high) else box
            case "!=":
                return f"{box} and x1 != {values[0]}"
            case "string":
                return f'{box} and symbol = "{word}"'
            case _:
                return f'{box} and symbol prefix "{word[:2]}"'

    @staticmethod
    def _divides(box: str, low: int, high: int) -> bool:
        """Whether a box has values of x0 outside a range."""
        first, last = map(int, box[box.index("[") + 1 : box.index("]")].split(","))
        return first < low or last > high
