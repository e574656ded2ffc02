"""Layouts of topologies are readable and reproducible, and stay the same when switches are added."""

import math
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tercast.topology.layout.arrange import arrange, place_new
from tercast.topology.layout.incremental import LEAST
from tercast.topology.layout.stress_majorization import LINK
from tests.property_profiles import examples


def grid(width, height):
    names = [f"s{x}-{y}" for x in range(width) for y in range(height)]
    links = [(f"s{x}-{y}", f"s{x + 1}-{y}") for x in range(width - 1) for y in range(height)]
    return names, links + [(f"s{x}-{y}", f"s{x}-{y + 1}") for x in range(width) for y in range(height - 1)]


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 14))
    names = [f"s{n}" for n in range(size)]
    pairs = list(combinations(names, 2))
    return names, draw(st.lists(st.sampled_from(pairs), max_size=25)) if pairs else []


@examples(40)
@given(graphs(), st.data())
def test_who_comes_later_gets_a_place_and_moves_nobody(graph, data):
    names, links = graph
    first = names[: data.draw(st.integers(0, len(names)))]
    before = arrange(first, links, {}).places
    after = place_new(names, links, before, {}, None)
    assert before.keys() == set(first) and after.keys() == set(names)
    assert {name: after[name] for name in first} == before
    assert all(math.isfinite(number) for place in after.values() for number in place)


def test_a_grid_looks_like_one():
    names, links = grid(8, 6)
    places = arrange(names, links, {}).places
    assert places == arrange(names, links, {}).places
    lengths = [math.dist(places[a], places[b]) for a, b in links]
    assert max(lengths) < 1.6 * min(lengths) and min(lengths) > 0.6 * LINK
    far = math.dist(places["s0-0"], places["s7-5"])
    assert far > 0.7 * math.hypot(7, 5) * LINK  # not folded
    assert min(math.dist(a, b) for a, b in combinations(places.values(), 2)) >= 0.9 * LEAST


def test_later_switches_are_next_to_their_neighbours():
    names, links = grid(5, 5)
    places = arrange(names, links, {}).places
    more = place_new(
        [*names, "leaf", "bridge"], [*links, ("s4-4", "leaf"), ("leaf", "bridge")], places, {}, None
    )
    assert math.dist(more["leaf"], places["s4-4"]) < 2 * LINK
    assert math.dist(more["bridge"], more["leaf"]) < 2 * LINK
    assert min(math.dist(more["leaf"], at) for at in places.values()) >= LEAST


def test_coordinates_make_a_map():
    cities = {"sea": (47.6, -122.3), "nyc": (40.7, -74.0), "atl": (33.7, -84.4), "atl2": (33.7, -84.4)}
    names, links = [*cities, "nowhere"], [("sea", "nyc"), ("nyc", "atl"), ("atl", "atl2"), ("atl", "nowhere")]
    found = arrange(names, links, cities)
    places = found.places
    assert places["sea"][0] < places["atl"][0] < places["nyc"][0]  # west to east
    assert places["sea"][1] < places["nyc"][1] < places["atl"][1]  # north is up
    assert math.dist(places["atl"], places["atl2"]) >= 0.9 * LEAST
    assert math.dist(places["nowhere"], places["atl"]) < 2 * LINK
    later = place_new([*names, "den"], links, places, {"den": (39.7, -105.0)}, found.geography)
    assert places["sea"][0] < later["den"][0] < places["atl"][0]
    assert (
        arrange(names, links, {"sea": (47.6, -122.3)}).geography is None
    )  # a single coordinate makes no map


def test_parts_are_side_by_side():
    names = [f"s{n}" for n in range(9)]
    links = [("s0", "s1"), ("s1", "s2"), ("s3", "s4"), ("s5", "s6")]
    places = arrange(names, links, {}).places
    assert min(math.dist(a, b) for a, b in combinations(places.values(), 2)) >= 0.9 * LEAST
