"""Filters with many alternatives over 18 attributes: one with an exact volume, one with an estimate."""

from tercast.eventspace.counted_attributes import Int
from tercast.eventspace.topic import Topic

WIDE = Topic("wide", 2, tuple(Int(f"a{n}", 0, 99) for n in range(18)))
WIDE_TOPIC = {"name": WIDE.name, "attributes": [attribute.to_json() for attribute in WIDE.attributes]}
"""Body of a call that creates the topic."""


def alternatives(*pairs: tuple[int, int]) -> str:
    """Return a filter whose normal form has a term for each choice of one attribute of each pair."""
    return " and ".join(f"(a{one} < 50 or a{other} < 50)" for one, other in pairs)


def crossed_boxes(count: int, attributes: int) -> str:
    """Return boxes whose bounds differ in each attribute, so that no order of attributes joins states."""
    boxes = [
        " and ".join(
            f"a{a} >= {(7 * n + 13 * a) % 40} and a{a} < {50 + (11 * n + 5 * a) % 49}"
            for a in range(attributes)
        )
        for n in range(count)
    ]
    return " or ".join(f"({box})" for box in boxes)


NEIGHBOUR_PAIRS = [(n, n + 1) for n in range(0, 18, 2)]
NEIGHBOURS = alternatives(*NEIGHBOUR_PAIRS)
"""A filter with 512 terms. Its volume is exact: 0.75 ** 9."""

CROSSED = crossed_boxes(30, 9)
"""A filter whose exact volume takes too long to count. It is estimated, at about 0.048."""
