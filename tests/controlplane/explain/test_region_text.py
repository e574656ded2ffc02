"""Filters that describe cells of a topic with cuts."""

from itertools import product

from controlplane.explain.region_text import Regions
from tercast.eventspace import dz
from tercast.eventspace.topic import Topic
from tercast.filters.filter import Filter

ATTRIBUTES = [
    {"name": "symbol", "type": "string"},
    {"name": "close", "type": "float", "min": 0.0, "max": 1000.0},
    {"name": "volume", "type": "int", "min": 0, "max": 9},
    {"name": "side", "type": "enum", "values": ["buy", "sell", "short"]},
    {"name": "open", "type": "bool"},
]
CUTS = [
    ["symbol", "IBM"],
    ["open", True],
    1,
    ["volume", 4],
    3,
    2,
    ["symbol", "IBM\x01"],
    ["close", 100],
    9,
    ["side", "short"],
    2,
    4,
    0,
]
TOPIC = Topic.from_json(
    {"name": "quotes", "code": 4, "attributes": ATTRIBUTES, "indexed": ["volume", "close"], "cuts": CUTS}
)
REGIONS = Regions({4: TOPIC})


def test_the_text_of_a_cell_names_its_cuts():
    texts = {bits: REGIONS.text(4, dz.parse(bits)) for bits in ("", "0", "01", "011", "100", "101", "1011")}
    assert texts == {
        "": "true",
        "0": 'symbol < "IBM"',
        "01": 'symbol < "IBM" and open = true',
        "011": 'symbol < "IBM" and volume in [4, 9] and open = true',
        "100": 'symbol = "IBM" and close < 100',
        "101": 'symbol = "IBM" and close >= 100',
        "1011": 'symbol = "IBM" and close >= 100 and side in ("short")',
    }
    assert REGIONS.text(4, dz.parse("0" * 200)) is None and REGIONS.text(5, dz.parse("")) is None


def test_the_text_of_a_cell_matches_its_events():
    symbols, closes = ("", "GO", "IBM", "IBM\x01", "IBN", "Z"), (0.0, 99.9, 100.0, 512.5, 1000.0)
    rest = (range(0, 10, 3), ("buy", "sell", "short"), (False, True))
    names = [attribute.name for attribute in TOPIC.attributes]
    events = [dict(zip(names, values, strict=True)) for values in product(symbols, closes, *rest)]
    places = [(event, TOPIC.event_dz(event, 9)) for event in events]
    cells = {dz.prefix(place, min(bits, dz.length(place))) for _, place in places for bits in range(10)}
    for cell in cells:
        filter_ = Filter.parse(REGIONS.text(4, cell), TOPIC)
        assert all(filter_.matches(event) == dz.covers(cell, place) for event, place in places), cell
