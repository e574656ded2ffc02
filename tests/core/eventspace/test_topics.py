"""Reading topics: what round-trips, and what is refused with its path."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

from tercast.errors import Refused
from tercast.eventspace.topic import Float, Int, Topic

QUOTES: dict[str, Any] = {
    "name": "quotes",
    "code": 4,
    "attributes": [
        {"name": "symbol", "type": "string"},
        {"name": "low", "type": "float", "min": 0, "max": 1e6},
        {"name": "volume", "type": "int", "min": 0, "max": "36893488147419103232"},
        {"name": "day", "type": "enum", "values": ["mon", "tue", "wed"]},
        {"name": "real-time", "type": "bool"},
    ],
    "indexed": ["low", "symbol"],
}


def refused(change: dict[str, Any] | None = None, **attribute: Any) -> Refused:
    obj = copy.deepcopy(QUOTES)
    obj.update(change or {})
    if attribute:
        obj["attributes"] = [attribute]
        obj.pop("indexed")
    with pytest.raises(Refused) as caught:
        Topic.from_json(obj, ("topics", 0))
    return caught.value


def test_round_trip() -> None:
    topic = Topic.from_json(QUOTES)
    again = Topic.from_json(json.loads(json.dumps(topic.to_json())))
    assert again == topic
    assert hash(again) == hash(topic)
    assert pickle.loads(pickle.dumps(topic)) == topic
    volume = topic.attribute("volume")
    assert isinstance(volume, Int)
    assert volume.max == 1 << 65
    assert volume.to_json()["max"] == str(1 << 65)
    low = topic.attribute("low")
    assert isinstance(low, Float)
    assert isinstance(low.min, float)


def test_indexed_attributes_keep_the_order_of_the_topic() -> None:
    topic = Topic.from_json(QUOTES)
    assert topic.indexed == ("symbol", "low")
    assert topic.indexed_positions == (0, 1)
    assert Topic.from_json({**QUOTES, "indexed": ["symbol", "low"]}) == topic
    everything = Topic.from_json({key: value for key, value in QUOTES.items() if key != "indexed"})
    assert everything.indexed == ("symbol", "low", "volume", "day", "real-time")
    assert topic.with_indexed(["volume"]).indexed == ("volume",)
    assert topic.with_code(5).code == 5


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"more": 1}, "topics[0].more", "unknown_key"),
        ({"name": 5}, "topics[0].name", "wrong_type"),
        ({"name": ""}, "topics[0].name", "bad_name"),
        ({"name": "a\nb"}, "topics[0].name", "bad_name"),
        ({"name": "n" * 129}, "topics[0].name", "bad_name"),
        ({"code": -1}, "topics[0].code", "out_of_range"),
        ({"code": True}, "topics[0].code", "wrong_type"),
        ({"code": 1.0}, "topics[0].code", "wrong_type"),
        ({"attributes": []}, "topics[0].attributes", "bad_count"),
        ({"attributes": {}}, "topics[0].attributes", "wrong_type"),
        (
            {"attributes": [{"name": f"a{i}", "type": "bool"} for i in range(65)]},
            "topics[0].attributes",
            "bad_count",
        ),
        ({"attributes": [{"name": "a", "type": "bool"}] * 2}, "topics[0].attributes[1].name", "duplicate"),
        ({"indexed": []}, "topics[0].indexed", "empty"),
        ({"indexed": None}, "topics[0].indexed", "wrong_type"),
        ({"indexed": "low"}, "topics[0].indexed", "wrong_type"),
        ({"indexed": ["low", "low"]}, "topics[0].indexed[1]", "duplicate"),
        ({"indexed": ["low", "high"]}, "topics[0].indexed[1]", "unknown_attribute"),
    ],
)
def test_topics_that_are_refused(change: dict[str, Any], path: str, code: str) -> None:
    error = refused(change)
    assert error.code == code
    assert str(error).startswith(f"{path}: ")
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("attribute", "place", "code"),
    [
        ({"name": "a", "type": "decimal"}, "type", "unknown_type"),
        ({"name": "a"}, "type", "missing_key"),
        ({"name": "a", "type": ["int"]}, "type", "unknown_type"),
        ({"type": "bool"}, "name", "missing_key"),
        ({"name": "a", "type": "bool", "min": 0}, "min", "unknown_key"),
        ({"name": "a", "type": "int", "min": 0}, "max", "missing_key"),
        ({"name": "9a", "type": "bool"}, "name", "bad_name"),
        ({"name": "ä", "type": "bool"}, "name", "bad_name"),
        ({"name": "a b", "type": "bool"}, "name", "bad_name"),
        ({"name": "And", "type": "bool"}, "name", "reserved_name"),
        ({"name": "prefix", "type": "bool"}, "name", "reserved_name"),
        ({"name": "a" * 129, "type": "bool"}, "name", "too_long"),
        ({"name": "a", "type": "int", "min": 3, "max": 2}, "min", "bad_domain"),
        ({"name": "a", "type": "int", "min": 0, "max": 2.0}, "max", "wrong_type"),
        ({"name": "a", "type": "int", "min": False, "max": 2}, "min", "wrong_type"),
        ({"name": "a", "type": "int", "min": "0x1", "max": 2}, "min", "wrong_type"),
        ({"name": "a", "type": "int", "min": "٣", "max": 9}, "min", "wrong_type"),
        ({"name": "a", "type": "int", "min": "0", "max": 9}, "min", "wrong_type"),
        ({"name": "a", "type": "int", "min": 0, "max": "9007199254740991"}, "max", "wrong_type"),
        ({"name": "a", "type": "int", "min": 0, "max": "09007199254740992"}, "max", "wrong_type"),
        ({"name": "a", "type": "int", "min": 0, "max": "9" * 5000}, "max", "too_long"),
        ({"name": "a", "type": "float", "min": 1, "max": 1}, "min", "bad_domain"),
        ({"name": "a", "type": "float", "min": 1, "max": float("inf")}, "max", "not_finite"),
        ({"name": "a", "type": "float", "min": float("nan"), "max": 1}, "min", "not_finite"),
        ({"name": "a", "type": "float", "min": 0, "max": 2**53 + 1}, "max", "not_a_double"),
        ({"name": "a", "type": "float", "min": 0, "max": 10**400}, "max", "not_a_double"),
        ({"name": "a", "type": "float", "min": "0", "max": 1}, "min", "wrong_type"),
        ({"name": "a", "type": "enum", "values": []}, "values", "bad_count"),
        ({"name": "a", "type": "enum", "values": ["x", "y", "x"]}, "values[2]", "duplicate"),
        ({"name": "a", "type": "enum", "values": ["x", 5]}, "values[1]", "wrong_type"),
        ({"name": "a", "type": "enum", "values": ["x" * 1025]}, "values[0]", "too_long"),
        ({"name": "a", "type": "enum", "values": ["\ud800"]}, "values[0]", "bad_text"),
        ({"name": "a", "type": "enum", "values": [str(i) for i in range(65_537)]}, "values", "bad_count"),
    ],
)
def test_attributes_that_are_refused(attribute: dict[str, Any], place: str, code: str) -> None:
    error = refused(**attribute)
    assert error.code == code
    assert str(error).startswith(f"topics[0].attributes[0].{place}: ")
    assert str(error).isprintable()
    assert len(str(error)) < 400


def test_an_attribute_is_an_object() -> None:
    assert refused({"attributes": [5]}).path == ("topics", 0, "attributes", 0)


def test_integers_with_one_value_and_enums_with_one_value_are_allowed() -> None:
    topic = Topic.from_json(
        {
            "name": "t",
            "code": 0,
            "attributes": [
                {"name": "one", "type": "int", "min": 7, "max": 7},
                {"name": "only", "type": "enum", "values": ["x"]},
            ],
        }
    )
    assert topic.event_dz({"one": 7, "only": "x"}, 20) == 1
